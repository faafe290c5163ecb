// Streams that another library keeps, and what a stream may be given while it stands still at a
// call, by itself or behind another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "core/device/cuda/stream.h"
#include "core/device/soft_event.h"
#include "tests/core/device/cuda/acted_driver.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

using StreamPointer = std::shared_ptr<detail::StreamImpl>;

CUstream native_of(detail::StreamImpl& stream) {
  return static_cast<CudaStream&>(stream).native_stream();
}

/// Another library's: a stream of Rondo's that nobody else uses.
class Borrowed : public ::testing::Test {
 protected:
  StreamPointer borrow() { return driver_->borrow_stream(0, native_of(*owner_)).value(); }

  const std::unique_ptr<CudaDriver> driver_ = acted_driver();
  const StreamPointer owner_ = driver_->create_stream(0).value();
};

/// Host memory that isn't page-locked is copied in `stream` once `open` has let it go on.
void expect_copy_waits(CudaDriver& driver, detail::StreamImpl& stream,
                       const std::function<void()>& open) {
  void* const memory = *driver.allocate(0, 4);
  const float one = 1;
  float got = 0;
  std::atomic<bool> is_asked_for = false;
  std::jthread copies([&] {
    EXPECT_TRUE(stream.copy(memory, &one, 4).ok());
    is_asked_for = true;
    EXPECT_TRUE(stream.copy(&got, memory, 4).ok());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_asked_for);
  open();
  copies.join();
  EXPECT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(got, 1);
  driver.free(memory);
}

/// The driver would keep its lock meanwhile, and nobody could open the gate who needs the driver.
TEST(PageableCopy, BehindAHostsEvent_IsAskedForOnceThatIsReached) {
  const auto driver = acted_driver();
  const auto stream = *driver->create_stream(0);
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(stream->wait(event).ok());
  expect_copy_waits(*driver, *stream, [&] { open->finish({}); });
}

TEST(PageableCopy, BehindAStreamThatStandsStill_IsAskedForOnceThatGoesOn) {
  const auto driver = acted_driver();
  const auto held = *driver->create_stream(0);
  const auto between = *driver->create_stream(0);
  const auto stream = *driver->create_stream(0);
  const auto first = *driver->create_event(0);
  const auto second = *driver->create_event(0);
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(held->wait(event).ok());
  ASSERT_TRUE(held->record(*first).ok());
  ASSERT_TRUE(between->wait(*first).ok());
  ASSERT_TRUE(between->record(*second).ok());
  ASSERT_TRUE(stream->wait(*second).ok());
  expect_copy_waits(*driver, *stream, [&] { open->finish({}); });
}

TEST(PageableCopy, BehindWhatFails_IsLeftOut) {
  const auto driver = acted_driver();
  const auto stream = *driver->create_stream(0);
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(stream->wait(event).ok());
  void* const memory = *driver->allocate(0, 4);
  const float one = 1;
  std::jthread copies([&] { EXPECT_TRUE(stream->copy(memory, &one, 4).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  open->finish(Status(ErrorCode::kPeerLost, "rank 2 has gone", 2));
  copies.join();
  EXPECT_THAT(stream->synchronize().message(), HasSubstr("rank 2 has gone"));
  driver->free(memory);
}

/// That the tests of calls in streams would see it.
TEST(PageableCopy, AskedOfTheActedDriverTooEarly_IsRefused) {
  const auto driver = acted_driver();
  const CudaTable table = acted_table();
  const auto held = *driver->create_stream(0);
  const auto stream = *driver->create_stream(0);
  const auto event = *driver->create_event(0);
  SoftEvent gate;
  const auto open = gate.begin_record();
  ASSERT_TRUE(held->wait(gate).ok());
  ASSERT_TRUE(held->record(*event).ok());
  ASSERT_TRUE(stream->wait(*event).ok());
  void* const memory = *driver->allocate(0, 4);
  const float one = 1;
  const auto copy = [&] {
    return table.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(memory),
                               reinterpret_cast<CUdeviceptr>(&one), 4, native_of(*stream));
  };
  EXPECT_EQ(copy(), CUDA_ERROR_ILLEGAL_STATE);
  open->finish({});
  EXPECT_EQ(copy(), CUDA_SUCCESS);
  ASSERT_TRUE(stream->synchronize().ok());
  driver->free(memory);
}

TEST_F(Borrowed, CopyByOneHandle_WaitsForWhatHoldsAnother) {
  const auto first = borrow();
  const auto second = borrow();
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(first->wait(event).ok());
  expect_copy_waits(*driver_, *second, [&] { open->finish({}); });
}

/// A handle that is borrowed for one thing, and the next one for the next.
TEST_F(Borrowed, CopyByALaterHandle_WaitsForWhatHeldTheOneBefore) {
  const auto held = driver_->create_stream(0).value();
  const auto behind = driver_->create_event(0).value();
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(held->wait(event).ok());
  ASSERT_TRUE(held->record(*behind).ok());
  ASSERT_TRUE(borrow()->wait(*behind).ok());
  expect_copy_waits(*driver_, *borrow(), [&] { open->finish({}); });
}

TEST_F(Borrowed, FailureOfOneHandle_IsThatOfAll_UntilNoneIsLeft) {
  const Status lost(ErrorCode::kPeerLost, "rank 2 has gone", 2);
  auto first = borrow();
  auto second = borrow();
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(first->wait(event).ok());
  open->finish(lost);
  EXPECT_THAT(second->synchronize().message(), HasSubstr("rank 2 has gone"));
  EXPECT_FALSE(borrow()->synchronize().ok());
  EXPECT_TRUE(owner_->synchronize().ok()) << "others' streams know nothing of it";
  const auto behind = driver_->create_event(0).value();
  ASSERT_TRUE(first->record(*behind).ok());
  first.reset();
  second.reset();
  const auto anew = borrow();
  EXPECT_TRUE(anew->synchronize().ok()) << "events that are kept are no handles";
  EXPECT_FALSE(behind->wait().ok()) << "what was recorded behind the failure tells it all the same";
  ASSERT_TRUE(anew->record(*behind).ok());
  EXPECT_TRUE(behind->wait().ok());
}

TEST_F(Borrowed, FailureOfWhatIsStillExpected_IsThatOfTheNextHandle) {
  SoftEvent event;
  const auto open = event.begin_record();
  ASSERT_TRUE(borrow()->wait(event).ok());
  const auto next = borrow();
  open->finish(Status(ErrorCode::kPeerLost, "rank 2 has gone", 2));
  EXPECT_FALSE(next->synchronize().ok());
}

TEST_F(Borrowed, Null_IsTheDevicesDefaultStream) {
  const auto context = driver_->context(0).value();
  const CudaScope scope(*context);
  SoftEvent event;
  const auto open = event.begin_record();
  const auto stream = driver_->borrow_stream(0, nullptr).value();
  ASSERT_TRUE(stream->wait(event).ok());
  EXPECT_EQ(acted_table().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  open->finish({});
  EXPECT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(acted_table().cuStreamQuery(nullptr), CUDA_SUCCESS);
}

}  // namespace
}  // namespace rondo::device
