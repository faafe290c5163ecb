// Steps of many rows between hosts: all that is ready for a peer goes out by one call of its
// endpoint, as messages of their own, before anything of the step is waited for. Inside a host it
// goes out before what has come is taken, which is a copy there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/kernels/dispatch.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using schedule::Collective;
using testing::ElementsAre;
using transport::Token;
using transport::TransferKind;

/// What was asked of all endpoints of a rank, in turn: "3 sends to 4", "receive from 2".
using Log = std::vector<std::string>;

/// What the peers are connected by.
struct Link {
  std::size_t window = 64;
  /// As over a socket; else each message goes by itself.
  bool gathers = true;
};

/// Nothing is lent or stored. Sends are done at once; what is received is there when it is asked
/// for a second time.
class Peer final : public ActedEndpoint {
 public:
  Peer(int rank, const Link& link, Log& log) : rank_(rank), link_(link), log_(log) {}

  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return rank_; }
  std::size_t window() const override { return link_.window; }
  bool gathers() const override { return link_.gathers; }
  Result<Token> post(std::span<const transport::Transfer> group) override {
    if (group.front().kind == TransferKind::kSend) {
      log_.push_back(std::to_string(group.size()) + " to " + std::to_string(rank_));
      return kSent;
    }
    log_.push_back("from " + std::to_string(rank_));
    return ++last_;
  }
  Result<bool> poll(Token token) override { return token == kSent || !asked_.insert(token).second; }
  const std::byte* view(Token) override { return bytes_.data(); }

 private:
  static constexpr Token kSent = 0;
  int rank_;
  Link link_;
  Log& log_;
  Token last_ = kSent;
  std::set<Token> asked_;  ///< for, of what is received
  std::array<std::byte, 64> bytes_{};
};

schedule::SharedLayout hosts_of_their_own(int world) {
  std::vector<int> host_of(static_cast<std::size_t>(world));
  std::iota(host_of.begin(), host_of.end(), 0);
  return std::make_shared<const schedule::HostLayout>(host_of);
}

/// What rank 0 asks of its endpoints when it runs its schedule of the world.
Log asked(const schedule::Request& request, const schedule::BuildSchedule& build,
          const Link& link) {
  Log log;
  std::map<int, std::unique_ptr<Peer>> peers;
  for (int peer = 1; peer < request.world; ++peer)
    peers[peer] = std::make_unique<Peer>(peer, link, log);
  PlanInputs inputs;
  inputs.schedule = unfold(schedule::fuse_folded(build), 0);
  inputs.table = schedule::ChunkTable::equal(request.rows, request.rows);
  inputs.element_bytes = sizeof(float);
  inputs.kernel =
      kernels::find_reduce_kernel(DeviceKind::kHost, DataType::kF32, ReduceOp::kSum).value();
  inputs.endpoint_of = [&](int peer) { return peers[peer].get(); };
  inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(64); };
  inputs.allocate_scratch = [](std::size_t bytes) {
    return Result<std::shared_ptr<std::byte[]>>(std::shared_ptr<std::byte[]>(new std::byte[bytes]));
  };
  const auto plan = Plan::make(std::move(inputs)).value();
  PlanRunner runner(*plan);
  std::vector<float> input(request.rows);
  std::vector<float> output(request.rows);
  const auto waiter = Waiter::make({}, {}).value();
  const Status status = static_cast<Runner&>(runner).run(
      {1, 1, {}},
      {reinterpret_cast<std::byte*>(input.data()), reinterpret_cast<std::byte*>(output.data())},
      {0, waiter.get(), {}, 10'000});
  EXPECT_TRUE(status.ok()) << status.to_string();
  return log;
}

Log asked(Collective collective, const char* name, int world, const Link& link = {}) {
  const auto* algorithm = algorithms::find(collective, name);
  schedule::Request request{
      .collective = collective, .world = world, .layout = hosts_of_their_own(world)};
  request.rows = algorithm->rows(request, 1);
  const auto build = [&](int rank) {
    schedule::Request own = request;
    own.rank = rank;
    return algorithm->build(own);
  };
  return asked(request, build, link);
}

/// Without what is received, of which each row is asked for by itself.
Log sent(const Log& log) {
  Log list;
  for (const std::string& entry : log)
    if (!entry.starts_with("from")) list.push_back(entry);
  return list;
}

TEST(RowSteps, OfBruck_AreOneCallEach) {
  EXPECT_THAT(sent(asked(Collective::kAllGather, "bruck", 8)),
              ElementsAre("1 to 1", "2 to 2", "4 to 4"));
  EXPECT_THAT(sent(asked(Collective::kAllGather, "bruck", 7)),
              ElementsAre("1 to 6", "2 to 5", "3 to 3"));
  EXPECT_THAT(sent(asked(Collective::kAllToAll, "bruck", 8)),
              ElementsAre("4 to 1", "4 to 2", "4 to 4"));
}

TEST(RowSteps, OfTheAggregatedTrees_AreOneCallEach) {
  EXPECT_THAT(sent(asked(Collective::kAllGather, "pat", 8)),
              ElementsAre("1 to 4", "2 to 2", "4 to 1"));
  EXPECT_THAT(sent(asked(Collective::kReduceScatter, "pat", 8)),
              ElementsAre("4 to 1", "2 to 2", "1 to 4"));
}

TEST(RowSteps, OfHalvingAndDoubling_AreOneCallEach) {
  EXPECT_THAT(sent(asked(Collective::kAllReduce, "halving_doubling", 8)),
              ElementsAre("4 to 4", "2 to 2", "1 to 1", "1 to 1", "2 to 2", "4 to 4"));
}

TEST(RowSteps, WithAWindowOfThree_AreCallsOfThree) {
  EXPECT_THAT(sent(asked(Collective::kAllGather, "bruck", 8, {.window = 3})),
              ElementsAre("1 to 1", "2 to 2", "3 to 4", "1 to 4"));
}

// A call is over when all that went out by it is: whoever waits for the first mustn't wait for the
// second, which its receiver may not want before.
TEST(RowSteps, WhereALaneWaits_AreCallsOfTheirOwn) {
  const schedule::Request request{.collective = Collective::kAllGather, .world = 2, .rows = 4};
  const auto input = [](std::uint32_t row) {
    return schedule::Slice{schedule::BufferRole::kInput, row};
  };
  const auto build = [&](int rank) {
    schedule::Request own = request;
    own.rank = rank;
    schedule::Builder builder(own);
    if (rank == 0) {
      builder.send(1, input(0));
      builder.send(1, input(1));
      builder.wait(0, 0, 1);
      builder.send(1, input(0), 1);
    } else {
      builder.recv(0, {schedule::BufferRole::kOutput, 0});
      builder.recv(0, {schedule::BufferRole::kOutput, 1});
      builder.recv(0, builder.scratch(0), 1);
    }
    return std::move(builder).finish();
  };
  EXPECT_THAT(sent(asked(request, build, {})), ElementsAre("1 to 1", "1 to 1", "1 to 1"));
}

TEST(RowSteps, OfMoreThanOneCallTakes_AreSeveral) {
  EXPECT_THAT(sent(asked(Collective::kAllGather, "bruck", 32)),
              ElementsAre("1 to 1", "2 to 2", "4 to 4", "8 to 8", "8 to 16", "8 to 16"));
}

// Else whoever is there first copies all that its peer has sent while the peer, to whom it has said
// nothing yet, waits; and then the other way round.
TEST(RowsInsideAHost, GoOutBeforeAnyIsReceived) {
  const Link inside{.gathers = false};
  EXPECT_THAT(asked(Collective::kAllGather, "direct", 2, inside), ElementsAre("1 to 1", "from 1"));
  EXPECT_THAT(asked(Collective::kAllToAll, "pairwise", 2, inside), ElementsAre("1 to 1", "from 1"));
  EXPECT_THAT(asked(Collective::kAllToAll, "direct", 4, inside),
              ElementsAre("1 to 1", "1 to 2", "1 to 3", "from 3", "from 2", "from 1"));
  EXPECT_THAT(asked(Collective::kAllGather, "ring", 3, inside),
              ElementsAre("1 to 1", "from 2", "1 to 1", "from 2"));
}

}  // namespace
}  // namespace rondo::execute
