// NCCL with one rank on the GPU of this machine: it joins, and each of its functions does what it
// says there. (Two ranks want two GPUs: `check nccl` runs the grid of all collectives then.)

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/device/collective_library.h"
#include "core/device/driver.h"

namespace rondo::device {
namespace {

constexpr Device kFirst{DeviceKind::kCuda, 0};
// A whole number of NCCL's units: of an average among one rank its 2.28.9 leaves the last elements
// unwritten otherwise (four of 100,004). Worlds of one don't ask it.
constexpr std::size_t kCount = 131'072;

Status wait_until_ready(LibraryCommunicator& communicator) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < until) {
    RONDO_ASSIGN(const bool ready, communicator.ready());
    if (ready) return {};
    std::this_thread::yield();
  }
  return Status(ErrorCode::kTimeout, "NCCL isn't ready after a minute");
}

/// Nothing, or where the first of how many differences is.
std::string differences(const std::vector<float>& made, const std::vector<float>& expected) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (made[i] == expected[i]) continue;
    if (count++ == 0) text = fmt::format("element {} is {}, not {}", i, made[i], expected[i]);
  }
  return count == 0 ? text : fmt::format("{} of {} differ: {}", count, expected.size(), text);
}

class GpuNccl : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto driver = driver_of(kFirst);
    if (!driver.ok() || *(*driver)->device_count() == 0) GTEST_SKIP() << "there is no GPU here";
    driver_ = *driver;
    library_ = value_or_throw(driver_->collective_library());
    if (library_ == nullptr) GTEST_SKIP() << "there is no NCCL here: name it in RONDO_NCCL";
    stream_ = value_or_throw(driver_->create_stream(0));
    const LibraryId id = value_or_throw(library_->make_id());
    communicator_ = value_or_throw(library_->join(0, id, 0, 1));
    const Status joined = wait_until_ready(*communicator_);
    ASSERT_TRUE(joined.ok()) << joined.to_string();
    for (std::size_t i = 0; i < kCount; ++i) values_[i] = 0.25F * static_cast<float>(i % 1'001);
    input_ = value_or_throw(driver_->allocate(0, kCount * sizeof(float)));
    output_ = value_or_throw(driver_->allocate(0, kCount * sizeof(float)));
  }
  void TearDown() override {
    communicator_.reset();
    if (driver_ == nullptr) return;
    driver_->free(input_);
    driver_->free(output_);
  }

  /// What a call makes of the values: with one rank, themselves.
  std::vector<float> result_of(const std::function<Status(const LibraryBuffers&)>& call) {
    std::vector<float> result(kCount, -1.0F);
    const auto all = [&]() -> Status {
      const std::size_t bytes = kCount * sizeof(float);
      RONDO_TRY(stream_->copy(input_, values_.data(), bytes));
      RONDO_TRY(stream_->copy(output_, result.data(), bytes));
      RONDO_TRY(call({input_, output_, kCount, DataType::kF32}));
      RONDO_TRY(wait_until_ready(*communicator_));
      RONDO_TRY(stream_->copy(result.data(), output_, bytes));
      return stream_->synchronize();
    };
    const Status status = all();
    EXPECT_TRUE(status.ok()) << status.to_string();
    return result;
  }

  DeviceDriver* driver_ = nullptr;
  CollectiveLibrary* library_ = nullptr;
  std::shared_ptr<detail::StreamImpl> stream_;
  std::unique_ptr<LibraryCommunicator> communicator_;
  std::vector<float> values_ = std::vector<float>(kCount);
  void* input_ = nullptr;
  void* output_ = nullptr;
};

TEST_F(GpuNccl, OneRank_EveryCollectiveGivesItsOwnValues) {
  std::puts(library_->version().c_str());
  LibraryCommunicator& nccl = *communicator_;
  detail::StreamImpl& stream = *stream_;
  const auto wrong_of = [this](const std::function<Status(const LibraryBuffers&)>& call) {
    return differences(result_of(call), values_);
  };
  EXPECT_EQ(wrong_of([&](const auto& b) { return nccl.all_reduce(b, ReduceOp::kSum, stream); }),
            "");
  EXPECT_EQ(wrong_of([&](const auto& b) { return nccl.all_reduce(b, ReduceOp::kAvg, stream); }),
            "");
  EXPECT_EQ(wrong_of([&](const auto& b) { return nccl.reduce(b, ReduceOp::kMax, 0, stream); }), "");
  EXPECT_EQ(wrong_of([&](const auto& b) { return nccl.broadcast(b, 0, stream); }), "");
  EXPECT_EQ(wrong_of([&](const auto& b) { return nccl.all_gather(b, stream); }), "");
  EXPECT_EQ(
      wrong_of([&](const auto& b) { return nccl.reduce_scatter(b, ReduceOp::kProd, stream); }), "");
}

TEST_F(GpuNccl, WorkIsBehindWhatTheStreamHasBeforeIt) {
  for (int turn = 0; turn < 50; ++turn) {
    values_.assign(kCount, static_cast<float>(turn));
    EXPECT_EQ(result_of([&](const auto& b) {
                return communicator_->all_reduce(b, ReduceOp::kSum, *stream_);
              }),
              values_);
  }
}

}  // namespace
}  // namespace rondo::device
