// A plan that gets rows of other sizes is what one made with these is, of every algorithm.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/plan.h"
#include "collectives/kernels/dispatch.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using algorithms::Algorithm;
using schedule::ChunkTable;
using transport::Token;

class Peer final : public ActedEndpoint {
 public:
  explicit Peer(int rank) : rank_(rank) {}
  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return rank_; }
  std::size_t window() const override { return 4; }
  Result<Token> post(std::span<const transport::Transfer>) override { return Token{}; }
  Result<bool> poll(Token) override { return true; }

 private:
  int rank_;
};

/// One rank's part of an algorithm, and what it is bound to.
class OneRank {
 public:
  OneRank(const Algorithm& algorithm, int world, int rank)
      : rank_(rank), world_(world_of(algorithm, world)) {
    for (int peer = 0; peer < world; ++peer) peers_.push_back(std::make_unique<Peer>(peer));
  }

  std::unique_ptr<Plan> plan(ChunkTable table, kernels::WireFormat format,
                             bool own_rows_only = false) {
    PlanInputs inputs;
    inputs.sizes_of_own_rows_only = own_rows_only;
    inputs.schedule = unfold(world_, rank_);
    inputs.table = std::move(table);
    inputs.element_bytes = sizeof(float);
    inputs.segment_bytes = 4096;
    inputs.wire_format = format;
    inputs.encodes = [](int peer) { return peer % 2 == 0; };
    inputs.feedback = Feedback::kAll;
    inputs.endpoint_of = [this](int peer) { return peers_[static_cast<std::size_t>(peer)].get(); };
    inputs.scratch_rows_of = [this](int peer) { return scratch_rows(world_, peer); };
    inputs.allocate_scratch = [this](std::size_t bytes) { return allocate(bytes); };
    return Plan::make(std::move(inputs)).value();
  }
  std::uint32_t rows() const { return unfold(world_, rank_).request.rows; }

  int allocations = 0;
  bool refuses = false;  ///< more of them

 private:
  static schedule::FoldedWorld world_of(const Algorithm& algorithm, int world) {
    const std::vector<int> hosts = {0, 0, 1, 1, 0, 1, 0, 1};
    const auto layout = std::make_shared<const schedule::HostLayout>(
        std::vector<int>(hosts.begin(), hosts.begin() + world));
    return schedule::fuse_folded([&](int of) {
      schedule::Request request{
          .collective = algorithm.collective, .world = world, .rank = of, .root = 1};
      request.layout = layout;
      request.rows = algorithm.rows(request, 100'000);
      return algorithm.build(request);
    });
  }
  Result<std::shared_ptr<std::byte[]>> allocate(std::size_t bytes) {
    if (refuses) return Status(ErrorCode::kSystem, "no more memory");
    ++allocations;
    return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  }

  int rank_;
  schedule::FoldedWorld world_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

void append(std::string& text, std::span<const BoundPort> ports) {
  for (const BoundPort& port : ports) {
    text += " " + std::to_string(port.is_channel) + std::to_string(port.direct) + " " +
            std::to_string(port.channel) + " " + std::to_string(static_cast<int>(port.slice.role)) +
            "+" + std::to_string(port.slice.offset);
  }
}

/// All of it that runners look at.
std::string text_of(const Plan& plan) {
  std::string text =
      std::to_string(plan.input_bytes()) + " " + std::to_string(plan.output_bytes()) + " " +
      std::to_string(plan.scratch().size()) + " " + std::to_string(plan.residual_count()) + "\n";
  for (std::size_t lane = 0; lane < plan.lanes().size(); ++lane) {
    text += "lane " + std::to_string(plan.staging_offset(lane)) + "\n";
    for (const BoundSweep& sweep : plan.lanes()[lane]) {
      text += std::to_string(sweep.bytes) + " in " + std::to_string(sweep.segments) + ":";
      append(text, sweep.sources);
      text += " to";
      append(text, sweep.targets);
      if (sweep.residual) text += " lost at " + std::to_string(*sweep.residual);
      text += "\n";
    }
  }
  return text;
}

/// Rows of 0 to `most` elements.
ChunkTable table(std::uint32_t rows, std::size_t most) {
  std::vector<std::size_t> counts;
  for (std::uint32_t row = 0; row < rows; ++row) counts.push_back((row + 1) * 977 % (most + 1));
  return ChunkTable::of_counts(counts).value();
}

void expect_same_as_made(const Algorithm& algorithm, int world, int rank,
                         kernels::WireFormat format) {
  SCOPED_TRACE(std::string(schedule::to_string(algorithm.collective)) + " by " +
               std::string(algorithm.name) + ", rank " + std::to_string(rank) + " of " +
               std::to_string(world));
  OneRank own(algorithm, world, rank);
  const auto resized = own.plan(table(own.rows(), 1000), format);
  for (const std::size_t most : {3000U, 0U, 17U, 20'000U, 40U}) {
    ChunkTable other = table(own.rows(), most);
    ASSERT_TRUE(resized->resize(other).ok());
    EXPECT_EQ(text_of(*resized), text_of(*own.plan(table(own.rows(), most), format))) << most;
    EXPECT_GE(resized->scratch_room(), resized->scratch().size());
  }
}

TEST(PlanResize, EveryAlgorithm_IsAsOneMadeWithTheseSizes) {
  for (const Algorithm& algorithm : algorithms::all()) {
    for (const int world : {2, 3, 5, 8}) {
      for (int rank = 0; rank < world; ++rank) {
        expect_same_as_made(algorithm, world, rank, kernels::WireFormat::kNone);
        expect_same_as_made(algorithm, world, rank, kernels::WireFormat::kInt8);
      }
    }
  }
}

TEST(PlanResize, RowsThatOnlyTheirTwoRanksKnow_AreAsMade) {
  constexpr int kWorld = 5;
  const auto cross = [](std::size_t rank, std::size_t unit) {
    std::vector<std::size_t> sent;
    std::vector<std::size_t> received;
    for (std::size_t peer = 0; peer < kWorld; ++peer) {
      sent.push_back((3 * rank + 5 * peer) % 7 * unit);
      received.push_back((3 * peer + 5 * rank) % 7 * unit);
    }
    return ChunkTable::of_cross(rank, sent, received).value();
  };
  for (const Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != schedule::Collective::kAllToAll || algorithm.relays) continue;
    for (int rank = 0; rank < kWorld; ++rank) {
      OneRank own(algorithm, kWorld, rank);
      const auto table = [&](std::size_t unit) {
        return cross(static_cast<std::size_t>(rank), unit);
      };
      const auto resized = own.plan(table(10), kernels::WireFormat::kNone, true);
      for (const std::size_t unit : {3U, 0U, 4096U, 11U}) {
        ChunkTable other = table(unit);
        ASSERT_TRUE(resized->resize(other).ok());
        EXPECT_EQ(text_of(*resized),
                  text_of(*own.plan(table(unit), kernels::WireFormat::kNone, true)))
            << algorithm.name << ", rank " << rank << ", unit " << unit;
      }
    }
  }
}

TEST(PlanResize, Scratch_IsKeptWhereItIsEnoughAndNotMuchMore) {
  const Algorithm* const algorithm =
      algorithms::find(schedule::Collective::kAllReduce, "recursive_doubling");
  ASSERT_NE(algorithm, nullptr);
  OneRank own(*algorithm, 4, 1);
  const auto equal = [&own](std::size_t count) { return ChunkTable::equal(count, own.rows()); };
  const auto resize = [&](Plan& plan, std::size_t count) {
    ChunkTable table = equal(count);
    return plan.resize(table).ok();
  };
  const auto plan = own.plan(equal(1'000'000), kernels::WireFormat::kNone);
  const std::byte* const first = plan->scratch().data();
  ASSERT_GT(plan->scratch().size(), 0U);
  ASSERT_EQ(own.allocations, 1);
  ASSERT_TRUE(resize(*plan, 600'000));
  EXPECT_EQ(plan->scratch().data(), first);
  ASSERT_TRUE(resize(*plan, 1'000'000));
  EXPECT_EQ(own.allocations, 1);
  ASSERT_TRUE(resize(*plan, 1000));
  EXPECT_EQ(own.allocations, 2) << "four megabytes aren't kept for some kilobytes";
  EXPECT_EQ(plan->scratch_room(), plan->scratch().size());
  ASSERT_TRUE(resize(*plan, 2000));
  EXPECT_EQ(own.allocations, 3);
}

TEST(PlanResize, MemoryThatIsRefused_IsAnError) {
  const Algorithm* const algorithm =
      algorithms::find(schedule::Collective::kAllReduce, "recursive_doubling");
  OneRank own(*algorithm, 4, 1);
  const auto plan = own.plan(ChunkTable::equal(4, own.rows()), kernels::WireFormat::kNone);
  own.refuses = true;
  ChunkTable large = ChunkTable::equal(1'000'000, own.rows());
  const Status status = plan->resize(large);
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
}

}  // namespace
}  // namespace rondo::execute
