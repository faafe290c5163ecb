// What a rank copies from its input to its output, and sends: out of the input, before it is
// copied, where the peer can read that as well as the output.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/eager_runner.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using transport::Token;
using transport::Transfer;
using transport::TransferKind;

constexpr std::size_t kPart = 4096;  ///< floats

/// Notes where what it gets lies, and whether it has been copied by then.
class Reader final : public ActedEndpoint {
 public:
  transport::TransportKind kind() const override { return transport::TransportKind::kShm; }
  int peer() const override { return 1; }
  std::size_t window() const override { return 4; }
  std::optional<std::size_t> eager_bytes() const override { return 65'536; }
  bool lends(const std::byte* data, std::size_t) const override {
    return std::ranges::find(lent, data) != lent.end();
  }
  Result<bool> send_eager(std::span<const std::byte> message) override { return got(message); }
  Result<bool> lend_eager(std::span<const std::byte> message) override { return got(message); }
  Result<bool> returned_eager() override { return true; }
  Result<const std::byte*> recv_eager(std::size_t) override {
    return reinterpret_cast<const std::byte*>(own_.data());
  }
  Result<Token> post(std::span<const Transfer> transfers) override {
    for (const Transfer& transfer : transfers)
      if (transfer.kind == TransferKind::kSend) got({transfer.data, transfer.bytes});
    return Token{};
  }
  Result<bool> poll(Token) override { return true; }

  std::vector<const std::byte*> lent;  ///< of this rank's memory
  std::function<bool()> is_copied;
  std::vector<const std::byte*> messages;
  bool came_first = false;

 private:
  bool got(std::span<const std::byte> message) {
    messages.push_back(message.data());
    came_first = !is_copied();
    return true;
  }

  std::vector<float> own_ = std::vector<float>(kPart, 2.5F);
};

/// Rank 0 of an all_gather of two.
class SentInput : public testing::TestWithParam<bool> {
 protected:
  SentInput() : input_(kPart, 1.25F), output_(2 * kPart, -1) {
    peer_.is_copied = [this] { return output_.front() == input_.front(); };
  }
  static bool is_eager() { return GetParam(); }
  std::unique_ptr<Plan> plan(kernels::WireFormat format = kernels::WireFormat::kNone) {
    const auto* algorithm = algorithms::find(schedule::Collective::kAllGather, "direct");
    const auto build = [&](int rank) {
      schedule::Request request{.collective = algorithm->collective, .world = 2, .rank = rank};
      request.rows = algorithm->rows(request, 2 * kPart);
      return algorithm->build(request);
    };
    return plan_of(unfold(schedule::fuse_folded(build), 0), format);
  }
  std::unique_ptr<Plan> plan_of(schedule::FusedSchedule schedule,
                                kernels::WireFormat format = kernels::WireFormat::kNone) {
    PlanInputs inputs;
    inputs.schedule = std::move(schedule);
    inputs.table = schedule::ChunkTable::equal(2 * kPart, inputs.schedule.request.rows);
    inputs.element_bytes = sizeof(float);
    inputs.segment_bytes = 65'536;
    inputs.wire_format = format;
    inputs.encodes = [](int) { return true; };
    inputs.endpoint_of = [this](int) { return &peer_; };
    inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(); };
    inputs.allocate_scratch = [](std::size_t bytes) {
      return Result<std::shared_ptr<std::byte[]>>(
          std::shared_ptr<std::byte[]>(new std::byte[bytes]));
    };
    return Plan::make(std::move(inputs)).value();
  }
  void run(std::byte* input) {
    const auto plan = this->plan();
    std::unique_ptr<Runner> runner = std::make_unique<PlanRunner>(*plan);
    if (is_eager()) runner = std::make_unique<EagerRunner>(*plan, true, EagerRunner::Memory::kLent);
    const Status status = runner->run({1, 1, {}}, {.input = input, .output = output()},
                                      {0, waiter_.get(), {}, 10'000});
    EXPECT_TRUE(status.ok()) << status.to_string();
  }
  std::byte* input() { return reinterpret_cast<std::byte*>(input_.data()); }
  std::byte* output() { return reinterpret_cast<std::byte*>(output_.data()); }
  void expect_copied() const {
    EXPECT_EQ(std::ranges::count(std::span(output_).first(kPart), 1.25F),
              static_cast<std::ptrdiff_t>(kPart));
  }
  using Messages = std::vector<const std::byte*>;

  std::vector<float> input_, output_;
  Reader peer_;
  std::unique_ptr<Waiter> waiter_ = Waiter::make({}, {}).value();
};

TEST_P(SentInput, WhereBothCanBeRead_GoesOutOfTheInputBeforeItIsCopied) {
  peer_.lent = {input(), output()};
  run(input());
  EXPECT_EQ(peer_.messages, Messages{input()});
  EXPECT_TRUE(peer_.came_first);
  expect_copied();
}

TEST_P(SentInput, WhereNeitherCan_TheSame) {
  run(input());
  EXPECT_EQ(peer_.messages, Messages{input()});
  EXPECT_TRUE(peer_.came_first);
  expect_copied();
}

TEST_P(SentInput, WhereTheOutputAloneCanBeRead_GoesOutOfThat) {
  peer_.lent = {output()};
  run(input());
  EXPECT_EQ(peer_.messages, Messages{output()});
  EXPECT_FALSE(peer_.came_first);
  expect_copied();
}

TEST_P(SentInput, InPlace_ThereIsOneRow) {
  std::ranges::fill(output_, 1.25F);
  run(output());
  EXPECT_EQ(peer_.messages, Messages{output()});
  expect_copied();
}

TEST_P(SentInput, WhatIsRounded_IsSentAsItIsStored) {
  const auto is_from_input = [](const BoundSweep& sweep) { return sweep.sends_before_copy; };
  EXPECT_TRUE(std::ranges::any_of(plan()->lanes()[0], is_from_input));
  EXPECT_FALSE(std::ranges::any_of(plan(kernels::WireFormat::kInt8)->lanes()[0], is_from_input));
}

/// Copies its row to the output and sends it; then the peer's comes to row `received`.
schedule::FusedSchedule sends_and_receives(std::uint32_t received) {
  using schedule::BufferRole;
  const schedule::Port peer{.kind = schedule::PortKind::kChannel, .peer = 1, .slice = {}};
  const auto memory = [](BufferRole role, std::uint32_t row) {
    return schedule::Port{.slice = {role, row}};
  };
  schedule::Sweep sends;
  sends.source_count = 1;
  sends.first_target = 1;
  sends.target_count = 2;
  schedule::Sweep receives;
  receives.first_source = 3;
  receives.source_count = 1;
  receives.first_target = 4;
  receives.target_count = 1;
  schedule::FusedSchedule fused;
  fused.request.collective = schedule::Collective::kAllReduce;
  fused.request.world = 2;
  fused.request.rows = 2;
  fused.ports = {memory(BufferRole::kInput, 0), memory(BufferRole::kOutput, 0), peer, peer,
                 memory(BufferRole::kOutput, received)};
  fused.lanes = {{sends, receives}};
  return fused;
}

// What comes for the same row, stored there by the peer as soon as it has the message, would be
// overwritten by the copy.
TEST_P(SentInput, RowThatIsReceivedLater_IsCopiedFirst) {
  EXPECT_TRUE(plan_of(sends_and_receives(1))->lanes()[0][0].sends_before_copy);
  EXPECT_FALSE(plan_of(sends_and_receives(0))->lanes()[0][0].sends_before_copy);
}

INSTANTIATE_TEST_SUITE_P(Runners, SentInput, testing::Bool(), [](const auto& parameters) {
  return parameters.param ? "eager" : "plan";
});

}  // namespace
}  // namespace rondo::execute
