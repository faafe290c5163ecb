#include "core/device/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/device/emulated/emulated.h"
#include "core/device/missing.h"
#include "tests/core/scoped_variable.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

TEST(DriverOf, everyKind_hasOneDriverForGood) {
  for (const DeviceKind kind : {DeviceKind::kHost, DeviceKind::kEmulated, DeviceKind::kCuda}) {
    DeviceDriver* driver = driver_of(kind).value();
    ASSERT_NE(driver, nullptr) << to_string(kind);
    EXPECT_EQ(driver_of(kind).value(), driver);
  }
}

TEST(DriverOf, unknownIndex_saysHowManyThereAre) {
  const Status status = driver_of(Device{DeviceKind::kHost, 1}).status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("host:1"));
  EXPECT_FALSE(driver_of(Device::emulated(-1)).ok());
  EXPECT_FALSE(driver_of(Device::emulated(1'000)).ok());
}

TEST(DriverOf, unknownKind_listsThoseThereAre) {
  const Status status = driver_of(static_cast<DeviceKind>(99)).status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "there is no kind of device with number 99: expected 0 (host), 1 (emulated), 2 (cuda), "
            "or that of a plug-in that RONDO_DEVICE_PLUGINS names");
}

TEST(MissingDriver, Everything_SaysWhyThereIsNone) {
  MissingDriver driver(Status(ErrorCode::kUnsupported, "configure it with -DRONDO_CUDA=ON"));
  EXPECT_EQ(driver.device_count().value(), 0);
  EXPECT_FALSE(driver.check_memory(0, nullptr, 0).ok());
  for (const Status& status :
       {driver.allocate(0, 1).status(), driver.create_stream(0).status(),
        driver.create_event(0).status(), driver.export_memory(nullptr).status(),
        driver.import_memory(0, {}).status(), driver.import_event(0, {}).status()}) {
    EXPECT_EQ(status.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(status.message(), HasSubstr("-DRONDO_CUDA=ON"));
  }
}

TEST(StreamError, anyCode_becomesDeviceAndKeepsTheStory) {
  const Status wrapped = stream_error(Device::emulated(2), Status(ErrorCode::kTimeout, "late", 5));
  EXPECT_EQ(wrapped.code(), ErrorCode::kDevice);
  EXPECT_EQ(wrapped.culprit(), 5);
  EXPECT_EQ(wrapped.message(), "work in a stream of emulated:2 failed: Timeout: late");
  EXPECT_EQ(stream_error(Device::emulated(3), wrapped).message(), wrapped.message());
  EXPECT_TRUE(stream_error(Device::host(), {}).ok());
}

TEST(EmulatedOptions, unset_areFourDevicesWithSmallPauses) {
  const EmulatedOptions options = read_emulated_options().value();
  EXPECT_EQ(options.devices, 4);
  EXPECT_EQ(options.lateness.longest_us, 200);
}

TEST(EmulatedOptions, variables_areRead) {
  const ScopedVariable devices("RONDO_EMULATED_DEVICES", "9");
  const ScopedVariable seed("RONDO_EMULATED_SEED", "77");
  const ScopedVariable delay("RONDO_EMULATED_DELAY_US", "0");
  const ScopedVariable memory("RONDO_EMULATED_MEMORY_MIB", "3");
  const ScopedVariable rate("RONDO_EMULATED_COPY_MBPS", "2500");
  const ScopedVariable kernel("RONDO_EMULATED_KERNEL_US", "17");
  const ScopedVariable faults("RONDO_EMULATED_FAULTS", "copy:5,import:1");
  const EmulatedOptions options = read_emulated_options().value();
  EXPECT_EQ(options.devices, 9);
  EXPECT_EQ(options.lateness.seed, 77U);
  EXPECT_EQ(options.lateness.longest_us, 0);
  EXPECT_EQ(options.memory_bytes, std::size_t{3} << 20);
  EXPECT_EQ(options.pace.copy_bytes_per_us, 2500);
  EXPECT_EQ(options.pace.kernel_us, 17);
  EXPECT_THAT(options.faults.failing, ::testing::ElementsAre(0, 5, 0, 0, 0, 0, 1));
}

TEST(EmulatedOptions, badVariable_isNamed) {
  const ScopedVariable devices("RONDO_EMULATED_DEVICES", "many");
  const Status status = read_emulated_options().status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("RONDO_EMULATED_DEVICES=\"many\""));
}

TEST(EmulatedOptions, badFaults_sayWhatTheyCanBe) {
  for (const char* text : {"copy", "copy:", "copy:0", "copy:-1", "copy:1x", "fly:1", "copy:1;"}) {
    const ScopedVariable faults("RONDO_EMULATED_FAULTS", text);
    const Status status = read_emulated_options().status();
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(status.message(), HasSubstr("as in copy:5,import:1, of allocate, copy, kernel"));
  }
}

}  // namespace
}  // namespace rondo::device
