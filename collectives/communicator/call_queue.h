#pragma once

// Calls between the thread that starts them and the one that moves them on, in order.
// Threads: one pushes, one looks and pops; lock-free.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo::communicator {

struct PendingCall;

class CallQueue {
 public:
  static constexpr std::size_t kCapacity = 4096;

  bool empty() const { return outstanding() == 0; }
  bool full() const { return outstanding() == kCapacity; }
  std::size_t outstanding() const {
    return static_cast<std::size_t>(pushed_.load(std::memory_order_acquire) -
                                    popped_.load(std::memory_order_acquire));
  }

  /// Only while it isn't full.
  void push(PendingCall& call) {
    const std::uint64_t index = pushed_.load(std::memory_order_relaxed);
    ring_[index % kCapacity] = &call;
    pushed_.store(index + 1, std::memory_order_release);
  }
  /// Only while it isn't empty.
  PendingCall& front() const { return *ring_[popped_.load(std::memory_order_relaxed) % kCapacity]; }
  /// Whoever pops: takes the call out from among the others; false where it isn't there.
  bool take_out(const PendingCall& call) {
    const std::uint64_t first = popped_.load(std::memory_order_relaxed);
    const std::uint64_t end = pushed_.load(std::memory_order_acquire);
    std::uint64_t index = first;
    while (index != end && ring_[index % kCapacity] != &call) ++index;
    if (index == end) return false;
    // Those before it move up, so that the place to pop is free.
    for (; index != first; --index) ring_[index % kCapacity] = ring_[(index - 1) % kCapacity];
    pop();
    return true;
  }
  void pop() {
    popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::array<PendingCall*, kCapacity> ring_{};
  std::atomic<std::uint64_t> pushed_ = 0;
  std::atomic<std::uint64_t> popped_ = 0;
};

}  // namespace rondo::communicator
