#pragma once

// Going to sleep without losing a wake-up, paid by the one who sleeps.
//
// The sleeper says so and then looks once more for messages; a sender writes its message and then
// looks whether the peer sleeps. Each needs a full fence between its two steps. Senders are in a
// hurry and sleepers aren't, so the sleeper makes the kernel fence every processor that runs a
// Rondo process (membarrier, GLOBAL_EXPEDITED) and a sender then needs none. Where the kernel
// hasn't got it, both fence for themselves. Who stores into a peer's memory and who gives up meet
// in the same way.
// Threads: any.

#include <atomic>
#include <cstdint>

#include "transport/ring/line.h"

namespace rondo::transport {

/// Odd while the place sleeps; counts up with every change, so that a peer rings once per sleep.
struct alignas(kCacheLineBytes) SleepWord {
  std::atomic<std::uint64_t> turn;
};

/// Lets peers' sleepers fence this process; true if this process may fence theirs too. Both sides
/// of a pair must have got true before light_fence may be light.
bool enable_asymmetric_fence();

/// The sleeper's side: announces a new sleep; messages written before it is over are either seen by
/// a look after this call, or their senders see the announcement.
void announce_sleep(SleepWord& word);
void announce_wake(SleepWord& word);

/// The sender's side, between writing a message and reading the peer's SleepWord.
inline void light_fence(bool asymmetric) {
  if (asymmetric)
    std::atomic_signal_fence(std::memory_order_seq_cst);
  else
    __sync_synchronize();
}

/// The other side of light_fence, where that isn't the sleeper's: between writing what the peer
/// reads behind its fence, and reading what it has written before.
void heavy_fence();

/// Loads before it are done before loads behind it. Not std::atomic_thread_fence: ThreadSanitizer
/// doesn't know that, and gcc warns.
inline void load_fence() {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_acquire);  // the processor keeps loads in order
#else
  __sync_synchronize();
#endif
}

}  // namespace rondo::transport
