// Memory that isn't of the driver's plain kind, and memory that is short.

#include "core/device/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

#include "core/device/soft_event.h"
#include "core/device/stream.h"
#include "rondo/allocator.h"
#include "tests/core/device/cuda/acted_driver.h"
#include "tests/core/scoped_variable.h"

namespace rondo::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

bool becomes_true(const std::atomic<bool>& flag) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!flag && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return flag;
}

/// Whose memory is a DeviceMemory, which goes back in turn.
class ProgramsMemory : public ::testing::Test {
 protected:
  ProgramsMemory() { set_programs(); }
  ~ProgramsMemory() override { set_allocator({}); }
  static void set_programs() {
    is_back = false;
    set_allocator({.allocate = [](Device where, std::size_t bytes) -> void* {
                     pool = std::make_shared<DeviceMemory>(where, bytes);
                     return pool->data();
                   },
                   .release =
                       [](Device, void*, std::size_t) {
                         pool.reset();
                         is_back = true;
                       }});
  }
  /// The stream stands still until what it returns is finished.
  std::shared_ptr<Completion> stand_still() {
    auto open = event_.begin_record();
    EXPECT_TRUE(detail::DeviceAccess::stream(stream_).wait(event_).ok());
    return open;
  }

  static inline std::atomic<bool> is_back = false;
  static inline std::shared_ptr<DeviceMemory> pool;
  const ScopedVariable driver_{"RONDO_CUDA_DRIVER", FAKE_CUDA};
  const Device device_{DeviceKind::kCuda, 0};
  Stream stream_{device_};
  SoftEvent event_;
};

/// A pool, or cudaFree, may not have it while a kernel that was given up may still write there; and
/// cudaFree would wait for a stream that stands still.
TEST_F(ProgramsMemory, OfACudaDevice_GoesBackToTheProgramOnceNothingWaits) {
  auto memory = allocate_memory(device_, 4'096).value();
  const auto open = stand_still();
  memory.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_back);
  open->finish({});
  EXPECT_TRUE(becomes_true(is_back));
  stream_.synchronize();
  memory = allocate_memory(device_, 4'096).value();
  is_back = false;
  memory.reset();
  EXPECT_TRUE(is_back) << "nothing waits: at once, whatever Rondo's thread is at";
}

TEST_F(ProgramsMemory, OnItsWayBack_IsWaitedForByWhoSetsAnotherAllocator) {
  bool is_awaited = false;
  for (int tries = 0; tries < 5 && !is_awaited; ++tries) {  // `late` may stand still for longer
    set_programs();
    auto memory = allocate_memory(device_, 4'096).value();
    const auto open = stand_still();
    memory.reset();
    std::jthread late([&open] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      open->finish({});
    });
    set_allocator({});
    is_awaited = is_back;
    late.join();
    ASSERT_TRUE(becomes_true(is_back)) << "or it would be taken for the next one's";
  }
  EXPECT_TRUE(is_awaited);
}

TEST_F(ProgramsMemory, ThatDoesNotComeBack_IsNotWaitedForForEver) {
  auto memory = allocate_memory(device_, 4'096).value();
  const auto open = stand_still();
  memory.reset();
  set_allocator({});
  EXPECT_FALSE(is_back);
  open->finish({});
  EXPECT_TRUE(becomes_true(is_back));
}

/// Addresses as the driver tells of them: two pieces of a mapping, of device 0, and behind a gap
/// something from a pool of device 1.
constexpr std::uint64_t kPieces = 0x10000;
constexpr std::uint64_t kPieceBytes = 0x1000;
constexpr std::uint64_t kPooled = 0x20000;
unsigned int access_flags = 0;

void answer_of_pieces(CUpointer_attribute attribute, void* value, std::uint64_t address) {
  const bool is_piece = address >= kPieces && address < kPieces + 2 * kPieceBytes;
  const bool is_pooled = address >= kPooled && address < kPooled + kPieceBytes;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned int*>(value) = is_piece || is_pooled ? CU_MEMORYTYPE_DEVICE : 0;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(value) = is_pooled ? 1 : 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(value) = address / kPieceBytes * kPieceBytes;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<std::size_t*>(value) = kPieceBytes; break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      *static_cast<CUmemoryPool*>(value) =
          is_pooled ? reinterpret_cast<CUmemoryPool>(kPooled) : nullptr;
      break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      *static_cast<unsigned int*>(value) = access_flags;
      break;
    default: break;  // neither managed, nor for other processes
  }
}

CudaTable table_of_pieces() {
  CudaTable table = acted_table();
  table.cuPointerGetAttributes = [](unsigned int count, CUpointer_attribute* attributes,
                                    void** values, CUdeviceptr address) {
    for (unsigned int i = 0; i < count; ++i) answer_of_pieces(attributes[i], values[i], address);
    return CUDA_SUCCESS;
  };
  return table;
}

const void* at(std::uint64_t address) { return reinterpret_cast<const void*>(address); }

TEST(MappedMemory, OfSeveralPieces_IsOne) {
  const auto driver = value_or_throw(CudaDriver::make(table_of_pieces()));
  EXPECT_TRUE(driver->check_memory(0, at(kPieces), 2 * kPieceBytes).ok());
  EXPECT_TRUE(driver->check_memory(0, at(kPieces + 100), 2 * kPieceBytes - 100).ok());
  EXPECT_THAT(driver->check_memory(0, at(kPieces + 100), 2 * kPieceBytes).message(),
              AllOf(HasSubstr("go past the end"), HasSubstr("of 8192 bytes")));
  EXPECT_THAT(driver->check_memory(1, at(kPooled), kPieceBytes + 1).message(),
              HasSubstr("go past the end"));
  EXPECT_THAT(driver->check_memory(0, at(kPieces), ~std::size_t{0}).message(),
              HasSubstr("go past the end"));
  EXPECT_THAT(driver->export_memory(at(kPieces)).status().message(),
              HasSubstr("PyTorch's expandable_segments"));
}

TEST(PooledMemory, OfAnotherDevice_IsReachedWhereItsOwnerSaysSo) {
  const auto driver = value_or_throw(CudaDriver::make(table_of_pieces()));
  EXPECT_TRUE(driver->reach(1, at(kPooled)).ok()) << "its own";
  access_flags = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ;
  const Status refused = driver->reach(0, at(kPooled));
  EXPECT_EQ(refused.code(), ErrorCode::kDevice);
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("cuda:0 may not use"), HasSubstr("cuMemSetAccess"),
                                       HasSubstr("RONDO_DEVICE_PATH=host")));
  access_flags = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
  EXPECT_TRUE(driver->reach(0, at(kPooled)).ok());
}

int streams_refused = 0;
std::atomic<int> memories_freed = 0;  ///< by a thread of Rondo's, too
CUresult refusal = CUDA_SUCCESS;

/// A stream takes memory of the device, which is all with what peers may have open: it is refused
/// until some has been freed.
class KeptMemory : public ::testing::Test {
 protected:
  KeptMemory() {
    streams_refused = memories_freed = 0;
    refusal = CUDA_ERROR_OUT_OF_MEMORY;
  }
  static CudaTable short_table() {
    static auto free_memory = CudaTable().cuMemFree;
    static auto create_stream = CudaTable().cuStreamCreate;
    CudaTable table = acted_table();
    free_memory = table.cuMemFree;
    create_stream = table.cuStreamCreate;
    table.cuMemFree = [](CUdeviceptr memory) {
      ++memories_freed;
      return free_memory(memory);
    };
    table.cuStreamCreate = [](CUstream* stream, unsigned int flags) {
      if (memories_freed > 0) return create_stream(stream, flags);
      ++streams_refused;
      return refusal;
    };
    return table;
  }
  /// Something that the program has freed, and that peers may have open.
  void keep() {
    void* const memory = *driver_->allocate(0, 64);
    driver_->keep(driver_->export_memory(memory).value());
    driver_->free(memory);
    EXPECT_EQ(memories_freed, 0);
  }

  const std::unique_ptr<CudaDriver> driver_ = value_or_throw(CudaDriver::make(short_table()));
};

TEST_F(KeptMemory, IsGivenBackWhereAStreamFindsNone) {
  EXPECT_FALSE(driver_->create_stream(0).ok());
  EXPECT_EQ(streams_refused, 1) << "nothing is kept: once";
  keep();
  EXPECT_TRUE(driver_->create_stream(0).ok());
  EXPECT_EQ(memories_freed, 1);
}

TEST_F(KeptMemory, IsGivenBackOnceTheCallUnderWayHasEnded) {
  const auto context = driver_->context(0).value();
  bool is_made = false;
  for (int tries = 0; tries < 5 && !is_made; ++tries) {  // `ends` may stand still for longer
    memories_freed = 0;
    keep();
    auto hold = context->hold();
    std::jthread ends([&hold] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      hold.reset();
    });
    is_made = driver_->create_stream(0).ok();
    ends.join();
    context->wait_for_put_off(std::chrono::seconds(20));
  }
  EXPECT_TRUE(is_made);
  EXPECT_EQ(memories_freed, 1);
}

TEST_F(KeptMemory, StaysWhereTheDriverIsShortOfSomethingElse) {
  keep();
  refusal = CUDA_ERROR_UNKNOWN;
  EXPECT_FALSE(driver_->create_stream(0).ok());
  EXPECT_EQ(streams_refused, 1);
  EXPECT_EQ(memories_freed, 0);
}

}  // namespace
}  // namespace rondo::device
