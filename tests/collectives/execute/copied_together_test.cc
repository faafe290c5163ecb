// Long rows that nothing is combined of, in registered memory: their sender copies a part of them
// while their receiver copies another one.

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/connected_rank.h"
#include "transport/shm/registered_pool.h"

namespace rondo::execute {
namespace {

using schedule::Collective;

constexpr std::size_t kSegmentBytes = transport::ShmOptions().slot_bytes;
/// Of a rank's part of the data; the last segment isn't full.
constexpr std::size_t kPartCount = 37 * kSegmentBytes / sizeof(float) + 77;

/// A place of this process, with its data in registered memory.
class Mover : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;
  ~Mover() {
    for (const std::span<float> data : {input_, output_})
      if (!data.empty()) pool().free(reinterpret_cast<std::byte*>(data.data()));
  }
  Mover(Mover&&) = default;
  Mover& operator=(Mover&&) = delete;

  void plan(Collective collective, std::string_view name) {
    const auto* algorithm = algorithms::find(collective, name);
    const auto build = [this, collective, algorithm](int rank) {
      schedule::Request request{.collective = collective, .world = world_, .rank = rank};
      request.rows = algorithm->rows(request, count());
      return algorithm->build(request);
    };
    const auto folded = schedule::fuse_folded(build);
    PlanInputs inputs;
    inputs.schedule = unfold(folded, rank_);
    inputs.table = schedule::ChunkTable::equal(count(), inputs.schedule.request);
    inputs.element_bytes = sizeof(float);
    inputs.segment_bytes = kSegmentBytes;
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(); };
    inputs.allocate_scratch = [](std::size_t) {
      return Result<std::shared_ptr<std::byte[]>>(std::shared_ptr<std::byte[]>());
    };
    plan_ = Plan::make(std::move(inputs)).value();
    runner_ = std::make_unique<PlanRunner>(*plan_);
    input_ = allocate(plan_->input_bytes());
    output_ = allocate(plan_->output_bytes());
  }
  Status run() {
    const transport::Call call{++sequence_, 1, {.collective = 3, .count = count()}};
    return runner_->run(
        call,
        {reinterpret_cast<std::byte*>(input_.data()), reinterpret_cast<std::byte*>(output_.data())},
        {rank_, waiter_.get(), {}, 20'000});
  }
  std::span<float> input() const { return input_; }
  std::span<float> output() const { return output_; }

 private:
  static transport::RegisteredPool& pool() {
    return *transport::RegisteredPool::instance().value();
  }
  std::size_t count() const { return kPartCount * static_cast<std::size_t>(world_); }
  static std::span<float> allocate(std::size_t bytes) {
    if (bytes == 0) return {};
    return {reinterpret_cast<float*>(pool().allocate(bytes).value()), bytes / sizeof(float)};
  }

  std::unique_ptr<Plan> plan_;
  std::unique_ptr<PlanRunner> runner_;
  std::span<float> input_;
  std::span<float> output_;
  std::uint64_t sequence_ = 0;
};

float value_of(std::size_t rank, std::size_t index) {
  return static_cast<float>(index % 65'521) + 0.25F * static_cast<float>(rank);
}

std::vector<std::size_t> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<std::size_t> cores;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

/// The thread that calls.
void bind_to(std::size_t core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

class CopiedTogether : public testing::TestWithParam<std::tuple<transport::TransportKind, int>> {
 protected:
  CopiedTogether() {
    static std::uint64_t jobs = 9'700;
    const auto [kind, world] = GetParam();
    std::vector<std::string> addresses;
    for (int rank = 0; rank < world; ++rank)
      addresses.push_back(movers_.emplace_back(kind, jobs, rank, world).address());
    ++jobs;
    each([&](Mover& mover, std::size_t) { mover.connect(addresses); });
  }
  void each(const std::function<void(Mover&, std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < movers_.size(); ++i)
      threads.emplace_back([&, i] {
        if (!cores_.empty()) bind_to(cores_[i % cores_.size()]);
        work(movers_[i], i);
      });
    for (std::thread& thread : threads) thread.join();
  }
  void plan(Collective collective, std::string_view algorithm) {
    for (Mover& mover : movers_) mover.plan(collective, algorithm);
    for (std::size_t rank = 0; rank < world(); ++rank)
      for (std::size_t i = 0; i < movers_[rank].input().size(); ++i)
        movers_[rank].input()[i] = value_of(rank, i);
  }
  void run(int calls) {
    for (Mover& mover : movers_) std::ranges::fill(mover.output(), -1.0F);
    each([calls](Mover& mover, std::size_t) {
      for (int i = 0; i < calls; ++i) {
        const Status status = mover.run();
        ASSERT_TRUE(status.ok()) << status.to_string();
      }
    });
  }
  /// The output of `rank` is what these ranks' inputs have from their element `first` on, one
  /// behind the other.
  void expect_output(std::size_t rank, const std::vector<std::size_t>& sources, std::size_t first) {
    const std::span<float> output = movers_[rank].output();
    const std::size_t each = output.size() / sources.size();
    for (std::size_t i = 0; i < output.size(); ++i)
      ASSERT_EQ(output[i], value_of(sources[i / each], first + i % each)) << rank << ": " << i;
  }
  std::vector<std::uint64_t> copied() const {
    std::vector<std::uint64_t> bytes;
    for (const Mover& mover : movers_) bytes.push_back(mover.copied_bytes());
    return bytes;
  }
  /// Whoever copied it, once.
  void expect_copied(std::size_t parts) {
    const auto bytes = copied();
    EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}),
              parts * kPartCount * sizeof(float));
  }
  std::size_t world() const { return movers_.size(); }
  std::vector<std::size_t> all_ranks() const {
    std::vector<std::size_t> ranks(world());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    return ranks;
  }

  static constexpr int kCalls = 20;
  std::vector<Mover> movers_;
  std::vector<std::size_t> cores_;  ///< that ranks are bound to, in turn; empty: they aren't
};

TEST_P(CopiedTogether, Broadcast) {
  plan(Collective::kBroadcast, "linear");
  run(kCalls);
  for (std::size_t rank = 0; rank < world(); ++rank) expect_output(rank, {0}, 0);
  expect_copied(kCalls * (world() - 1) * world());
}

TEST_P(CopiedTogether, Gather) {
  plan(Collective::kGather, "linear");
  run(kCalls);
  expect_output(0, all_ranks(), 0);
  expect_copied(kCalls * (world() - 1));
}

TEST_P(CopiedTogether, Scatter) {
  plan(Collective::kScatter, "linear");
  run(kCalls);
  for (std::size_t rank = 0; rank < world(); ++rank) expect_output(rank, {0}, rank * kPartCount);
  expect_copied(kCalls * (world() - 1));
}

TEST_P(CopiedTogether, AllGather_AsARing) {
  plan(Collective::kAllGather, "ring");
  run(kCalls);
  for (std::size_t rank = 0; rank < world(); ++rank) expect_output(rank, all_ranks(), 0);
  expect_copied(kCalls * (world() - 1) * world());
}

/// It has nothing to do but to wait for them.
TEST_P(CopiedTogether, ABroadcastsRoot_CopiesAPart) {
  const std::vector<std::size_t> cores = usable_cores();
  if (cores.size() < 2) GTEST_SKIP() << "on one core nobody is sooner by another's help";
  plan(Collective::kBroadcast, "linear");
  // Where other programs have a core the two may be left on one for as long as this takes.
  cores_ = cores;
  constexpr int kMostRounds = 1000;
  for (int round = 0; round < kMostRounds && copied()[0] == 0; ++round) run(kCalls);
  EXPECT_GT(copied()[0], 0U);
}

INSTANTIATE_TEST_SUITE_P(Worlds, CopiedTogether,
                         testing::Combine(testing::Values(transport::TransportKind::kInproc,
                                                          transport::TransportKind::kShm),
                                          testing::Values(2, 3)));

}  // namespace
}  // namespace rondo::execute
