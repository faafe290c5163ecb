// What is open of other processes' memory, and when it is closed.

#include "core/device/cuda/imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "core/device/cuda/frees.h"
#include "tests/core/device/cuda/acted_driver.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

/// What the driver is asked for: to open, to close.
std::string calls;

/// It gives the same address again and again, as drivers do.
CudaTable table_that_notes() {
  CudaTable table = acted_table();
  table.cuIpcOpenMemHandle = [](CUdeviceptr* memory, CUipcMemHandle, unsigned int) {
    calls += 'o';
    *memory = 0x1000;
    return CUDA_SUCCESS;
  };
  table.cuIpcCloseMemHandle = [](CUdeviceptr) {
    calls += 'c';
    return CUDA_SUCCESS;
  };
  return table;
}

class Imports : public ::testing::Test {
 protected:
  Imports() { calls.clear(); }
  /// Until nothing is put off any more.
  void wait_for_closing() {
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (imports_.closes_later() && std::chrono::steady_clock::now() < latest)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void* open() { return *imports_.open(*context_, handle_); }

  const CudaTable table_ = table_that_notes();
  CudaFrees frees_;
  const std::shared_ptr<CudaContext> context_ =
      value_or_throw(CudaContext::retain(table_, frees_, 0));
  CudaImports imports_;
  SharedHandle handle_{.process = 7, .base = 0x9000, .allocation = 1};
};

/// What a peer has freed and allocated again at the same address is another allocation.
TEST_F(Imports, AllocationThatReplacedAnother_IsOpenedAnew_AndClosedWhenNobodyUsesIt) {
  void* const first = open();
  EXPECT_EQ(open(), first);
  EXPECT_EQ(calls, "o");
  handle_.allocation = 2;
  void* const second = open();
  EXPECT_EQ(calls, "oco") << "the old one is closed before the new one comes";
  imports_.close(first);
  imports_.close(first);
  EXPECT_EQ(calls, "oco") << "the new one is still open";
  imports_.close(second);
  EXPECT_EQ(calls, "ococ");
  imports_.close(second);
  EXPECT_EQ(calls, "ococ") << "nothing is open there";
}

/// The driver numbers allocations alike in each process, and a process may have the number of one
/// that has died, whose memory is still open.
TEST_F(Imports, MemoryOfANewProcessOfTheSameNumber_IsNotTakenForThatOfTheOldOne) {
  open();
  handle_.opaque[17] = std::byte{1};
  open();
  EXPECT_EQ(calls, "oco");
}

/// Whose closing is put off, since something on a device waits, maybe for who opens: the driver
/// would wait for that, too.
TEST_F(Imports, WhatComesInPlaceOfAnother_IsRefusedWhileItsClosingIsPutOff) {
  CudaFrees::Hold hold = frees_.hold();
  imports_.close(open());
  EXPECT_EQ(calls, "o");
  handle_.allocation = 2;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(imports_.waits(0, handle_));
    const Status refused = imports_.open(*context_, handle_).status();
    EXPECT_EQ(refused.code(), ErrorCode::kDevice);
    EXPECT_THAT(refused.message(), HasSubstr("what lay there before is still open"));
  }
  EXPECT_EQ(calls, "o");
  EXPECT_TRUE(imports_.closes_later());
  hold.reset();  // the call of a stream has ended
  wait_for_closing();
  EXPECT_EQ(calls, "oc");
  EXPECT_FALSE(imports_.waits(0, handle_));
  open();
  EXPECT_EQ(calls, "oco");
}

/// One communicator has let go of it, and another one has calls in its streams all the time.
TEST_F(Imports, WhatIsWantedAgainBeforeItIsClosed_StaysOpen) {
  CudaFrees::Hold hold = frees_.hold();
  void* const first = open();
  imports_.close(first);
  EXPECT_TRUE(imports_.closes_later());
  EXPECT_FALSE(imports_.waits(0, handle_));
  EXPECT_EQ(open(), first);
  EXPECT_FALSE(imports_.closes_later());
  hold.reset();
  frees_.wait_for_put_off(std::chrono::seconds(20));
  EXPECT_EQ(calls, "o") << "it is in use";
  imports_.close(first);
  EXPECT_EQ(calls, "oc");
}

}  // namespace
}  // namespace rondo::device
