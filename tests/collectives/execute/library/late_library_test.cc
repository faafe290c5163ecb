// Whole collectives by a library that takes its time: what it is asked for is in the stream only
// when it says so, another time later each. Streams know nothing of it, so the runner has to ask.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/execute/library/library_runner.h"
#include "collectives/execute/library/whole_call.h"
#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/connected_rank.h"
#include "tests/collectives/execute/device/connected_ranks.h"

namespace rondo::execute {
namespace {

using device::LibraryBuffers;

constexpr int kWorld = 3;
constexpr std::size_t kCount = 500;

float* seen(const void* memory) { return static_cast<float*>(device::emulated_alias(memory)); }

/// What the ranks' kernels have in common.
struct Meeting {
  std::barrier<> barrier{kWorld};
  std::vector<const float*> inputs = std::vector<const float*>(kWorld);
};

/// Sums alone. `hasty`: it says that it is through while it isn't, as for a caller who doesn't ask.
class LateCommunicator final : public device::LibraryCommunicator {
 public:
  LateCommunicator(Meeting& meeting, int rank, unsigned seed, bool hasty)
      : meeting_(meeting), rank_(rank), random_(seed), hasty_(hasty) {}

  Result<bool> ready() override { return hasty_ || in_stream_; }
  Status all_reduce(const LibraryBuffers& buffers, ReduceOp /*op*/,
                    detail::StreamImpl& stream) override {
    in_stream_ = false;
    const auto pause = std::chrono::microseconds(std::uniform_int_distribution(0, 5'000)(random_));
    behind_ = std::jthread([this, buffers, &stream, pause] {
      // house-allow(sleep): being late is what this library is for.
      std::this_thread::sleep_for(pause);
      EXPECT_TRUE(stream.launch([this, buffers] { return sum(buffers); }).ok());
      in_stream_ = true;
    });
    return {};
  }
  Status reduce(const LibraryBuffers&, ReduceOp, int, detail::StreamImpl&) override {
    return none();
  }
  Status broadcast(const LibraryBuffers&, int, detail::StreamImpl&) override { return none(); }
  Status all_gather(const LibraryBuffers&, detail::StreamImpl&) override { return none(); }
  Status reduce_scatter(const LibraryBuffers&, ReduceOp, detail::StreamImpl&) override {
    return none();
  }
  Status send(const LibraryBuffers&, int, detail::StreamImpl&) override { return none(); }
  Status receive(const LibraryBuffers&, int, detail::StreamImpl&) override { return none(); }
  Status begin_group() override { return none(); }
  Status end_group() override { return none(); }
  void give_up() override {}

 private:
  static Status none() { return Status(ErrorCode::kUnsupported, "this library adds"); }

  /// In the stream.
  Status sum(const LibraryBuffers& buffers) {
    meeting_.inputs[static_cast<std::size_t>(rank_)] = seen(buffers.input);
    meeting_.barrier.arrive_and_wait();
    std::vector<float> sums(buffers.count);
    for (const float* input : meeting_.inputs)
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += input[i];
    meeting_.barrier.arrive_and_wait();
    std::ranges::copy(sums, seen(buffers.output));
    return {};
  }

  Meeting& meeting_;
  int rank_;
  std::mt19937 random_;
  bool hasty_;
  std::atomic<bool> in_stream_ = true;
  std::jthread behind_;
};

class LateLibrary final : public device::CollectiveLibrary {
 public:
  LateLibrary(unsigned seed, bool hasty) : seed_(seed), hasty_(hasty) {}

  std::string_view name() const override { return "late"; }
  std::string version() const override { return "late 1.0"; }
  bool needs_own_device() const override { return false; }
  bool has(device::LibraryFunction function) const override {
    return function == device::LibraryFunction::kAllReduce;
  }
  bool reduces(DataType type, ReduceOp op) const override {
    return type == DataType::kF32 && op == ReduceOp::kSum;
  }
  Result<device::LibraryId> make_id() override { return device::LibraryId(); }
  Result<std::unique_ptr<device::LibraryCommunicator>> join(int /*device*/,
                                                            const device::LibraryId& /*id*/,
                                                            int rank, int /*world*/) override {
    return std::unique_ptr<device::LibraryCommunicator>(std::make_unique<LateCommunicator>(
        meeting_, rank, seed_ * kWorld + static_cast<unsigned>(rank), hasty_));
  }

 private:
  unsigned seed_;
  bool hasty_;
  Meeting meeting_;
};

class LibraryRank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;

  /// One call's sums, as they are when it ends.
  Result<std::vector<float>> sums(device::CollectiveLibrary& library,
                                  device::DeviceDriver& driver) {
    const Device device = Device::emulated(rank_);
    DevicePlace place(device, driver);
    LibraryMember member(library, device, rank_, world_);
    RONDO_ASSIGN(void* memory, driver.allocate(device.index, kCount * sizeof(float)));
    std::fill_n(seen(memory), kCount, static_cast<float>(rank_ + 1));
    Status status = run(member, place, static_cast<std::byte*>(memory));
    std::vector<float> result(seen(memory), seen(memory) + kCount);
    // Where the call has ended too early the library still reads and writes.
    while (status.ok() && seen(memory)[0] != kSum) std::this_thread::yield();
    driver.free(memory);
    if (!status.ok()) return status;
    return result;
  }
  /// 1 + 2 + 3.
  static constexpr float kSum = 6;

 private:
  Status run(LibraryMember& member, DevicePlace& place, std::byte* memory) {
    std::vector<transport::Endpoint*> endpoints;
    for (int peer = 0; peer < world_; ++peer) endpoints.push_back(transport_->endpoint(peer));
    LibraryCall sum{.rank = rank_, .count = kCount};
    RONDO_ASSIGN(const auto runner, LibraryRunner::make(std::make_unique<WholeCall>(std::move(sum)),
                                                        member, place, endpoints, false));
    const transport::Call call{++sequence_, 1, {.collective = 1}};
    return runner->run(call, {.input = memory, .output = memory},
                       {rank_, waiter_.get(), {}, 20'000});
  }

  std::uint64_t sequence_ = 0;
};

/// How many of `seeds` calls end before the sums are there; of a hasty library, until one does.
int wrong_calls(unsigned seeds, bool hasty) {
  auto ranks = connected<LibraryRank>(transport::TransportKind::kInproc, kWorld);
  int wrong = 0;
  for (unsigned seed = 0; seed < seeds && !(hasty && wrong > 0); ++seed) {
    const auto driver = device::make_emulated_driver(
        {.memory_bytes = std::size_t{1} << 20, .lateness = {.seed = seed, .longest_us = 100}});
    LateLibrary library(seed, hasty);
    std::atomic<bool> right = true;
    each<LibraryRank>(ranks, [&](LibraryRank& rank, std::size_t) {
      const auto sums = rank.sums(library, *driver);
      EXPECT_TRUE(sums.ok()) << sums.status().to_string();
      if (!sums.ok() || *sums != std::vector<float>(kCount, LibraryRank::kSum)) right = false;
    });
    if (!right) ++wrong;
  }
  return wrong;
}

TEST(LateLibrary, EverySeed_HasTheSums) { EXPECT_EQ(wrong_calls(100, false), 0); }
TEST(LateLibrary, WithoutTheWaitForTheLibrary_IsWrong) { EXPECT_GT(wrong_calls(100, true), 0); }

}  // namespace
}  // namespace rondo::execute
