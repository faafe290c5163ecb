#pragma once

// How many threads kernels called by this thread may use, until the object ends.
// Debian's oneDNN computes with OpenMP, whose limit is a property of the calling thread: without
// one, every place of a process would start a thread for each core.

namespace rondo::nn {

class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int previous_;
};

}  // namespace rondo::nn
