// Calls in a stream that another communicator's call has failed, or fails while they wait for their
// turn behind it: all ranks' calls fail, also those of ranks that never speak with the one whose
// stream it is, and that one is to blame. Where the other's call ends well they go on. To be
// started by a launcher, on the kind of device that RONDO_TEST_DEVICE names, and by the way that
// RONDO_DEVICE_PATH names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/device.h"
#include "rondo/error.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/own_device.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t kCount = 1'000;
/// Whose stream fails.
constexpr int kCulprit = 0;

/// Nothing, where there is none.
std::optional<Error> error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

class FailedStream : public ::testing::Test {
 protected:
  FailedStream()
      : all_(Communicator::create({}, own_device())),
        pair_(all_.split(is_in_pair() ? std::optional(0) : std::nullopt)),
        first_(all_.device(), kCount, false),
        second_(all_.device(), kCount, false),
        stream_(all_.device()) {
    first_.write(0, std::vector<float>(kCount, 1));
    second_.write(0, std::vector<float>(kCount, 1));
  }

  bool is_culprit() const { return all_.rank() == kCulprit; }
  /// The culprit and one that never comes: rank 1 of those two, which is another in `all_`.
  bool is_in_pair() const { return is_culprit() || all_.rank() == all_.size() - 1; }
  Work start_the_call_that_fails() {
    return pair_->start(Call::all_reduce(first_.buffer(0, kCount)).on(stream_).within(300));
  }
  Call call_of_all() { return Call::all_reduce(second_.buffer(0, kCount)); }

  /// Of nobody in particular: who waits for the stream may be in any world.
  void expect_stream_to_have_failed() {
    const auto error = error_of([this] { stream_.synchronize(); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), ErrorCode::kDevice) << error->what();
    EXPECT_EQ(error->culprit(), kNoCulprit) << error->what();
    EXPECT_THAT(error->what(), AllOf(HasSubstr("a call in a stream of "), HasSubstr("Timeout")));
  }
  void expect_culprit_to_be_blamed(const std::optional<Error>& error) {
    ASSERT_TRUE(error.has_value()) << "the call went well on rank " << all_.rank();
    EXPECT_EQ(error->code(), ErrorCode::kDevice) << error->what();
    EXPECT_EQ(error->culprit(), kCulprit) << error->what();
  }

  Communicator all_;
  std::optional<Communicator> pair_;
  Memory<float> first_;
  Memory<float> second_;
  Stream stream_;
};

/// What may still fail the stream doesn't.
TEST_F(FailedStream, CallInOneThatStandsStill_GoesOnWhenThatEndsWell) {
  if (is_culprit()) {
    pair_->start(Call::all_reduce(first_.buffer(0, kCount)).on(stream_));
    all_.start(call_of_all().on(stream_)).wait();
    stream_.synchronize();
  } else {
    if (is_in_pair()) {
      // house-allow(sleep): later than the others need to meet.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      pair_->run(Call::all_reduce(first_.buffer(0, kCount)));
    }
    all_.run(call_of_all());
  }
  EXPECT_THAT(second_.read(0, kCount), Each(static_cast<float>(all_.size())));
}

TEST_F(FailedStream, CallInIt_FailsOnAllRanks) {
  if (is_culprit()) {
    const auto error = error_of([this] { start_the_call_that_fails().wait(); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), ErrorCode::kTimeout) << error->what();
    EXPECT_EQ(error->culprit(), 1) << error->what();
    expect_stream_to_have_failed();
  }
  expect_culprit_to_be_blamed(error_of([this] {
    is_culprit() ? all_.start(call_of_all().on(stream_)).wait() : all_.run(call_of_all());
  }));
}

TEST_F(FailedStream, CallInItThatWaitsForItsTurn_FailsOnAllRanks) {
  if (is_culprit()) {
    const Work fails = start_the_call_that_fails();
    expect_culprit_to_be_blamed(error_of([this] { all_.start(call_of_all().on(stream_)).wait(); }));
    expect_stream_to_have_failed();
  } else {
    expect_culprit_to_be_blamed(error_of([this] { all_.run(call_of_all()); }));
  }
  if (!HasFailure()) std::printf("failed stream done: rank %d of %d\n", all_.rank(), all_.size());
}

}  // namespace
}  // namespace rondo::testing
