// What is put off while something on a device waits, and when it is given back.

#include "core/device/cuda/frees.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace rondo::device {
namespace {

using std::chrono::milliseconds;

/// Soon, or else not at all.
bool becomes_true(const std::atomic<bool>& flag) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!flag && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(milliseconds(1));
  return flag;
}

/// Something to be given back.
struct Given {
  void back(CudaFrees& frees) {
    frees.give_back([this] { is_back = true; });
  }
  std::atomic<bool> is_back = false;
};

TEST(CudaFrees, WhereNothingWaits_AreMadeAtOnce) {
  CudaFrees frees;
  Given given;
  given.back(frees);
  EXPECT_TRUE(given.is_back);
}

TEST(CudaFrees, WhileSomebodyHasAHold_ArePutOff) {
  CudaFrees frees;
  Given given;
  for (int turn = 0; turn < 3; ++turn) {
    given.is_back = false;
    CudaFrees::Hold first = frees.hold();
    CudaFrees::Hold second = frees.hold();
    given.back(frees);
    first.reset();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_FALSE(given.is_back);
    second.reset();
    EXPECT_TRUE(becomes_true(given.is_back));
  }
}

TEST(CudaFrees, UntilWhatIsAwaitedIsOver_ArePutOff) {
  CudaFrees frees;
  Given given;
  std::atomic<bool> is_over = false;
  frees.hold_until([&] { return is_over.load(); });
  given.back(frees);
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_FALSE(given.is_back);
  is_over = true;
  EXPECT_TRUE(becomes_true(given.is_back));
  Given another;
  another.back(frees);
  EXPECT_TRUE(another.is_back);
}

TEST(CudaFrees, WhatIsAwaited_IsForgottenWhenItIsOver_ThoughNothingIsFreed) {
  CudaFrees frees;
  std::atomic<bool> is_over = false, is_forgotten = false;
  frees.hold_until([&is_over, watched = std::shared_ptr<void>(nullptr, [&](void*) {
                                is_forgotten = true;
                              })] { return is_over.load(); });
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_FALSE(is_forgotten);
  is_over = true;
  EXPECT_TRUE(becomes_true(is_forgotten));
}

TEST(CudaFrees, WhoeverWantsWhatWasPutOff_WaitsForThatAWhile) {
  CudaFrees frees;
  EXPECT_FALSE(frees.wait_for_put_off(milliseconds(0)));
  Given given;
  CudaFrees::Hold hold = frees.hold();
  given.back(frees);
  EXPECT_TRUE(frees.wait_for_put_off(milliseconds(10)));
  EXPECT_FALSE(given.is_back);
  std::jthread ends([&] {
    std::this_thread::sleep_for(milliseconds(20));
    hold.reset();
  });
  EXPECT_TRUE(frees.wait_for_put_off(std::chrono::seconds(10)));
  EXPECT_TRUE(given.is_back);
}

TEST(CudaFrees, WhatIsNeverOver_KeepsNobodyFromGoing) {
  Given given;
  {
    CudaFrees frees;
    frees.hold_until([] { return false; });
    given.back(frees);
  }
  EXPECT_FALSE(given.is_back) << "the driver would wait for ever";
}

/// The program's own, say, which may have a lock that others hold while they give something back.
TEST(CudaFrees, ActionThatGivesMoreBack_AndWaitsForOthersWhoDo_IsWaitedForByNobody) {
  CudaFrees frees;
  Given from_within, from_another;
  bool is_nested_done = false;
  frees.give_back([&] {
    from_within.back(frees);
    is_nested_done = from_within.is_back;
    std::thread([&] { from_another.back(frees); }).join();
  });
  EXPECT_TRUE(is_nested_done);
  EXPECT_TRUE(from_another.is_back);
}

/// A pool's, whose lock `release` takes, too: what was put off of it isn't done under that lock.
TEST(CudaFrees, WhoGivesSomethingBack_DoesThatAlone_NotWhatWasPutOff) {
  CudaFrees frees;
  std::mutex pool;
  std::thread::id by;
  std::atomic<bool> is_over = false, is_back = false;
  frees.hold_until([&] { return is_over.load(); });
  frees.give_back([&] {
    by = std::this_thread::get_id();
    const std::lock_guard lock(pool);
    is_back = true;
  });
  std::this_thread::sleep_for(milliseconds(300));  // so that nobody looks again at once
  Given own;
  {
    const std::lock_guard lock(pool);
    is_over = true;
    own.back(frees);
    EXPECT_TRUE(own.is_back) << "nothing waits: at once";
  }
  EXPECT_TRUE(becomes_true(is_back));
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(CudaFrees, WhileSomethingIsGivenBack_NobodyComesToWait) {
  CudaFrees frees;
  std::atomic<bool> has_begun = false, may_end = false, is_held = false;
  std::jthread gives([&] {
    frees.give_back([&] {
      has_begun = true;
      becomes_true(may_end);
    });
  });
  ASSERT_TRUE(becomes_true(has_begun));
  std::jthread holds([&] {
    const CudaFrees::Hold hold = frees.hold();
    is_held = true;
  });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(is_held);
  may_end = true;
  EXPECT_TRUE(becomes_true(is_held));
}

/// Two that take turns, each of which begins while the other is under way.
TEST(CudaFrees, CallsThatOverlapForEver_DontPutThemOffForEver) {
  CudaFrees frees;
  Given given;
  std::atomic<int> begun = 0;
  std::atomic<bool> is_ending = false;
  const auto calls = [&](int own) {
    while (!is_ending) {
      const CudaFrees::Hold hold = frees.hold();
      const int turn = ++begun;
      // Ends a while after the other one has begun, unless that is kept from it.
      const auto latest = std::chrono::steady_clock::now() + std::chrono::microseconds(1000 + own);
      while (begun == turn && !is_ending && std::chrono::steady_clock::now() < latest)
        std::this_thread::yield();
    }
  };
  std::jthread one(calls, 0);
  std::jthread another(calls, 1);
  std::this_thread::sleep_for(milliseconds(20));
  given.back(frees);
  EXPECT_TRUE(becomes_true(given.is_back));
  is_ending = true;
}

}  // namespace
}  // namespace rondo::device
