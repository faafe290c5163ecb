// Calls in streams between processes, each with new memory: where the device's driver gives the old
// address again, a peer can't close the old memory while its own stream stands still at the call.
// That is told on every rank, soon, and nobody hangs in the driver. Where buffers stay, calls go
// on; and where it is another call that a stream stands still at, once that has ended. Calls are
// made as RONDO_TEST_PATH says: by the hosts, on one device (devices), or by one kernel a rank
// (kernel), each with its own.

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/device.h"
#include "rondo/error.h"
#include "tests/collectives/communicator/cuda_graph.h"
#include "tests/collectives/communicator/own_device.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kCount = 10'000;
constexpr std::size_t kBytes = kCount * sizeof(float);

Communicator world_of_devices() {
  const char* const path = std::getenv("RONDO_TEST_PATH");
  CommunicatorOptions options;
  options.device_path = path == nullptr ? "devices" : path;
  const Device own = options.device_path == "kernel" ? own_device() : Device{DeviceKind::kCuda, 0};
  return std::move(Communicator::create({own}, options).front());
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

/// Two communicators. In the first one a call was made on memory that has been freed since, and
/// other memory of the program's lies at its address now. In a stream of rank 1 a call of the
/// second one is under way, so that the old memory is still open there, until rank 0 makes it, too.
class FreedUnderAnothersCall {
 public:
  FreedUnderAnothersCall() {
    memory_.emplace(kBytes);
    call(60'000);
    void* const before = memory_->data();
    memory_.reset();
    memory_.emplace(kBytes);
    EXPECT_EQ(memory_->data(), before) << "or this shows nothing";
    rank_.barrier();
    if (!is_late()) start_others();
  }
  FreedUnderAnothersCall(const FreedUnderAnothersCall&) = delete;
  FreedUnderAnothersCall& operator=(const FreedUnderAnothersCall&) = delete;
  ~FreedUnderAnothersCall() {
    stream_.synchronize();
    others_.barrier();
  }
  bool is_late() const { return rank_.rank() == 0; }
  void call(int limit_ms) {
    rank_.run(Call::all_reduce({memory_->data(), kCount, DataType::kF32, rank_.device()})
                  .within(limit_ms));
  }
  void start_others() {
    others_.start(Call::all_reduce({held_.data(), kCount, DataType::kF32, rank_.device()})
                      .on(stream_)
                      .within(60'000));
  }
  /// Once the others' call is under way on all ranks.
  bool is_so_for_all(bool own) {
    float others = own ? 0 : 1;
    others_.all_reduce({&others, 1, DataType::kF32});
    return others == 0;
  }

 private:
  Communicator rank_ = world_of_devices();
  Communicator others_ = world_of_devices();
  const NativeStream current_{rank_.device().index};
  Stream stream_{rank_.device()};
  const DeviceMemory held_{rank_.device(), kBytes};
  std::optional<NativeMemory> memory_;
};

/// What the call ends with; empty where it ends well.
std::string error_of(FreedUnderAnothersCall& ranks, int limit_ms) {
  try {
    ranks.call(limit_ms);
    return {};
  } catch (const Error& error) {
    return error.message();
  }
}

TEST(FreedUnderAnothersCall, NextCall_GoesOnWhenThatOneHasEnded) {
  std::string told;
  for (int tries = 0; tries < 5; ++tries) {  // `late` may stand still for longer than is waited
    FreedUnderAnothersCall ranks;
    std::jthread late([&ranks] {
      if (!ranks.is_late()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      ranks.start_others();
    });
    told = error_of(ranks, 60'000);
    late.join();
    if (ranks.is_so_for_all(told.empty())) break;
  }
  EXPECT_EQ(told, "");
}

/// If the peer has told all by then; where it is late itself, that is what is said.
TEST(FreedUnderAnothersCall, NextCallWhoseDeadlineIsOver_SaysWhy) {
  constexpr const char* kWhy = "rank 0 has freed memory that this process had open";
  std::string told;
  for (int tries = 0; tries < 5; ++tries) {
    FreedUnderAnothersCall ranks;
    told = error_of(ranks, ranks.is_late() ? 60'000 : 500);
    if (ranks.is_late()) ranks.start_others();
    if (ranks.is_so_for_all(told.find(kWhy) != std::string::npos)) break;
  }
  EXPECT_THAT(told, ::testing::HasSubstr("after 500 ms"));
  EXPECT_THAT(told, ::testing::HasSubstr(kWhy));
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
