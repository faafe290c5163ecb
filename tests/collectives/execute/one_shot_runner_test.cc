// The fast path against its specification: ranks that run the schedule `one_shot` and ranks that
// run OneShotRunner meet in one world, and all end with the bits that the schedule alone gives.

#include "collectives/execute/host/one_shot_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include "collectives/algorithms/one_shot_all_reduce.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/schedule/fuse.h"
#include "core/dtype.h"
#include "transport/inproc/inproc_transport.h"
#include "transport/shm/shm_transport.h"

namespace rondo::execute {
namespace {

using transport::Endpoint;
using transport::InprocTransport;
using transport::ShmTransport;
using transport::TransportKind;

std::unique_ptr<transport::Transport> make_transport(TransportKind kind,
                                                     const transport::Identity& identity) {
  if (kind == TransportKind::kShm) return ShmTransport::create(identity).value();
  return InprocTransport::create(identity).value();
}

/// One rank of a world of places of this process.
class Rank {
 public:
  Rank(TransportKind kind, std::uint64_t job, int rank, int world)
      : rank_(rank),
        world_(world),
        transport_(make_transport(kind, {.job = job, .epoch = 1, .rank = rank, .world = world})) {}
  std::string address() const { return transport_->address(); }
  void connect(const std::vector<std::string>& addresses) {
    std::vector<transport::PeerAddress> peers;
    for (int peer = 0; peer < world_; ++peer)
      if (peer != rank_) peers.push_back({peer, addresses[static_cast<std::size_t>(peer)]});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    ASSERT_TRUE(transport_->connect(peers, deadline).ok());
    transport::Transport* transports[] = {transport_.get()};
    waiter_ = Waiter::make(transports, {.spare_core = false}).value();
  }
  bool suits(std::size_t bytes) const { return OneShotRunner::suits(endpoints(), bytes); }
  /// Of floats, or of the bits of bf16.
  template <class T>
  Status all_reduce(std::vector<T>& data, ReduceOp op, bool fast) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::uint16_t>);
    type_ = std::is_same_v<T, float> ? DataType::kF32 : DataType::kBF16;
    const auto runner = fast ? fast_runner(data.size(), op) : planned_runner(data.size(), op);
    auto* bytes = reinterpret_cast<std::byte*>(data.data());
    const transport::Call call{++sequence_, 1, {.collective = 1, .count = data.size()}};
    return runner->run(call, {bytes, bytes}, {rank_, waiter_.get(), {}, 20'000});
  }

 private:
  kernels::ReduceKernel kernel(ReduceOp op) const {
    return kernels::find_reduce_kernel(DeviceKind::kHost, type_, op).value();
  }
  std::vector<Endpoint*> endpoints() const {
    std::vector<Endpoint*> list;
    for (int peer = 0; peer < world_; ++peer) list.push_back(transport_->endpoint(peer));
    return list;
  }
  std::unique_ptr<Runner> fast_runner(std::size_t count, ReduceOp op) {
    EXPECT_TRUE(OneShotRunner::suits(endpoints(), count * size_of(type_)));
    return std::make_unique<OneShotRunner>(
        OneShotRunner::Inputs{rank_, endpoints(), count, size_of(type_), kernel(op), divisor(op)});
  }
  std::unique_ptr<Runner> planned_runner(std::size_t count, ReduceOp op) {
    const auto build = [this](int rank) {
      return algorithms::one_shot_all_reduce({.world = world_, .rank = rank});
    };
    PlanInputs inputs;
    inputs.schedule = schedule::fuse(world_, rank_, build);
    inputs.table = schedule::ChunkTable::equal(count, inputs.schedule.request.rows);
    inputs.element_bytes = size_of(type_);
    inputs.kernel = kernel(op);
    inputs.divisor = divisor(op);
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    inputs.scratch_rows_of = [build](int peer) { return build(peer).scratch_rows; };
    inputs.allocate_scratch = [](std::size_t bytes) {
      return Result<std::shared_ptr<std::byte[]>>(
          std::shared_ptr<std::byte[]>(new std::byte[bytes]));
    };
    plan_ = Plan::make(std::move(inputs)).value();
    return std::make_unique<PlanRunner>(*plan_);
  }
  int divisor(ReduceOp op) const { return op == ReduceOp::kAvg ? world_ : 1; }

  int rank_;
  int world_;
  std::unique_ptr<transport::Transport> transport_;
  DataType type_ = DataType::kF32;
  std::unique_ptr<Waiter> waiter_;
  std::unique_ptr<Plan> plan_;
  std::uint64_t sequence_ = 0;
};

template <class T>
using Values = std::vector<std::vector<T>>;  // by rank

class OneShot : public testing::TestWithParam<std::tuple<TransportKind, int>> {
 protected:
  OneShot() {
    static std::uint64_t jobs = 7000;
    const auto [kind, world] = GetParam();
    std::vector<std::string> addresses;
    for (int rank = 0; rank < world; ++rank)
      addresses.push_back(ranks_.emplace_back(kind, jobs, rank, world).address());
    ++jobs;
    each([&](Rank& rank, std::size_t) { rank.connect(addresses); });
  }
  void each(const std::function<void(Rank&, std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      threads.emplace_back([&, i] { work(ranks_[i], i); });
    for (std::thread& thread : threads) thread.join();
  }
  /// Bit i of `fast`: rank i takes the fast path.
  template <class T>
  Values<T> reduced(Values<T> values, ReduceOp op, unsigned fast) {
    each([&](Rank& rank, std::size_t i) {
      const Status status = rank.all_reduce(values[i], op, ((fast >> i) & 1) != 0);
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
    return values;
  }
  template <class T>
  void expect_bits_of_the_schedule(const Values<T>& values, ReduceOp op) {
    const Values<T> planned = reduced(values, op, 0);
    const unsigned all = (1U << ranks_.size()) - 1;
    for (const unsigned fast : {all, 1U, all - 1, 0b101U & all})
      EXPECT_EQ(reduced(values, op, fast), planned) << to_string(op) << ", fast " << fast;
  }

  /// In the lines of messages; where there are slots, up to a whole one.
  static std::vector<std::size_t> counts() {
    if (std::get<0>(GetParam()) == TransportKind::kInproc) return {0, 1, 2, 5, 6};
    return {0, 1, 6, 7, 250, 16384};
  }

  std::vector<Rank> ranks_;
};

TEST_P(OneShot, AnyMixOfFastAndPlannedRanks_HasTheBitsOfTheSchedule) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> draw(-3, 3);
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProd, ReduceOp::kMin}) {
    for (const std::size_t count : counts()) {
      Values<float> values(ranks_.size(), std::vector<float>(count));
      for (auto& own : values)
        for (float& value : own) value = draw(random);
      expect_bits_of_the_schedule(values, op);
    }
  }
}

/// The fast path rounds once; so must the schedule, whose ops are joined to one sweep.
TEST_P(OneShot, HalvesOnAnyMix_AreRoundedAlike) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> draw(-3, 3);
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProd}) {
    Values<std::uint16_t> values(ranks_.size(), std::vector<std::uint16_t>(12));
    for (auto& own : values)
      for (std::uint16_t& value : own) value = bf16_from_f32(draw(random));
    expect_bits_of_the_schedule(values, op);
  }
}

TEST_P(OneShot, PeerOfAnotherCount_IsAMismatchOnTheFastPathToo) {
  std::vector<Status> results(ranks_.size());
  each([&](Rank& rank, std::size_t i) {
    std::vector<float> data(i == 0 ? 2 : 3, 0.5F);
    results[i] = rank.all_reduce(data, ReduceOp::kSum, true);
  });
  EXPECT_EQ(results[0].code(), ErrorCode::kMismatch) << results[0].to_string();
}

TEST_P(OneShot, MoreThanCanBeCopiedAtOnce_IsRefused) {
  const std::size_t most = counts().back() * sizeof(float);
  EXPECT_TRUE(ranks_[0].suits(most));
  EXPECT_FALSE(ranks_[0].suits(most + 1));
}

/// More calls than there are slots, with nothing between them.
TEST_P(OneShot, ManyCallsOneBehindTheOther_KeepEveryContribution) {
  const std::size_t count = counts().back();
  each([&](Rank& rank, std::size_t i) {
    for (int call = 0; call < 40; ++call) {
      std::vector<float> data(count, static_cast<float>(i) + 0.25F * static_cast<float>(call));
      ASSERT_TRUE(rank.all_reduce(data, ReduceOp::kMax, true).ok());
      const auto greatest =
          static_cast<float>(ranks_.size() - 1) + 0.25F * static_cast<float>(call);
      ASSERT_THAT(data, testing::Each(greatest)) << "call " << call;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, OneShot,
                         testing::Combine(testing::Values(TransportKind::kInproc,
                                                          TransportKind::kShm),
                                          testing::Values(2, 3, 5)));

}  // namespace
}  // namespace rondo::execute
