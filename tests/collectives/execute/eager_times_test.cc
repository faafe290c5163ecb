// Where the time of a short call goes, by peers that a test acts.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/eager_runner.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using schedule::Collective;
using transport::Token;

constexpr std::size_t kMostBytes = 8192;
constexpr auto kSending = std::chrono::milliseconds(20);

/// To send to it takes long, by calls of the system; what comes from it is there at the second
/// look.
class SlowPeer final : public ActedEndpoint {
 public:
  explicit SlowPeer(int rank) : rank_(rank) {}

  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return rank_; }
  std::size_t window() const override { return 4; }
  std::optional<std::size_t> eager_bytes() const override { return kMostBytes; }
  Result<bool> send_eager(std::span<const std::byte>) override {
    std::this_thread::sleep_for(kSending);
    return true;
  }
  Result<const std::byte*> recv_eager(std::size_t) override {
    return ++looks_ % 2 == 0 ? bytes_.data() : nullptr;
  }
  Result<Token> post(std::span<const transport::Transfer>) override { return Token{}; }
  Result<bool> poll(Token) override { return true; }

 private:
  int rank_;
  int looks_ = 0;
  std::array<std::byte, kMostBytes> bytes_{};
};

/// Rank 4 of eight has what comes from rank 0, and sends it on to two others.
class ForwardingRank {
 public:
  explicit ForwardingRank(std::size_t bytes) : output_(bytes) {
    const auto* algorithm = algorithms::find(Collective::kBroadcast, "tree");
    const auto build = [&](int rank) {
      schedule::Request request{.collective = Collective::kBroadcast, .world = 8, .rank = rank};
      request.rows = algorithm->rows(request, bytes);
      return algorithm->build(request);
    };
    PlanInputs inputs;
    inputs.schedule = unfold(schedule::fuse_folded(build), kRank);
    inputs.table = schedule::ChunkTable::equal(bytes, inputs.schedule.request.rows);
    inputs.element_bytes = 1;
    inputs.endpoint_of = [this](int peer) {
      auto& endpoint = peers_[peer];
      if (endpoint == nullptr) endpoint = std::make_unique<SlowPeer>(peer);
      return endpoint.get();
    };
    inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(); };
    inputs.allocate_scratch = [](std::size_t) {
      return Result<std::shared_ptr<std::byte[]>>(std::shared_ptr<std::byte[]>());
    };
    plan_ = Plan::make(std::move(inputs)).value();
  }

  std::size_t peers() const { return peers_.size(); }
  trace::CallRecord run() {
    EagerRunner eager(*plan_, false);
    Runner& runner = eager;
    trace::CallTimer timer;
    timer.begin({}, ticks_now(), ticks_now());
    const transport::Call call{1, 1, {}};
    runner.begin(call, {.input = output_.data(), .output = output_.data(), .timer = &timer});
    Run run(runner, call, &timer);
    const Status status = runner.end(run.drive({kRank, waiter_.get(), {}, 10'000}), kRank);
    EXPECT_TRUE(status.ok()) << status.to_string();
    timer.end();
    return timer.record();
  }

 private:
  static constexpr int kRank = 4;
  std::vector<std::byte> output_;
  std::map<int, std::unique_ptr<SlowPeer>> peers_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Waiter> waiter_ = Waiter::make({}, {}).value();
};

/// What sends on what it has waited for no longer waits, however few bytes there are.
TEST(EagerTimes, OfSendingOn_AreNoWait) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{8000}}) {
    ForwardingRank rank(bytes);
    ASSERT_GE(rank.peers(), 3U) << "it has to send to several";
    double least_part = 1;
    // A test that isn't run for a while waits for as long.
    for (int again = 0; again < 5; ++again) {
      const trace::CallRecord record = rank.run();
      ASSERT_GT(record.wait, 0U);
      least_part = std::min(least_part, static_cast<double>(record.wait) /
                                            static_cast<double>(record.done - record.begun));
    }
    EXPECT_LT(least_part, 0.25) << bytes;
  }
}

}  // namespace
}  // namespace rondo::execute
