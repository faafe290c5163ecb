#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "core/device/driver.h"
#include "rondo/device.h"

namespace rondo::device {
namespace {

TEST(HostStream, work_runsAtOnceInTheCallingThread) {
  Stream stream(Device::host());
  std::thread::id runner;
  ASSERT_TRUE(launch(stream, [&] {
                runner = std::this_thread::get_id();
                return Status();
              }).ok());
  EXPECT_EQ(runner, std::this_thread::get_id());

  const std::vector<double> source = {0.5, -1.25, 3.75};
  std::vector<double> target(3);
  stream.copy(target.data(), source.data(), 3 * sizeof(double));
  EXPECT_EQ(target, source);
  stream.copy(nullptr, nullptr, 0);
}

TEST(HostStream, failedWork_surfacesAtSynchronizeAndInEvents) {
  Stream stream(Device::host());
  Event before(Device::host());
  Event after(Device::host());
  stream.record(before);
  ASSERT_TRUE(launch(stream, [] { return Status(ErrorCode::kInternal, "broken"); }).ok());
  bool ran = false;
  ASSERT_TRUE(launch(stream, [&] { return ran = true, Status(); }).ok());
  stream.record(after);

  EXPECT_FALSE(ran) << "what follows failed work must be skipped";
  EXPECT_NO_THROW(before.wait());
  EXPECT_TRUE(after.done());
  EXPECT_THROW(after.wait(), Error);
  EXPECT_THROW(stream.synchronize(), Error);
  Stream other(Device::host());
  other.wait(after);
  EXPECT_THROW(other.synchronize(), Error);
}

TEST(HostMemory, allocation_isAlignedToAVector) {
  const DeviceMemory memory(Device::host(), 100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
  static_cast<char*>(memory.data())[99] = 'x';
  EXPECT_EQ(DeviceMemory(Device::host(), 0).data(), nullptr);
  EXPECT_THROW(DeviceMemory(Device::host(), std::size_t{1} << 60), Error);
}

TEST(HostMemory, exportAndImport_areUnsupported) {
  DeviceDriver& driver = *driver_of(DeviceKind::kHost).value();
  EXPECT_EQ(driver.export_memory(nullptr).status().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(driver.import_memory(0, {}).status().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace rondo::device
