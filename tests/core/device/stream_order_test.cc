#include "core/device/stream_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/device/driver.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<detail::StreamImpl> stream_of(Device device) {
  return driver_of(device).value()->create_stream(device.index).value();
}

TEST(StreamOrder, LeftWell_LetsTheStreamGoOn) {
  const auto stream = stream_of(Device::emulated(1));
  bool runs = false;
  const auto order = StreamOrder::enter(*stream).value();
  ASSERT_TRUE(stream->launch([&] { return runs = true, Status(); }).ok());
  EXPECT_TRUE(order->ready().wait().ok());
  EXPECT_FALSE(runs);
  order->leave({});
  EXPECT_TRUE(stream->synchronize().ok());
  EXPECT_TRUE(runs);
}

/// The call's world isn't that of whoever waits for the stream: its ranks have other numbers there.
TEST(StreamOrder, LeftWithAnError_FailsTheStreamAsADeviceOfNobodysFault) {
  for (const ErrorCode code : {ErrorCode::kTimeout, ErrorCode::kPeerLost, ErrorCode::kDevice}) {
    const auto stream = stream_of(Device::emulated(1));
    const auto order = StreamOrder::enter(*stream).value();
    const Status outcome(code, "rank 2 has not come", 2, "rank 0, lane 0");
    order->leave(outcome);
    order->leave({});
    const Status failure = stream->synchronize();
    EXPECT_EQ(failure.code(), ErrorCode::kDevice);
    EXPECT_EQ(failure.culprit(), kNoCulprit);
    EXPECT_EQ(failure.where(), "");
    EXPECT_EQ(failure.message(), "a call in a stream of emulated:1 failed: " + outcome.to_string());
  }
}

TEST(StreamOrder, NeverLeft_FailsTheStreamWhenItGoes) {
  const auto stream = stream_of(Device::emulated(1));
  ASSERT_TRUE(StreamOrder::enter(*stream).ok());
  const Status failure = stream->synchronize();
  EXPECT_EQ(failure.code(), ErrorCode::kDevice);
  EXPECT_THAT(failure.message(), HasSubstr("was given up before it was made"));
}

}  // namespace
}  // namespace rondo::device
