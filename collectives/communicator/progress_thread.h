#pragma once

// The thread that moves a place's started calls on while nobody waits for one. Started by the first
// call that is, asleep while there is nothing to do or somebody else drives; but for a look at the
// peers several times a second once graphs make calls that no host is in.
//
// To wake it takes longer than a short call, and where there is no core to spare it takes turns
// with those who wait for the call. So where it comes and finds that callers wait for their calls
// themselves, it isn't woken any more: it looks by itself every half a millisecond, until there is
// a call that nobody waits for, or none for a while.

#include <atomic>
#include <cstdint>
#include <thread>

#include "collectives/communicator/call_driver.h"

namespace rondo::communicator {

class ProgressThread {
 public:
  explicit ProgressThread(CallDriver& driver) : driver_(driver) {}
  ~ProgressThread() { stop(); }
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// Threads: that of the handle, as for stop, which returns once the thread has ended.
  /// Once, and again where that has failed. Errors: System.
  Status start();
  void stop();
  /// Calls are outstanding and the baton is free. Only once started. Threads: any.
  void wake();
  /// Whether it has the baton, and gives it back when that is wanted. Threads: any.
  bool drives() const { return drives_.load(std::memory_order_relaxed); }
  /// Looks after graphs from now on. Only once started.
  void watch_graphs();

 private:
  void run();
  /// True where it has moved calls on to their end.
  bool move_on();
  void wait_for_signal(std::uint32_t seen);

  CallDriver& driver_;
  std::thread thread_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> watches_ = false;  ///< graphs
  std::atomic<bool> drives_ = false;
  std::atomic<bool> sleeps_ = false;
  std::atomic<std::uint32_t> signal_ = 0;
};

}  // namespace rondo::communicator
