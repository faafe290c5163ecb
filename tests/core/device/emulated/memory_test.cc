#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/device/emulated/emulated.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kMemoryBytes = std::size_t{1} << 20;

std::unique_ptr<DeviceDriver> make_driver(int devices = 2) {
  return make_emulated_driver(
      {.devices = devices, .memory_bytes = kMemoryBytes, .lateness = {.longest_us = 20}});
}

char* alias(void* pointer) { return static_cast<char*>(emulated_alias(pointer)); }

TEST(EmulatedMemoryDeathTest, hostTouch_faults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const DeviceMemory memory(Device::emulated(0), 64);
  EXPECT_DEATH(*static_cast<volatile char*>(memory.data()) = 1, "");
  EXPECT_DEATH(
      {
        const char seen = *static_cast<volatile char*>(memory.data());
        std::_Exit(seen == 0 ? 0 : 1);
      },
      "");
}

TEST(EmulatedMemory, alias_isTheSameMemoryElsewhere) {
  const auto driver = make_driver();
  void* pointer = driver->allocate(0, 5'000).value();
  ASSERT_NE(alias(pointer), nullptr);
  EXPECT_NE(static_cast<void*>(alias(pointer)), pointer);
  alias(pointer)[4'999] = 'z';
  EXPECT_EQ(*alias(static_cast<char*>(pointer) + 4'999), 'z');
  EXPECT_EQ(emulated_alias(static_cast<char*>(pointer) + 5'000), nullptr);
  int host = 0;
  EXPECT_EQ(emulated_alias(&host), nullptr);
}

TEST(EmulatedMemory, outOfMemory_namesRequestAndWhatIsLeft) {
  const auto driver = make_driver();
  void* half = driver->allocate(1, kMemoryBytes / 2).value();
  const Status status = driver->allocate(1, kMemoryBytes).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), HasSubstr("emulated:1 is out of memory"));
  EXPECT_THAT(status.message(), HasSubstr(std::to_string(kMemoryBytes / 2)));
  EXPECT_TRUE(driver->allocate(0, kMemoryBytes).ok()) << "devices have memory of their own";
  driver->free(half);
  EXPECT_TRUE(driver->allocate(1, kMemoryBytes).ok());
}

TEST(EmulatedMemory, freed_hasNoAliasAndItsPagesAreGivenBack) {
  const auto driver = make_driver();
  void* pointer = driver->allocate(0, 64).value();
  *alias(pointer) = 'x';
  driver->free(pointer);
  EXPECT_EQ(emulated_alias(pointer), nullptr);
  ASSERT_EQ(driver->allocate(0, 64).value(), pointer);
  EXPECT_EQ(*alias(pointer), '\0');
}

TEST(EmulatedMemory, pointers_areToldWhatTheyAre) {
  const auto driver = make_driver();
  void* const memory = driver->allocate(1, 64).value();
  const float host = 0;
  EXPECT_TRUE(driver->check_memory(1, memory, 64).ok());
  EXPECT_EQ(driver->check_memory(0, memory, 64).code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(driver->check_memory(0, memory, 64).message(),
              AllOf(HasSubstr("as memory of emulated:0, but is memory of emulated:1"),
                    HasSubstr("name the place")));
  EXPECT_THAT(driver->check_memory(1, memory, 65).message(), HasSubstr("past the end"));
  EXPECT_THAT(driver->check_memory(1, &host, 4).message(), HasSubstr("belongs to no emulated"));
  driver->free(memory);
  EXPECT_THAT(driver->check_memory(1, memory, 64).message(), HasSubstr("was freed"));
}

TEST(EmulatedMemory, unknownIndexOrNoBytes_isAnErrorOrNull) {
  const auto driver = make_driver(1);
  EXPECT_EQ(driver->allocate(1, 64).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->allocate(-1, 64).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->create_stream(1).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->allocate(0, 0).value(), nullptr);
}

}  // namespace
}  // namespace rondo::device
