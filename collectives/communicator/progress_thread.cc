#include "collectives/communicator/progress_thread.h"

namespace rondo::communicator {

void ProgressThread::start() {
  thread_ = std::thread([this] { run(); });
}

void ProgressThread::wake() {
  signal_.fetch_add(1, std::memory_order_release);
  signal_.notify_one();
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  stopped_.store(true, std::memory_order_relaxed);
  wake();
  // Whoever holds the baton keeps the thread out, and it may be asleep with it.
  const bool taken = driver_.take(nullptr, execute::WaitLimit::kNever);
  thread_.join();
  if (taken) driver_.give_back();
}

void ProgressThread::run() {
  while (!stopped_.load(std::memory_order_relaxed)) {
    const std::uint32_t seen = signal_.load(std::memory_order_acquire);
    if (!driver_.idle() && driver_.try_take()) {
      driver_.drive(nullptr, {.in_background = true});
      driver_.give_back();
    }
    // Whoever took the baton, or starts a call, wakes it.
    if (!stopped_.load(std::memory_order_relaxed)) signal_.wait(seen, std::memory_order_acquire);
  }
}

}  // namespace rondo::communicator
