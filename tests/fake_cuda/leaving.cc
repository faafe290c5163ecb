// Streams that were destroyed while they had work.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <list>
#include <memory>
#include <thread>

#include "fake.h"

namespace fake_cuda {
namespace {

/// A thread that destroys a stream, and whether it is about to end.
struct Leaver {
  std::thread thread;
  std::shared_ptr<std::atomic<bool>> is_through;
};

std::list<Leaver>& leavers() {
  static auto& all = *new std::list<Leaver>();
  return all;
}

/// With the mutex.
void join_all_that_are_through() {
  leavers().remove_if([](Leaver& leaver) {
    if (!leaver.is_through->load(std::memory_order_acquire)) return false;
    leaver.thread.join();
    return true;
  });
}

void join_at_exit() {
  constexpr auto kPatience = std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    {
      const std::lock_guard lock(state().mutex);
      join_all_that_are_through();
      if (leavers().empty()) return;
    }
    if (std::chrono::steady_clock::now() > until) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void destroy(CUstream stream, std::atomic<bool>& is_through) {
  delete stream;
  const std::lock_guard lock(state().mutex);
  --state().left_behind;
  give_back_all();
  is_through.store(true, std::memory_order_release);
}

}  // namespace

void leave_behind(CUstream stream) {
  static const bool joins = std::atexit(&join_at_exit) == 0;
  static_cast<void>(joins);
  const std::lock_guard lock(state().mutex);
  join_all_that_are_through();
  ++state().left_behind;
  const auto is_through = std::make_shared<std::atomic<bool>>(false);
  leavers().push_back(
      {std::thread([stream, is_through] { destroy(stream, *is_through); }), is_through});
}

}  // namespace fake_cuda
