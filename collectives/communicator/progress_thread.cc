#include "collectives/communicator/progress_thread.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "core/futex.h"
#include "core/store_before_loads.h"

namespace rondo::communicator {
namespace {

/// Between two looks after graphs.
constexpr std::chrono::microseconds kLookPeriod = std::chrono::milliseconds(100);
/// Between two looks where callers wait for their calls themselves, and so many without a new one
/// before it sleeps.
constexpr std::chrono::microseconds kNap{500};
constexpr int kNaps = 20;
/// As good as for ever.
constexpr std::chrono::microseconds kLongSleep = std::chrono::hours(1);

}  // namespace

Status ProgressThread::start() {
  if (thread_.joinable()) return {};
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return Status(
        ErrorCode::kSystem,
        fmt::format("started calls need a thread, and the system makes no more: {}; raise "
                    "its limit (ulimit -u, the container's), or drive them yourself "
                    "(RONDO_PROGRESS=caller)",
                    error.what()));
  }
  return {};
}

void ProgressThread::wake() {
  signal_.fetch_add(1, std::memory_order_seq_cst);
  if (sleeps_.load(std::memory_order_seq_cst)) futex_wake(signal_);
}

void ProgressThread::watch_graphs() {
  watches_.store(true, std::memory_order_relaxed);
  wake();
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  stopped_.store(true, std::memory_order_relaxed);
  wake();
  // Whoever holds the baton keeps the thread out, and it may be asleep with it.
  const bool taken = driver_.take_now();
  thread_.join();
  if (taken) driver_.give_back();
}

void ProgressThread::run() {
  int naps = 0;
  std::uint32_t answered = signal_.load(std::memory_order_relaxed);
  while (!stopped_.load(std::memory_order_relaxed)) {
    const std::uint32_t seen = signal_.load(std::memory_order_acquire);
    if (move_on()) {
      naps = 0;
    } else if (seen != answered) {
      naps = kNaps;  // it came for nothing
    }
    answered = seen;
    if (stopped_.load(std::memory_order_relaxed)) break;
    if (naps > 0) {
      --naps;
      futex_wait(signal_, seen, kNap);
    } else {
      wait_for_signal(seen);
    }
  }
}

bool ProgressThread::move_on() {
  const bool watches = watches_.load(std::memory_order_relaxed);
  const bool has_calls = !driver_.idle();
  if ((!watches && !has_calls) || !driver_.try_take()) return false;
  drives_.store(true, std::memory_order_relaxed);
  driver_.drive(nullptr, {.in_background = true});
  if (watches) driver_.look_after_graphs();
  const bool ended = driver_.idle();
  drives_.store(false, std::memory_order_relaxed);
  driver_.give_back();
  return has_calls && ended;
}

/// Until woken, by whoever took the baton or starts a call: who hasn't seen that it sleeps has
/// changed the signal before.
void ProgressThread::wait_for_signal(std::uint32_t seen) {
  store_before_loads(sleeps_, true);
  const bool watches = watches_.load(std::memory_order_relaxed);
  futex_wait(signal_, seen, watches ? kLookPeriod : kLongSleep);
  sleeps_.store(false, std::memory_order_relaxed);
}

}  // namespace rondo::communicator
