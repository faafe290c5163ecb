#include "tests/collectives/execute/device/late_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "core/device/emulated/emulated.h"

namespace rondo::execute {
namespace {

using algorithms::Algorithm;

/// Of each algorithm and way: 500 of each algorithm.
constexpr int kMostSeeds = 125;

struct Lot {
  int first = 0;
  int count = kMostSeeds;
};

/// All, but under sanitizers.
Lot lot_of_seeds() {
  if (std::getenv("RONDO_TEST_ALL") != nullptr) return {};
  const char* const turn = std::getenv("RONDO_TEST_TURN");
  const unsigned long long number = turn == nullptr ? 0 : std::strtoull(turn, nullptr, 10);
  constexpr int kLots = kMostSeeds / RONDO_SEEDS;
  return {static_cast<int>(number % kLots) * RONDO_SEEDS, RONDO_SEEDS};
}

/// Of the i-th seed: over eight of them each with each, over two both of both.
int world_of(int i) { return 3 + i % 2; }
LateRank::Manner manner_of(int i, bool works_in_place) {
  const bool in_place = i / 2 % 2 == 0;
  return {.in_place = in_place && works_in_place,
          .in_stream = (i % 2 == 0) == (in_place == (i / 4 % 2 == 0))};
}
DataType type_of(int i) {
  constexpr std::array kTypes = {DataType::kF32, DataType::kBF16, DataType::kI32};
  return kTypes[static_cast<std::size_t>(i / 2) % kTypes.size()];
}

std::optional<int> wanted_seed() {
  const char* const text = std::getenv("RONDO_TEST_SEED");
  if (text == nullptr) return std::nullopt;
  return std::atoi(text);
}

/// Those of one algorithm and way have no others' seeds.
int first_seed(const Algorithm& algorithm, LateWay way) {
  const auto all = algorithms_of_devices();
  const auto index = std::ranges::find(all, &algorithm) - all.begin();
  return (static_cast<int>(way) * static_cast<int>(all.size()) + static_cast<int>(index)) *
         kMostSeeds;
}

}  // namespace

std::string LateCall::text() const {
  return fmt::format("{}{}{}: alone with RONDO_TEST_SEED={} and this test's name as --gtest_filter",
                     call->text(), manner.in_place ? ", in place" : "",
                     manner.in_stream ? ", in a stream" : "", seed);
}

std::vector<const Algorithm*> algorithms_of_devices() {
  std::vector<const Algorithm*> list;
  for (const Algorithm& algorithm : algorithms::all())
    if (algorithm.collective != schedule::Collective::kBarrier) list.push_back(&algorithm);
  return list;
}

std::string name_of(const testing::TestParamInfo<const Algorithm*>& parameter) {
  return fmt::format("{}_{}", schedule::to_string(parameter.param->collective),
                     parameter.param->name);
}

std::vector<schedule::SharedLayout> layouts_of(LateWay way) {
  const bool one = way == LateWay::kPlacesOfOneHost || way == LateWay::kProcessesOfOneHost;
  const std::vector<std::vector<int>> hosts =
      one ? std::vector<std::vector<int>>{{0, 0, 0}, {0, 0, 0, 0}}
          : std::vector<std::vector<int>>{{0, 0, 1}, {0, 0, 1, 1}};
  std::vector<schedule::SharedLayout> list;
  for (const std::vector<int>& host_of : hosts)
    list.push_back(std::make_shared<const schedule::HostLayout>(host_of));
  return list;
}

std::string why_skipped(const Algorithm& algorithm, LateWay way) {
  const int first = first_seed(algorithm, way);
  const int wanted = wanted_seed().value_or(first);
  if (wanted >= first && wanted < first + kMostSeeds) return {};
  return fmt::format("RONDO_TEST_SEED={}: this test has {} to {}", wanted, first,
                     first + kMostSeeds - 1);
}

std::vector<LateCall> late_calls(const Algorithm& algorithm, LateWay way,
                                 const schedule::SharedLayout& layout) {
  std::vector<LateCall> list;
  const int first = first_seed(algorithm, way);
  const Lot lot = wanted_seed().has_value() ? Lot{} : lot_of_seeds();
  for (int i = lot.first; i < lot.first + lot.count; ++i) {
    const int seed = first + i;
    if (world_of(i) != layout->world() || wanted_seed().value_or(seed) != seed) continue;
    LateCall& made = list.emplace_back();
    made.call = std::make_shared<const BuiltInCall>(algorithm, layout, seed % layout->world(),
                                                    BuiltInCall::kSegmentBytes, type_of(i));
    made.expected = made.call->on_host();
    made.seed = seed;
    made.manner = manner_of(i, made.call->works_in_place());
  }
  return list;
}

std::unique_ptr<device::DeviceDriver> late_driver(int seed, int process) {
  constexpr std::uint64_t kSeedsOfOneProcess = 1'000'000'000;
  const auto number = static_cast<std::uint64_t>(seed);
  return device::make_emulated_driver(
      {.memory_bytes = std::size_t{1} << 20,
       .lateness = {.seed = number + kSeedsOfOneProcess * static_cast<std::uint64_t>(process),
                    .longest_us = 150}});
}

void check(const LateCall& call, int rank, const Result<Floats>& result) {
  ASSERT_TRUE(result.ok()) << "rank " << rank << " of " << call.text() << ": "
                           << result.status().to_string();
  const Floats& expected = call.expected[static_cast<std::size_t>(rank)];
  const auto wrong = std::ranges::mismatch(*result, expected).in1 - result->begin();
  EXPECT_TRUE(*result == expected)
      << "element " << wrong << " on rank " << rank << " of " << call.text();
}

}  // namespace rondo::execute
