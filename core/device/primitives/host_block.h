#pragma once

// The Block (block.h) of a kernel that runs on the host, and grids of them: for tests, and for
// devices that are only acted. Threads that wait for each other are threads of the host, so such
// grids are for small sizes.

#include <atomic>
#include <barrier>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rondo::primitives {

/// What the threads of one block have in common.
struct HostBlockState {
  explicit HostBlockState(unsigned int threads) : meeting(static_cast<std::ptrdiff_t>(threads)) {}

  std::barrier<> meeting;
  alignas(16) std::byte shared[48 * 1024] = {};
};

class HostBlock {
 public:
  struct Place {
    unsigned int thread = 0, threads = 1, block = 0, blocks = 1;
  };
  /// All memory is as near; and on a busy machine each look costs the rest of a time slice.
  static constexpr unsigned int kNearLooks = 1U << 2, kFarLooks = 1U << 4;
  /// `state` is null where no thread waits for another.
  HostBlock(Place place, HostBlockState* state) : place_(place), state_(state) {}

  unsigned int thread() const { return place_.thread; }
  unsigned int threads() const { return place_.threads; }
  unsigned int block() const { return place_.block; }
  unsigned int blocks() const { return place_.blocks; }
  void sync() const { state().meeting.arrive_and_wait(); }
  template <class T>
  T peek(T* word) const {
    return std::atomic_ref(*word).load(std::memory_order_relaxed);
  }
  template <class T>
  T load(T* word) const {
    return std::atomic_ref(*word).load(std::memory_order_acquire);
  }
  template <class T>
  void store(T* word, T value) const {
    std::atomic_ref(*word).store(value, std::memory_order_release);
  }
  /// What is put releases by itself: the thread sanitizer knows no fences.
  void release() const {}
  template <class T>
  void put(T* word, T value) const {
    store(word, value);
  }
  template <class T>
  T add(T* word, T value) const {
    return std::atomic_ref(*word).fetch_add(value, std::memory_order_acq_rel);
  }
  void pause() const { std::this_thread::yield(); }
  template <class T, int kCount>
  T* shared() const {
    static_assert(kCount * sizeof(T) <= sizeof(HostBlockState::shared));
    return reinterpret_cast<T*>(state().shared);
  }

 private:
  HostBlockState& state() const {
    if (state_ == nullptr) throw std::logic_error("this kernel's threads work together");
    return *state_;
  }

  Place place_;
  HostBlockState* state_;
};

/// Runs a kernel whose threads don't work together, in the calling thread.
template <class Kernel>
void run_independent(unsigned int blocks, unsigned int threads, const Kernel& kernel) {
  for (unsigned int block = 0; block < blocks; ++block) {
    for (unsigned int thread = 0; thread < threads; ++thread)
      kernel(HostBlock({thread, threads, block, blocks}, nullptr));
  }
}

/// Runs a kernel whose blocks work together, too: all threads of all blocks at once.
template <class Kernel>
void run_resident(unsigned int blocks, unsigned int threads, const Kernel& kernel) {
  std::deque<HostBlockState> states;
  std::vector<std::jthread> running;
  for (unsigned int block = 0; block < blocks; ++block) {
    HostBlockState& state = states.emplace_back(threads);
    for (unsigned int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&kernel, &state, thread, threads, block, blocks] {
        kernel(HostBlock({thread, threads, block, blocks}, &state));
      });
    }
  }
}

/// Runs a kernel whose threads work together, a thread each; one block after the other.
template <class Kernel>
void run_together(unsigned int blocks, unsigned int threads, const Kernel& kernel) {
  for (unsigned int block = 0; block < blocks; ++block) {
    HostBlockState state(threads);
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (unsigned int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        kernel(HostBlock({thread, threads, block, blocks}, &state));
      });
    }
  }
}

}  // namespace rondo::primitives
