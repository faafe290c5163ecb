#include "core/device/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "rondo/allocator.h"

namespace rondo::device {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What was asked for and what came back, in order.
struct Ledger {
  std::vector<std::size_t> allocated;
  std::vector<std::size_t> released;
};

Allocator counted(Ledger& ledger) {
  return {.allocate = [&ledger](Device, std::size_t bytes) -> void* {
            ledger.allocated.push_back(bytes);
            return std::aligned_alloc(kMemoryAlignment, (bytes + 63) / 64 * 64);
          },
          .release =
              [&ledger](Device, void* memory, std::size_t bytes) {
                ledger.released.push_back(bytes);
                std::free(memory);
              }};
}

class Memory : public testing::Test {
 protected:
  ~Memory() override { set_allocator({}); }

  static Status refused(Device device, std::size_t bytes = 100) {
    return allocate_memory(device, bytes).status();
  }
};

TEST_F(Memory, withoutAnAllocator_isTheDrivers) {
  const auto memory = allocate_memory(Device::host(), 100).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % kMemoryAlignment, 0U);
  memory[99] = std::byte{7};
  EXPECT_EQ(allocate_memory(Device::host(), 0).value(), nullptr);
  const Status none = refused(Device::host(), std::size_t{1} << 60);
  EXPECT_EQ(none.code(), ErrorCode::kSystem);
  EXPECT_THAT(none.message(), HasSubstr("1152921504606846976 bytes on host:0"));
  EXPECT_EQ(refused({DeviceKind::kEmulated, 99}).code(), ErrorCode::kInvalidArgument);
}

TEST_F(Memory, goesBackToTheAllocatorItCameFrom) {
  Ledger first, second;
  set_allocator(counted(first));
  auto memory = allocate_memory(Device::host(), 100).value();
  set_allocator(counted(second));
  auto more = allocate_memory(Device::host(), 200).value();
  set_allocator({});
  auto own = allocate_memory(Device::host(), 300).value();
  EXPECT_EQ(allocate_memory(Device::host(), 0).value(), nullptr);
  memory = more = own = nullptr;
  EXPECT_EQ(first.allocated, std::vector<std::size_t>{100});
  EXPECT_EQ(first.released, std::vector<std::size_t>{100});
  EXPECT_EQ(second.allocated, std::vector<std::size_t>{200});
  EXPECT_EQ(second.released, std::vector<std::size_t>{200});
}

TEST_F(Memory, ofADevice_isAskedForWithItsName) {
  Device asked = Device::host();
  std::vector<DeviceMemory> given;
  set_allocator({.allocate = [&](Device device, std::size_t bytes) -> void* {
                   asked = device;
                   return given.emplace_back(device, bytes).data();
                 },
                 .release = [&](Device, void*, std::size_t) { given.clear(); }});
  auto memory = allocate_memory(Device::emulated(1), 5000).value();
  EXPECT_EQ(asked, Device::emulated(1));
  EXPECT_EQ(memory.get(), given.front().data());
  memory = nullptr;
  EXPECT_TRUE(given.empty());
}

TEST_F(Memory, thatIsOfNoUse_isRefusedAndGivenBack) {
  alignas(64) static char block[256];
  int released = 0;
  const auto give = [&](void* memory) {
    set_allocator({.allocate = [memory](Device, std::size_t) { return memory; },
                   .release = [&](Device, void*, std::size_t) { ++released; }});
  };
  give(block + 8);
  const Status crooked = refused(Device::host());
  EXPECT_EQ(crooked.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(crooked.message(),
              AllOf(HasSubstr("program's allocator"), HasSubstr("multiple of 64")));
  EXPECT_EQ(released, 1);
  give(block);
  const Status elsewhere = refused(Device::emulated(0));
  EXPECT_EQ(elsewhere.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(elsewhere.where(), HasSubstr("program's allocator"));
  EXPECT_EQ(released, 2);
  give(nullptr);
  EXPECT_EQ(refused(Device::host()).code(), ErrorCode::kSystem);
  EXPECT_EQ(refused(Device::emulated(0)).code(), ErrorCode::kDevice);
  EXPECT_EQ(released, 2) << "there was nothing to give back";
}

TEST_F(Memory, ofAnAllocatorThatThrows_isNone) {
  alignas(64) static char block[256];
  bool throws = true;
  set_allocator({.allocate = [&](Device, std::size_t) -> void* {
                   if (throws) throw std::runtime_error("the pool is closed");
                   return block;
                 },
                 .release = [](Device, void*, std::size_t) { throw 7; }});
  EXPECT_THAT(refused(Device::host()).message(), HasSubstr("gave no 100 bytes"));
  throws = false;
  EXPECT_TRUE(refused(Device::host()).ok()) << "what release throws is logged, not passed on";
}

TEST_F(Memory, allocatorWithOneFunction_isRefused) {
  EXPECT_THROW(set_allocator({.allocate = [](Device, std::size_t) -> void* { return nullptr; },
                              .release = {}}),
               Error);
  EXPECT_THROW(set_allocator({.allocate = {}, .release = [](Device, void*, std::size_t) {}}),
               Error);
  EXPECT_TRUE(refused(Device::host()).ok());
}

}  // namespace
}  // namespace rondo::device
