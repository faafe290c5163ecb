// A rank that has read all that its peers sent, where one of them doesn't take the answer that it
// asked for: the call can't go on without that one. The peer is acted.

#include "collectives/execute/device/answers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/execute/device/device_runner.h"
#include "collectives/kernels/device_reduce.h"
#include "collectives/schedule/fuse.h"
#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using schedule::BufferRole;
using transport::Endpoint;
using transport::Token;
using transport::Transfer;
using transport::TransferKind;

constexpr std::size_t kBytes = 256;

/// Rank 1, of the same process. It has stored what it sends to where that belongs, and asks for an
/// answer, for which it leaves no room.
class AskingPeer final : public ActedEndpoint {
 public:
  transport::TransportKind kind() const override { return transport::TransportKind::kInproc; }
  int peer() const override { return 1; }
  std::size_t window() const override { return 4; }
  Result<Token> post(std::span<const Transfer> group) override {
    posted_.push_back(group.front());
    return posted_.size();
  }
  Result<bool> poll(Token token) override {
    const Transfer& transfer = posted_[token - 1];
    if (transfer.kind == TransferKind::kSend) return transfer.lane != kAnswerLane;
    const Notice message{.bytes = kBytes, .stored = true, .asks = true};
    const Regions nowhere;
    const void* const sent =
        transfer.bytes == sizeof message ? static_cast<const void*>(&message) : &nowhere;
    std::memcpy(transfer.data, sent, transfer.bytes);
    return true;
  }
  bool was_answered() const {
    return !posted_.empty() && posted_.back().kind == TransferKind::kSend &&
           posted_.back().lane == kAnswerLane;
  }

 private:
  std::vector<Transfer> posted_;  ///< by token, from 1 on
};
static_assert(sizeof(Regions) != sizeof(Notice));

schedule::RankSchedule sent_to_rank_0(int rank) {
  schedule::Builder b({.world = 2, .rank = rank, .rows = 1});
  if (rank == 0) b.recv(1, {BufferRole::kOutput, 0});
  if (rank == 1) b.send(0, {BufferRole::kInput, 0});
  return std::move(b).finish();
}

std::unique_ptr<Plan> plan_of_rank_0(Endpoint& peer) {
  PlanInputs inputs;
  inputs.schedule = unfold(schedule::fuse_folded(sent_to_rank_0), 0);
  inputs.table = schedule::ChunkTable::equal(kBytes, 1);
  inputs.endpoint_of = [&peer](int) { return &peer; };
  inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(); };
  inputs.allocate_scratch = [](std::size_t bytes) {
    return Result<std::shared_ptr<std::byte[]>>(std::shared_ptr<std::byte[]>(new std::byte[bytes]));
  };
  return Plan::make(std::move(inputs)).value();
}

TEST(Answers, PeerThatTakesNone_IsTheOneThatTheCallWaitsFor) {
  const auto driver = device::make_emulated_driver({.memory_bytes = std::size_t{1} << 20});
  AskingPeer peer;
  const auto plan = plan_of_rank_0(peer);
  DevicePlace place(Device::emulated(0), *driver);
  const auto runner = DeviceRunner::make(*plan, place, {}).value();
  auto* const memory = static_cast<std::byte*>(driver->allocate(0, kBytes).value());
  runner->begin({1, 1, {.collective = 1}}, {.input = memory, .output = memory});
  while (runner->step().value()) {
  }
  EXPECT_TRUE(peer.was_answered());
  EXPECT_FALSE(runner->finished());
  EXPECT_EQ(runner->waits_for(), 1);
  EXPECT_FALSE(runner->end(Status(ErrorCode::kTimeout, "nobody takes it", 1), 0).ok());
  driver->free(memory);
}

}  // namespace
}  // namespace rondo::execute
