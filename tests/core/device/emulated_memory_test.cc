#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>

#include "core/device/emulated.h"

namespace rondo::device {
namespace {

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

TEST(EmulatedMemory, unknownIndexOrNoBytes_isAnErrorOrNull) {
  const auto driver = make_driver(1);
  EXPECT_EQ(driver->allocate(1, 64).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->allocate(-1, 64).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->create_stream(1).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(driver->allocate(0, 0).value(), nullptr);
}

TEST(EmulatedExport, importedInAnotherProcess_isTheSameMemory) {
  const auto driver = make_driver();
  void* memory = driver->allocate(0, 9'000).value();
  char* inside = static_cast<char*>(memory) + 4'321;
  const ExportedMemory exported = driver->export_memory(inside).value();
  EXPECT_EQ(exported.bytes, 9'000U - 4'321U);
  std::strcpy(alias(inside), "from the parent");

  const pid_t child = ::fork();
  if (child == 0) {
    const auto peer = make_driver();
    const auto imported = peer->import_memory(1, exported);
    if (!imported.ok() || imported.value() == inside) std::_Exit(2);
    char* seen = alias(imported.value());
    const bool equal = std::strcmp(seen, "from the parent") == 0;
    std::strcpy(seen, "from the child");
    std::_Exit(equal ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_STREQ(alias(inside), "from the child");
}

TEST(EmulatedExport, imported_isKnownToStreamsUntilItIsReleased) {
  const auto driver = make_driver();
  void* memory = driver->allocate(0, 64).value();
  std::strcpy(alias(memory), "seen twice");
  void* imported = driver->import_memory(1, driver->export_memory(memory).value()).value();
  const auto stream = driver->create_stream(1).value();
  std::string host(10, ' ');
  ASSERT_TRUE(stream->copy(host.data(), imported, host.size()).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(host, "seen twice");
  driver->release_imported(imported);
  EXPECT_EQ(emulated_alias(imported), nullptr);
}

TEST(EmulatedExport, whatIsNotAllocated_cantBeExported) {
  const auto driver = make_driver();
  char host = 0;
  EXPECT_EQ(driver->export_memory(&host).status().code(), ErrorCode::kInvalidArgument);
  void* pointer = driver->allocate(0, 64).value();
  driver->free(pointer);
  EXPECT_EQ(driver->export_memory(pointer).status().code(), ErrorCode::kInvalidArgument);
}

TEST(EmulatedExport, numbersThatDontFitTheDescriptor_areRefused) {
  const auto driver = make_driver();
  ExportedMemory memory = driver->export_memory(driver->allocate(0, 64).value()).value();
  memory.bytes = kMemoryBytes + 1;
  EXPECT_EQ(driver->import_memory(0, memory).status().code(), ErrorCode::kInvalidArgument);
  memory.offset_bytes = ~std::size_t{0};
  memory.bytes = 2;
  EXPECT_EQ(driver->import_memory(0, memory).status().code(), ErrorCode::kInvalidArgument);
  memory.descriptor.reset();
  EXPECT_EQ(driver->import_memory(0, memory).status().code(), ErrorCode::kSystem);
}

TEST(EmulatedExport, descriptor_cantBeShrunkUnderItsImporters) {
  const auto driver = make_driver();
  const ExportedMemory memory = driver->export_memory(driver->allocate(0, 64).value()).value();
  EXPECT_NE(::ftruncate(memory.descriptor.get(), 0), 0);
}

}  // namespace
}  // namespace rondo::device
