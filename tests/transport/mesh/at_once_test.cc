#include "transport/mesh/at_once.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/core/device/no_more_threads.h"

namespace rondo::transport {
namespace {

TEST(AtOnce, TasksThatWaitForEachOther_AllRun) {
  std::barrier all(4);
  std::atomic<std::size_t> sum = 0;
  const Status status = at_once(4, [&](std::size_t i) {
    all.arrive_and_wait();
    sum += i;
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(sum, 6U);
}

TEST(AtOnce, SeveralErrors_TheFirstByNumber) {
  const Status status = at_once(3, [](std::size_t i) {
    return i == 0 ? Status() : Status(ErrorCode::kTimeout, "task " + std::to_string(i));
  });
  EXPECT_EQ(status.message(), "task 1");
}

TEST(AtOnce, ATaskThatThrows_HasFailed_AndTheOthersRun) {
  for (std::size_t thrower = 0; thrower < 3; ++thrower) {
    std::atomic<std::size_t> others = 0;
    const Status status = at_once(3, [&](std::size_t i) {
      if (i == thrower) throw Error(ErrorCode::kDevice, "it burns", 5, "op 3");
      ++others;
      return Status();
    });
    EXPECT_EQ(status.code(), ErrorCode::kDevice) << "task " << thrower;
    EXPECT_EQ(status.message(), "it burns");
    EXPECT_EQ(status.culprit(), 5);
    EXPECT_EQ(status.where(), "op 3");
    EXPECT_EQ(others, 2U);
  }
}

TEST(AtOnce, WhateverIsThrown_IsAStatus) {
  EXPECT_EQ(caught([] { return Status(ErrorCode::kTimeout, "late"); }).code(), ErrorCode::kTimeout);
  const Status strange = caught([]() -> Status { throw std::runtime_error("two\nlines"); });
  EXPECT_EQ(strange.code(), ErrorCode::kInternal);
  EXPECT_EQ(strange.message(), "two?lines");
  EXPECT_EQ(caught([]() -> Status { throw std::bad_alloc(); }).code(), ErrorCode::kSystem);
  EXPECT_EQ(caught([]() -> Status { throw 7; }).code(), ErrorCode::kInternal);
}

TEST(AtOnce, NoTasks_IsOk) {
  EXPECT_TRUE(at_once(0, [](std::size_t) { return Status(ErrorCode::kInternal, "ran"); }).ok());
}

TEST(AtOnce, NoMoreThreads_IsAnErrorAndNothingRuns) {
  std::atomic<int> runs = 0;
  const auto task = [&](std::size_t) {
    ++runs;
    return Status();
  };
  const testing::NoMoreThreads none;
  const Status status = at_once(2, task);
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_NE(status.message().find("ulimit -u"), std::string::npos) << status.to_string();
  EXPECT_EQ(runs, 0);
  EXPECT_TRUE(at_once(1, task).ok()) << "one place needs no thread";
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace rondo::transport
