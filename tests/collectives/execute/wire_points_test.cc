// That rounding where wire_points.h says gives all ranks the same bits, whichever pairs encode
// their messages: of every algorithm, by its schedules and by running them.

#include "collectives/execute/host/wire_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/connected_rank.h"

namespace rondo::execute {
namespace {

using algorithms::Algorithm;
using kernels::WireFormat;
using schedule::Collective;

bool takes_wire_format(const Algorithm& algorithm) {
  return algorithm.collective == Collective::kAllReduce ||
         algorithm.collective == Collective::kReduceScatter ||
         algorithm.collective == Collective::kAllGather;
}

/// Ranks of two hosts, neighbours on different ones.
schedule::SharedLayout layout_for(int world) {
  std::vector<int> hosts;
  for (int rank = 0; rank < world; ++rank) hosts.push_back(rank % 2);
  return std::make_shared<const schedule::HostLayout>(hosts);
}

schedule::RankSchedule built(const Algorithm& algorithm, int world, int rank, std::size_t count) {
  schedule::Request request{.collective = algorithm.collective, .world = world, .rank = rank};
  request.layout = layout_for(world);
  request.rows = algorithm.rows(request, count);
  return algorithm.build(request);
}

schedule::FusedSchedule fused(const Algorithm& algorithm, int world, int rank, std::size_t count) {
  const auto build = [&](int other) { return built(algorithm, world, other, count); };
  return unfold(schedule::fuse_folded(build), rank);
}

TEST(WirePoints, EveryAlgorithmButOneShot_SendsItsInputToOneReader) {
  for (const Algorithm& algorithm : algorithms::all()) {
    if (!takes_wire_format(algorithm)) continue;
    bool once = true;
    for (int world = 2; world <= 9; ++world) {
      for (int rank = 0; rank < world; ++rank)
        once &= reads_input_once(fused(algorithm, world, rank, 100'000));
    }
    EXPECT_EQ(once, algorithm.name != "one_shot") << algorithm.name;
  }
}

TEST(WirePoints, AllGathers_SendNoInput) {
  for (const Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != Collective::kAllGather) continue;
    for (int world = 2; world <= 9; ++world) {
      const auto own = fused(algorithm, world, 0, 100'000);
      for (const auto& lane : own.lanes) {
        for (const auto& sweep : lane) EXPECT_FALSE(sends_input(own, sweep)) << algorithm.name;
      }
    }
  }
}

TEST(WirePoints, WhatIsSentOnceAndNotRead_IsRoundedAsItIsSent) {
  const auto counts = [](std::string_view name) {
    const auto* algorithm = algorithms::find(Collective::kAllReduce, name);
    const auto own = fused(*algorithm, 4, 1, 100'000);
    std::pair<int, int> rounded{0, 0};  // at all, as sent
    for (const auto& sweep : own.lanes[0]) {
      rounded.first += rounds_result(own, sweep) ? 1 : 0;
      rounded.second += rounds_as_sent(own, sweep) ? 1 : 0;
    }
    return rounded;
  };
  EXPECT_EQ(counts("ring"), std::pair(3, 3));
  EXPECT_EQ(counts("direct"), std::pair(1, 0)) << "its result goes to three";
  EXPECT_EQ(counts("recursive_doubling").second, 0) << "its sums are read again";
}

/// Which pairs encode. Symmetric.
using Encodes = std::function<bool(int, int)>;

/// One rank of a world of places of this process, whose messages are encoded where a test says so.
class Rank : public ConnectedRank {
 public:
  Rank(std::uint64_t job, int rank, int world)
      : ConnectedRank(transport::TransportKind::kInproc, job, rank, world) {}
  std::vector<float> run(const Algorithm& algorithm, std::vector<float> input,
                         std::size_t output_count, std::size_t total, const Encodes& encodes) {
    std::vector<float> output(output_count);
    const auto plan = Plan::make(inputs_of(algorithm, total, encodes)).value();
    PlanRunner runner(*plan);
    Runner& base = runner;
    const transport::Call call{++sequence_, 1, {.collective = 1, .count = total}};
    const Status status = base.run(
        call,
        {reinterpret_cast<std::byte*>(input.data()), reinterpret_cast<std::byte*>(output.data())},
        {rank_, waiter_.get(), {}, 20'000});
    EXPECT_TRUE(status.ok()) << status.to_string();
    return output;
  }

 private:
  PlanInputs inputs_of(const Algorithm& algorithm, std::size_t total, const Encodes& encodes) {
    PlanInputs inputs;
    inputs.schedule = fused(algorithm, world_, rank_, total);
    inputs.table = schedule::ChunkTable::equal(total, inputs.schedule.request.rows);
    inputs.element_bytes = sizeof(float);
    inputs.segment_bytes = 4096;
    inputs.kernel =
        kernels::find_reduce_kernel(DeviceKind::kHost, DataType::kF32, ReduceOp::kSum).value();
    inputs.wire_format = WireFormat::kInt8;
    inputs.encodes = [this, encodes](int peer) { return encodes(rank_, peer); };
    inputs.feedback = Feedback::kNone;
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    inputs.scratch_rows_of = [this, &algorithm, total](int peer) {
      return built(algorithm, world_, peer, total).scratch_rows;
    };
    inputs.allocate_scratch = [](std::size_t bytes) {
      return Result<std::shared_ptr<std::byte[]>>(
          std::shared_ptr<std::byte[]>(new std::byte[bytes]));
    };
    return inputs;
  }

  std::uint64_t sequence_ = 0;
};

constexpr std::size_t kPart = 2003;

/// What each rank ends with.
std::vector<std::vector<float>> run_world(const Algorithm& algorithm, int world,
                                          const Encodes& encodes) {
  static std::uint64_t jobs = 9000;
  std::vector<Rank> ranks;
  std::vector<std::string> addresses;
  for (int rank = 0; rank < world; ++rank)
    addresses.push_back(ranks.emplace_back(jobs, rank, world).address());
  ++jobs;
  const bool gathers = algorithm.collective == Collective::kAllGather;
  const std::size_t total = kPart * static_cast<std::size_t>(world);
  std::vector<std::vector<float>> results(static_cast<std::size_t>(world));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world; ++rank) {
    threads.emplace_back([&, rank] {
      const auto own = static_cast<std::size_t>(rank);
      ranks[own].connect(addresses);
      std::vector<float> input(gathers ? kPart : total);
      for (std::size_t i = 0; i < input.size(); ++i)
        input[i] = std::sin(static_cast<float>(i * 7 + own * 13 + 1)) * 9;
      results[own] = ranks[own].run(algorithm, std::move(input), total, total, encodes);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST(WirePoints, SomePairsEncoding_AllRanksEndWithTheSameBits) {
  const Encodes mixes[] = {
      [](int, int) { return true; },
      [](int, int) { return false; },
      [](int a, int b) { return a % 2 != b % 2; },
      [](int a, int b) { return (a == 0) != (b == 0); },
      [](int a, int b) { return a / 2 != b / 2; },
  };
  for (const Algorithm& algorithm : algorithms::all()) {
    if (!takes_wire_format(algorithm) || algorithm.name == "one_shot") continue;
    if (algorithm.collective == Collective::kReduceScatter) continue;  // nothing to compare
    for (const int world : {3, 4, 6}) {
      for (const Encodes& encodes : mixes) {
        const auto results = run_world(algorithm, world, encodes);
        for (const auto& result : results) {
          EXPECT_EQ(std::memcmp(result.data(), results[0].data(), result.size() * sizeof(float)), 0)
              << algorithm.name << " of " << world << ", mix " << &encodes - mixes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo::execute
