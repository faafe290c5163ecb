#pragma once

// Streams, each a thread that does its work in order. Threads: any.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "examples/custom_device/event.h"

namespace custom_cpu {

class Stream {
 public:
  /// False where it failed.
  using Work = std::function<bool()>;

  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Skipped once the stream has failed.
  void add(Work work);
  void record(OwnEvent& event);
  void wait(const Event& event);
  /// Until all is done; whether the stream is whole.
  bool synchronize();

 private:
  using Task = std::function<bool(bool whole)>;
  void enqueue(Task task);
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool busy_ = false;
  bool closed_ = false;
  bool whole_ = true;
  std::thread thread_;
};

}  // namespace custom_cpu
