// What a timed call has before it and behind it.

#include "tools/rondo/bench/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/rondo/bench/places.h"

namespace rondo::tool {
namespace {

using testing::ElementsAreArray;

constexpr std::size_t kBytes = 4096;

/// What rank 0 calls while one size is measured, and what becomes of it.
struct Measured {
  std::vector<std::string> calls;
  BenchResult result;
};

Measured measured(const CallSpec& spec, const Repeats& repeats) {
  CommunicatorOptions options;
  options.timeout_ms = 60'000;
  std::vector<Communicator> places =
      Communicator::create(std::vector<Device>(2, Device::host()), options);
  Measured measured;
  run_places(places, [&](Communicator& place) {
    const BenchMemory input(kBytes, false);
    const BenchMemory output(kBytes, false);
    if (place.rank() == 0) {
      place.set_trace(
          [&](const TracedCall& call) { measured.calls.emplace_back(call.collective); });
    }
    BenchResult result = Measurement(place, input, output, repeats).run(spec);
    place.set_trace({});
    if (place.rank() == 0) measured.result = std::move(result);
    return 0;
  });
  return measured;
}

/// Whoever has ended checks his results no sooner than all have: those who share his core would end
/// late for it.
TEST(Measurement, ATimedCall_BeginsAndEndsWithAllRanks) {
  const std::vector<std::string> each = {"barrier", "barrier", "all_reduce", "barrier"};
  const Measured of = measured({.bytes = kBytes}, {.iterations = 3, .warmup = 1});
  ASSERT_GE(of.calls.size(), 4 * each.size());
  for (std::size_t call = 0; call < 4; ++call) {
    const auto begin = of.calls.begin() + static_cast<std::ptrdiff_t>(call * each.size());
    EXPECT_THAT(std::vector<std::string>(begin, begin + 4), ElementsAreArray(each)) << call;
  }
  EXPECT_EQ(of.result.algorithm, "one_shot") << "the call's, not the barrier's";
  EXPECT_GT(of.result.predicted_us, 0);
}

TEST(Measurement, CallsTimedTogether_EndWithAllRanks) {
  const std::vector<std::string> each = {"barrier", "barrier", "all_gather", "all_gather",
                                         "barrier"};
  const Measured of = measured({.operation = Collective::kAllGather, .bytes = kBytes},
                               {.iterations = 2, .warmup = 0, .calls = 2});
  ASSERT_GE(of.calls.size(), 2 * each.size());
  for (std::size_t turn = 0; turn < 2; ++turn) {
    const auto begin = of.calls.begin() + static_cast<std::ptrdiff_t>(turn * each.size());
    EXPECT_THAT(std::vector<std::string>(begin, begin + 5), ElementsAreArray(each)) << turn;
  }
  EXPECT_EQ(of.result.wrong, 0U);
}

}  // namespace
}  // namespace rondo::tool
