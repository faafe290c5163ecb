#pragma once

// The Block (block.h) of a kernel that runs on the host, and grids of them: for tests, and for
// devices that are only acted. Threads that wait for each other are threads of the host, so such
// grids are for small sizes.

#include <barrier>
#include <cstddef>
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
  /// `state` is null where no thread waits for another.
  HostBlock(Place place, HostBlockState* state) : place_(place), state_(state) {}

  unsigned int thread() const { return place_.thread; }
  unsigned int threads() const { return place_.threads; }
  unsigned int block() const { return place_.block; }
  unsigned int blocks() const { return place_.blocks; }
  void sync() const { state().meeting.arrive_and_wait(); }
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
