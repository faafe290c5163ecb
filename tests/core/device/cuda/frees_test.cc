// What is put off while something on a device waits, and when it is given back.

#include "core/device/cuda/frees.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
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
