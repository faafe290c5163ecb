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
#include "collectives/kernels/reduce.h"
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
  SlowPeer(int rank, bool gathers) : rank_(rank), gathers_(gathers) {}

  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return rank_; }
  std::size_t window() const override { return 4; }
  bool gathers() const override { return gathers_; }
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
  bool gathers_;
  int looks_ = 0;
  std::array<std::byte, kMostBytes> bytes_{};
};

struct Case {
  Collective collective = Collective::kAllReduce;
  const char* algorithm = "ring";
  int world = 3;
  int rank = 1;
  bool gathers = false;  ///< peers do
};

/// One rank of them, of floats.
class ActedRank {
 public:
  ActedRank(const Case& call, std::size_t count) : case_(call), output_(count, 0.5F) {
    const auto* algorithm = algorithms::find(call.collective, call.algorithm);
    const auto build = [&](int rank) {
      schedule::Request request{.collective = call.collective, .world = call.world, .rank = rank};
      request.rows = algorithm->rows(request, count);
      return algorithm->build(request);
    };
    PlanInputs inputs;
    inputs.schedule = unfold(schedule::fuse_folded(build), call.rank);
    inputs.table = schedule::ChunkTable::equal(count, inputs.schedule.request.rows);
    inputs.element_bytes = sizeof(float);
    inputs.kernel =
        kernels::find_reduce_kernel(DeviceKind::kHost, DataType::kF32, ReduceOp::kSum).value();
    inputs.endpoint_of = [this](int peer) {
      auto& endpoint = peers_[peer];
      if (endpoint == nullptr) endpoint = std::make_unique<SlowPeer>(peer, case_.gathers);
      return endpoint.get();
    };
    inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(); };
    inputs.allocate_scratch = [](std::size_t bytes) {
      return Result<std::shared_ptr<std::byte[]>>(
          std::shared_ptr<std::byte[]>(new std::byte[bytes]));
    };
    plan_ = Plan::make(std::move(inputs)).value();
  }

  std::size_t peers() const { return peers_.size(); }
  trace::CallRecord run(bool spare_core, EagerRunner::Memory memory) {
    EagerRunner eager(*plan_, spare_core, memory);
    Runner& runner = eager;
    trace::CallTimer timer;
    timer.begin({}, ticks_now(), ticks_now());
    const transport::Call call{1, 1, {}};
    auto* const data = reinterpret_cast<std::byte*>(output_.data());
    const Operands operands{.input = data, .output = data, .timer = &timer};
    runner.begin(call, operands);
    Run run(runner, call, &timer);
    const Status status =
        runner.end(run.drive({case_.rank, waiter_.get(), {}, 10'000}), case_.rank);
    EXPECT_TRUE(status.ok()) << status.to_string();
    timer.end();
    return timer.record();
  }

 private:
  Case case_;
  std::vector<float> output_;
  std::map<int, std::unique_ptr<SlowPeer>> peers_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Waiter> waiter_ = Waiter::make({}, {}).value();
};

/// What sends on what it has waited for no longer waits, however few bytes there are.
TEST(EagerTimes, OfSendingOn_AreNoWait) {
  // Rank 4 of eight has what comes from rank 0, and sends it on to two others.
  const Case forwards{Collective::kBroadcast, "tree", 8, 4};
  for (const std::size_t count : {std::size_t{2}, std::size_t{2000}}) {
    ActedRank rank(forwards, count);
    ASSERT_GE(rank.peers(), 3U) << "it has to send to several";
    double least_part = 1;
    // A test that isn't run for a while waits for as long.
    for (int again = 0; again < 5; ++again) {
      const trace::CallRecord record = rank.run(false, EagerRunner::Memory::kCopied);
      ASSERT_GT(record.wait, 0U);
      least_part = std::min(least_part, static_cast<double>(record.wait) /
                                            static_cast<double>(record.done - record.begun));
    }
    EXPECT_LT(least_part, 0.25) << count;
  }
}

/// Neither where they are copied, nor where the system is called.
TEST(EagerTimes, OfSendingSums_AreNoKernels) {
  for (const bool gathers : {false, true}) {
    // Short copies take no longer than to read the clock; calls of the system do.
    ActedRank rank({.gathers = gathers}, gathers ? 3 * 500 : 3 * 1500);
    for (const auto memory : {EagerRunner::Memory::kCopied, EagerRunner::Memory::kLent}) {
      double least_part = 1;
      for (int again = 0; again < 5; ++again) {
        const trace::CallRecord record = rank.run(true, memory);
        ASSERT_GT(record.reduce, 0U);
        least_part = std::min(least_part, static_cast<double>(record.reduce) /
                                              static_cast<double>(record.done - record.begun));
      }
      EXPECT_LT(least_part, 0.1) << (gathers ? "by the system" : "copied") << ", memory "
                                 << (memory == EagerRunner::Memory::kLent ? "lent" : "copied");
    }
  }
}

}  // namespace
}  // namespace rondo::execute
