// Calls in streams between processes, each with new memory: where the device's driver gives the old
// address again, a peer can't close the old memory while its own stream stands still at the call.
// That is told on every rank, soon, and nobody hangs in the driver. Where buffers stay, calls go
// on.

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/device.h"
#include "rondo/error.h"
#include "tests/collectives/communicator/cuda_graph.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kCount = 10'000;
constexpr std::size_t kBytes = kCount * sizeof(float);

CommunicatorOptions by_devices() {
  CommunicatorOptions options;
  options.device_path = "devices";
  return options;
}

Communicator world_of_devices() {
  return std::move(Communicator::create({{DeviceKind::kCuda, 0}}, by_devices()).front());
}

float sum_of(int turn) { return 1 + 2 * static_cast<float>(turn); }

/// Memory as another library takes it, by the driver's own functions.
class NativeMemory {
 public:
  explicit NativeMemory(std::size_t bytes) {
    EXPECT_EQ(RONDO_DRIVER_FUNCTION(cuMemAlloc)(&memory_, bytes), CUDA_SUCCESS);
  }
  NativeMemory(const NativeMemory&) = delete;
  NativeMemory& operator=(const NativeMemory&) = delete;
  ~NativeMemory() { RONDO_DRIVER_FUNCTION(cuMemFree)(memory_); }
  void* data() const { return reinterpret_cast<void*>(memory_); }

 private:
  CUdeviceptr memory_ = 0;
};

/// By `turn` and rank, whose sum is looked at.
void call_in_stream(Communicator& rank, Stream& stream, void* memory, int turn) {
  const float own = static_cast<float>(rank.rank()) + static_cast<float>(turn);
  std::vector<float> values(kCount, own);
  stream.copy(memory, values.data(), kBytes);
  rank.start(Call::all_reduce({memory, kCount, DataType::kF32, rank.device()}).on(stream));
  stream.copy(values.data(), memory, kBytes);
  stream.synchronize();
  EXPECT_THAT(values, ::testing::Each(sum_of(turn)));
}

TEST(FreedInStream, NewMemoryOfRondosEachTime_IsGood) {
  Communicator rank = world_of_devices();
  Stream stream(rank.device());
  for (int turn = 0; turn < 20; ++turn) {
    const DeviceMemory memory(rank.device(), kBytes);
    call_in_stream(rank, stream, memory.data(), turn);
  }
  rank.barrier();
}

TEST(FreedInStream, BuffersOfTheProgramsThatStay_AreGood) {
  Communicator rank = world_of_devices();
  const NativeStream current(rank.device().index);  // its device's context
  Stream stream(rank.device());
  const NativeMemory memory(kBytes);
  for (int turn = 0; turn < 20; ++turn) call_in_stream(rank, stream, memory.data(), turn);
  rank.barrier();
}

TEST(FreedInStream, NewMemoryOfTheProgramsAtTheOldAddress_IsToldAndHangsNobody) {
  Communicator rank = world_of_devices();
  const NativeStream current(rank.device().index);
  Stream stream(rank.device());
  std::string told;
  try {
    for (int turn = 0; turn < 20; ++turn) {
      const NativeMemory memory(kBytes);
      call_in_stream(rank, stream, memory.data(), turn);
    }
  } catch (const Error& error) {
    told = error.message();
  }
  EXPECT_THAT(told, ::testing::HasSubstr("has freed memory that this process had open"))
      << "or the driver gives no address again, and this shows nothing";
  std::printf("freed in stream done: rank %d of %d\n", rank.rank(), rank.size());
}

}  // namespace
}  // namespace rondo::testing
