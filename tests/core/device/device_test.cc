#include "rondo/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/device/driver.h"
#include "core/device/emulated/emulated.h"
#include "rondo/error.h"

namespace rondo {
namespace {

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kOk;
}

TEST(Device, kinds_havePrintedNames) {
  EXPECT_STREQ(to_string(DeviceKind::kHost), "host");
  EXPECT_STREQ(to_string(DeviceKind::kEmulated), "emulated");
  EXPECT_STREQ(to_string(DeviceKind::kCuda), "cuda");
}

TEST(Device, counts_areOneHostAndFourEmulated) {
  EXPECT_EQ(device_count(DeviceKind::kHost), 1);
  EXPECT_EQ(device_count(DeviceKind::kEmulated), 4);
}

TEST(Device, missingDevice_throwsByCause) {
  EXPECT_EQ(code_of([] { const Stream stream(Device::emulated(99)); }),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] {
              const Event event({DeviceKind::kHost, 7});
            }),
            ErrorCode::kInvalidArgument);
}

/// The same story on every kind that can be there without hardware.
class PublicDevice : public ::testing::TestWithParam<Device> {};

TEST_P(PublicDevice, copyThereAndBack_keepsTheBytes) {
  const std::vector<float> source = {0.1F, -2.5F, 1e30F, -0.0F};
  const std::size_t bytes = source.size() * sizeof(float);
  const DeviceMemory memory(GetParam(), bytes);
  EXPECT_EQ(memory.bytes(), bytes);
  EXPECT_EQ(memory.device(), GetParam());
  std::vector<float> target(source.size());
  Stream stream(GetParam());
  Event event(GetParam());
  stream.copy(memory.data(), source.data(), bytes);
  stream.copy(target.data(), memory.data(), bytes);
  stream.record(event);
  event.wait();
  EXPECT_TRUE(event.done());
  EXPECT_EQ(target, source);
}

TEST_P(PublicDevice, failedWork_throwsDeviceAtSynchronizeAndWait) {
  Stream stream(GetParam());
  Event event(GetParam());
  ASSERT_TRUE(device::launch(stream, [] { return Status(ErrorCode::kTimeout, "late"); }).ok());
  stream.record(event);
  EXPECT_EQ(code_of([&] { event.wait(); }), ErrorCode::kDevice);
  EXPECT_EQ(code_of([&] { stream.synchronize(); }), ErrorCode::kDevice);
}

TEST_P(PublicDevice, eventOfAnotherDevice_canBeWaitedForButNotRecorded) {
  Stream stream(GetParam());
  Stream other(Device::emulated(3));
  Event event(Device::emulated(3));
  EXPECT_EQ(code_of([&] { stream.record(event); }), ErrorCode::kInvalidArgument);
  int value = 0;
  ASSERT_TRUE(device::launch(other, [&] { return value = 1, Status(); }).ok());
  other.record(event);
  int seen = 0;
  stream.wait(event);
  ASSERT_TRUE(device::launch(stream, [&] { return seen = value, Status(); }).ok());
  stream.synchronize();
  EXPECT_EQ(seen, 1);
}

TEST_P(PublicDevice, copiedHandles_shareOneBlock) {
  DeviceMemory first(GetParam(), 64);
  const DeviceMemory second = first;
  EXPECT_EQ(first.data(), second.data());
  first = DeviceMemory(GetParam(), 32);
  EXPECT_NE(first.data(), second.data());
}

INSTANTIATE_TEST_SUITE_P(Kinds, PublicDevice,
                         ::testing::Values(Device::host(), Device::emulated(0),
                                           Device::emulated(1)),
                         [](const auto& suite) {
                           return std::string(to_string(suite.param.kind)) +
                                  std::to_string(suite.param.index);
                         });

TEST(DeviceMemory, lastHandleGone_freesTheMemory) {
  void* address = nullptr;
  {
    const DeviceMemory memory(Device::emulated(2), 64);
    address = memory.data();
    EXPECT_NE(device::emulated_alias(address), nullptr);
  }
  EXPECT_EQ(device::emulated_alias(address), nullptr);
}

}  // namespace
}  // namespace rondo
