#pragma once

// One thread for each place of this process, except the first, which is the caller's: a
// communicator handle is driven by one thread, and so is an executor's OpenMP team.

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rondo::nn {

class PlaceThreads {
 public:
  explicit PlaceThreads(std::size_t places);
  ~PlaceThreads();
  PlaceThreads(const PlaceThreads&) = delete;
  PlaceThreads& operator=(const PlaceThreads&) = delete;

  /// Calls `work` with every place's number, each in its thread, and waits for all. Throws what
  /// was thrown first: what other places throw later is mostly a consequence.
  void run(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t place);
  void call(std::size_t place);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t round_ = 0;    // grows with every run
  std::size_t running_ = 0;  // threads that haven't finished this round
  bool ending_ = false;
  std::exception_ptr first_error_;
  std::vector<std::thread> threads_;
};

}  // namespace rondo::nn
