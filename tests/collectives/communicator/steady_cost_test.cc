// That what calls cost is seen: allocations and locks of every kind, those that come now and then,
// and those of a call that wasn't made before.

#include "tests/collectives/communicator/steady_cost.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

/// So that no compiler leaves out what it is given.
void use(void* memory) {
  static std::atomic<void*> last = nullptr;
  last = memory;
}

void allocate() {
  void* const memory = ::operator new(8);
  use(memory);
  ::operator delete(memory);
}

void allocate_aligned() {
  constexpr std::align_val_t kAlignment{64};
  void* const memory = ::operator new(64, kAlignment);
  use(memory);
  ::operator delete(memory, kAlignment);
}

void allocate_in_c(void* memory) {
  use(memory);
  std::free(memory);
}

void map() {
  constexpr std::size_t kBytes = 4096;
  void* const memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  use(memory);
  munmap(memory, kBytes);
}

TEST(SteadyCost, EveryAllocation_IsCounted) {
  const std::function<void()> ways[] = {&allocate,
                                        &allocate_aligned,
                                        [] { allocate_in_c(std::malloc(8)); },
                                        [] { allocate_in_c(std::calloc(2, 8)); },
                                        [] { allocate_in_c(std::realloc(nullptr, 8)); },
                                        [] { allocate_in_c(std::aligned_alloc(64, 64)); },
                                        [] {
                                          void* memory = nullptr;
                                          EXPECT_EQ(posix_memalign(&memory, 64, 8), 0);
                                          allocate_in_c(memory);
                                        },
                                        &map};
  for (const auto& way : ways) {
    const Cost before = cost_so_far();
    way();
    EXPECT_GT((cost_so_far() - before).allocations, 0U) << "way " << &way - ways;
  }
}

template <typename Mutex>
void lock() {
  Mutex mutex;
  const std::lock_guard held(mutex);
}

TEST(SteadyCost, EveryLock_IsCounted) {
  const std::function<void()> ways[] = {&lock<std::mutex>, &lock<std::recursive_mutex>,
                                        &lock<std::shared_mutex>,
                                        [] {
                                          std::shared_mutex mutex;
                                          const std::shared_lock held(mutex);
                                        },
                                        [] {
                                          std::mutex mutex;
                                          const std::unique_lock held(mutex, std::try_to_lock);
                                          EXPECT_TRUE(held.owns_lock());
                                        }};
  for (const auto& way : ways) {
    const Cost before = cost_so_far();
    way();
    EXPECT_EQ((cost_so_far() - before).locks, 1U) << "way " << &way - ways;
  }
}

/// Calls beside which one rank does something else, once in nine blocks.
class NowAndThen {
 public:
  explicit NowAndThen(Communicator& rank) : rank_(rank) {}

  void call_and(void (*something)()) {
    rank_.all_reduce({&value_, 1});
    if (rank_.rank() == 1 && ++rounds_ % (9 * Blocks::kRounds) == 0) something();
  }

 private:
  Communicator& rank_;
  float value_ = 0;
  int rounds_ = 0;
};

TEST(SteadyCost, WhatComesNowAndThen_IsSeen) {
  const auto cost_with = [](void (*something)()) {
    return cost_of<NowAndThen>({.size = 3}, [=](NowAndThen& round) { round.call_and(something); });
  };
  EXPECT_EQ(cost_with(&allocate).allocations, 1U);
  EXPECT_EQ(cost_with(&lock<std::mutex>).locks, 1U);
  EXPECT_TRUE(cost_with([] {}).is_nothing());
}

TEST(SteadyCost, OfACallThatWasNotMadeBefore_IsMoreThanNothing) {
  spawn({.size = 2}, [](Communicator& rank) {
    std::vector<float> data(1000, 0.5F);
    rank.all_reduce({data.data(), 999});
    const Cost before = cost_so_far();
    rank.all_reduce({data.data(), 1000});
    EXPECT_GT((cost_so_far() - before).allocations, 0U);
  });
}

}  // namespace
}  // namespace rondo::testing
