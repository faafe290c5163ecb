// What becomes of memory that other processes may have open when the program frees it.

#include "core/device/cuda/exports.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace rondo::device {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kBase = 0x9000;

SharedHandle handle(std::uint64_t allocation) {
  SharedHandle made{};
  made.base = kBase;
  made.allocation = allocation;
  return made;
}

struct Freed {
  bool put_off(CudaExports& exports, std::uint64_t allocation) {
    return exports.put_off(kBase, allocation, [this] { ++given_back; });
  }
  int given_back = 0;
};

TEST(CudaExports, WhatNobodyKeeps_IsFreedAtOnce) {
  CudaExports exports;
  Freed freed;
  EXPECT_FALSE(freed.put_off(exports, 1));
  exports.keep(handle(1));
  exports.let_go(handle(1));
  EXPECT_FALSE(freed.put_off(exports, 1));
  exports.let_go(handle(1));  // once more than it was kept
  EXPECT_EQ(freed.given_back, 0) << "that is the caller's";
}

TEST(CudaExports, WhatIsKept_IsGivenBackBehindTheLast) {
  CudaExports exports;
  Freed freed;
  exports.keep(handle(1));
  exports.keep(handle(1));
  EXPECT_FALSE(exports.is_freed(kBase, 1));
  EXPECT_TRUE(freed.put_off(exports, 1));
  EXPECT_TRUE(exports.is_freed(kBase, 1));
  EXPECT_FALSE(exports.is_freed(kBase, 2)) << "what comes to lie there";
  EXPECT_TRUE(freed.put_off(exports, 1)) << "freed twice";
  exports.let_go(handle(1));
  EXPECT_EQ(freed.given_back, 0);
  exports.let_go(handle(1));
  EXPECT_EQ(freed.given_back, 1);
  EXPECT_FALSE(exports.is_freed(kBase, 1));
  EXPECT_FALSE(exports.give_back(milliseconds(0)));
}

TEST(CudaExports, WhatWasFreedLongAgo_IsGivenBackThoughItIsKept) {
  CudaExports exports;
  Freed freed;
  exports.keep(handle(1));
  EXPECT_TRUE(freed.put_off(exports, 1));
  EXPECT_FALSE(exports.give_back(std::chrono::hours(1)));
  EXPECT_EQ(freed.given_back, 0);
  EXPECT_TRUE(exports.give_back(milliseconds(0)));
  EXPECT_EQ(freed.given_back, 1);
  exports.let_go(handle(1));
  EXPECT_EQ(freed.given_back, 1) << "only once";
}

TEST(CudaExports, WhatIsNeverConfirmed_IsGivenBackInTime) {
  std::atomic<int> given_back = 0;
  CudaExports exports(milliseconds(50));
  for (const std::uint64_t allocation : {1U, 2U}) {
    exports.keep(handle(allocation));
    EXPECT_TRUE(exports.put_off(kBase, allocation, [&] { ++given_back; }));
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (given_back < static_cast<int>(allocation) && std::chrono::steady_clock::now() < latest)
      std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(given_back, static_cast<int>(allocation));
  }
}

TEST(CudaExports, WhatStaysAtTheEnd_KeepsNobodyWaiting) {
  Freed freed;
  {
    CudaExports exports;
    exports.keep(handle(1));
    EXPECT_TRUE(freed.put_off(exports, 1));
  }
  EXPECT_EQ(freed.given_back, 0) << "it goes with the process";
}

}  // namespace
}  // namespace rondo::device
