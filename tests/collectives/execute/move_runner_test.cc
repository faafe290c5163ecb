// The runner of short messages that are only moved, against its specification: ranks that run a
// plan by MoveRunner, EagerRunner and PlanRunner meet in one world, and every row comes where it
// belongs.

#include "collectives/execute/host/move_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/eager_runner.h"
#include "collectives/execute/host/plan_runner.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/execute/connected_rank.h"
#include "transport/shm/registered_pool.h"

namespace rondo::execute {
namespace {

using schedule::Collective;

/// kSendsFirst: as a place runs it.
enum class Way { kMoves, kSendsFirst, kEager, kEagerLent, kPlan };

struct Moving {
  Collective collective = Collective::kGather;
  std::string algorithm = "linear";
  int root = 0;
  std::vector<std::size_t> counts;  ///< by row
};

/// Element `index` of `row`, that of no other.
double value_of(std::size_t row, std::size_t index) {
  return 0.37 + static_cast<double>(row) * 1000 + static_cast<double>(index) / 7;
}

std::vector<double> rows(const Moving& moving, const std::vector<std::size_t>& wanted) {
  std::vector<double> values;
  for (const std::size_t row : wanted)
    for (std::size_t i = 0; i < moving.counts[row]; ++i) values.push_back(value_of(row, i));
  return values;
}

std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> list;
  for (std::size_t row = 0; row < count; ++row) list.push_back(row);
  return list;
}

/// What rank `own` of `world` has, and what it is to have.
std::vector<std::size_t> input_rows(const Moving& moving, std::size_t own, std::size_t world) {
  if (moving.collective == Collective::kGather) return {own};
  if (moving.collective == Collective::kScatter)
    return static_cast<std::size_t>(moving.root) == own ? all_rows(world)
                                                        : std::vector<std::size_t>();
  std::vector<std::size_t> list;
  for (std::size_t to = 0; to < world; ++to) list.push_back(own * world + to);
  return list;
}

std::vector<std::size_t> output_rows(const Moving& moving, std::size_t own, std::size_t world) {
  if (moving.collective == Collective::kScatter) return {own};
  if (moving.collective == Collective::kGather)
    return static_cast<std::size_t>(moving.root) == own ? all_rows(world)
                                                        : std::vector<std::size_t>();
  std::vector<std::size_t> list;
  for (std::size_t from = 0; from < world; ++from) list.push_back(from * world + own);
  return list;
}

class MovingRank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;

  /// Of the last call.
  const trace::CallRecord& record() const { return timer_.record(); }

  Result<std::vector<double>> run(const Moving& moving, Way way) {
    std::vector<double> input = input_of(moving);
    return run(moving, way, input);
  }
  /// The same out of memory that peers can map; it is overwritten as soon as the call has ended.
  Result<std::vector<double>> run_registered(const Moving& moving, Way way) {
    const std::vector<double> values = input_of(moving);
    transport::RegisteredPool* const pool = transport::RegisteredPool::instance().value();
    auto* const memory =
        reinterpret_cast<double*>(pool->allocate(values.size() * sizeof(double) + 1).value());
    const std::span<double> input(memory, values.size());
    std::ranges::copy(values, input.begin());
    auto moved = run(moving, way, input);
    std::ranges::fill(input, -7.5);
    pool->free(reinterpret_cast<std::byte*>(memory));
    return moved;
  }

 private:
  std::vector<double> input_of(const Moving& moving) const {
    return rows(moving, input_rows(moving, static_cast<std::size_t>(rank_),
                                   static_cast<std::size_t>(world_)));
  }
  Result<std::vector<double>> run(const Moving& moving, Way way, std::span<double> input) {
    const auto own = static_cast<std::size_t>(rank_);
    const auto world = static_cast<std::size_t>(world_);
    std::vector<double> output(rows(moving, output_rows(moving, own, world)).size(), -1);
    const auto plan = make_plan(moving);
    const auto runner = make_runner(*plan, way);
    const transport::Call call{++sequence_, 1, {.collective = 3}};
    Operands operands{.input = reinterpret_cast<std::byte*>(input.data()),
                      .output = reinterpret_cast<std::byte*>(output.data())};
    timer_.begin({}, ticks_now(), ticks_now());
    RONDO_TRY(drive(*runner, call, operands, way == Way::kSendsFirst));
    timer_.end();
    return output;
  }
  std::unique_ptr<Plan> make_plan(const Moving& moving) {
    const auto* algorithm = algorithms::find(moving.collective, moving.algorithm);
    const auto build = [&](int rank) {
      return algorithm->build({.collective = moving.collective,
                               .world = world_,
                               .rank = rank,
                               .root = moving.root,
                               .rows = static_cast<std::uint32_t>(moving.counts.size())});
    };
    PlanInputs inputs;
    inputs.schedule = unfold(schedule::fuse_folded(build), rank_);
    inputs.table = schedule::ChunkTable::of_counts(moving.counts).value();
    inputs.element_bytes = sizeof(double);
    inputs.sizes_of_own_rows_only = true;
    inputs.segment_bytes = transport::ShmOptions().slot_bytes;
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    inputs.scratch_rows_of = [](int) { return std::vector<std::uint32_t>(); };
    inputs.allocate_scratch = [](std::size_t bytes) {
      return Result<std::shared_ptr<std::byte[]>>(
          std::shared_ptr<std::byte[]>(new std::byte[bytes]));
    };
    return Plan::make(std::move(inputs)).value();
  }
  std::unique_ptr<Runner> make_runner(const Plan& plan, Way way) const {
    EXPECT_TRUE(EagerRunner::suits(plan) && MoveRunner::only_moves(plan));
    if (way == Way::kMoves || way == Way::kSendsFirst)
      return std::make_unique<MoveRunner>(plan, world_ == 2);
    if (way == Way::kEager) return std::make_unique<EagerRunner>(plan, false);
    if (way == Way::kEagerLent)
      return std::make_unique<EagerRunner>(plan, false, EagerRunner::Memory::kLent);
    return std::make_unique<PlanRunner>(plan);
  }

  /// Nobody counts the time before the first messages have gone out.
  Status drive(Runner& runner, const transport::Call& call, Operands& operands, bool sends_first) {
    Status status;
    if (sends_first) {
      EXPECT_NE(runner.head_start(), HeadStart::kNone);
      status = runner.send_first(call, operands);
      operands.timer = &timer_;
    } else {
      operands.timer = &timer_;
      runner.begin(call, operands);
    }
    Run run(runner, call, &timer_);
    if (status.ok()) status = run.drive({rank_, waiter_.get(), {}, 20'000});
    return run.end(std::move(status), rank_);
  }

  std::uint64_t sequence_ = 0;
  trace::CallTimer timer_;
};

class Moves : public testing::TestWithParam<int> {
 protected:
  Moves() {
    static std::uint64_t jobs = 9500;
    std::vector<std::string> addresses;
    for (int rank = 0; rank < world(); ++rank) {
      addresses.push_back(
          ranks_.emplace_back(transport::TransportKind::kShm, jobs, rank, world()).address());
    }
    ++jobs;
    each([&](MovingRank& rank, std::size_t) { rank.connect(addresses); });
  }
  static int world() { return GetParam(); }
  void each(const std::function<void(MovingRank&, std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      threads.emplace_back([&, i] { work(ranks_[i], i); });
    for (std::thread& thread : threads) thread.join();
  }
  /// Rank i goes the way i of `ways`, which begin again behind the last; some ranks' memory can be
  /// mapped, others' not.
  void check(const Moving& moving, const std::vector<Way>& ways) {
    for (const std::size_t registered : {0U, 1U, 2U}) {
      each([&](MovingRank& rank, std::size_t i) {
        const Way way = ways[i % ways.size()];
        const bool is_registered = registered == 2 || (registered == 1 && i % 2 == 0);
        const auto moved = is_registered ? rank.run_registered(moving, way) : rank.run(moving, way);
        ASSERT_TRUE(moved.ok()) << moved.status().to_string();
        EXPECT_EQ(*moved, rows(moving, output_rows(moving, i, ranks_.size()))) << "rank " << i;
      });
    }
  }

  void check_row_of_another_size(Way way);
  /// Rank 0's, where rank 1 comes last.
  trace::CallRecord record_of_wait_for_rank_1(Way way);

  std::vector<MovingRank> ranks_;
};

/// Rows of `most` elements at most, one of them empty.
std::vector<std::size_t> counts_of(std::size_t count, std::size_t most) {
  std::vector<std::size_t> list;
  for (std::size_t row = 0; row < count; ++row) list.push_back(row * 131 % (most + 1));
  return list;
}

TEST_P(Moves, AnyMixOfRanks_MovesEveryRow) {
  using enum Way;
  const auto count = static_cast<std::size_t>(world());
  for (const auto& ways : {std::vector{kMoves},
                           {kMoves, kPlan},
                           {kPlan, kMoves},
                           {kEager, kMoves},
                           {kMoves, kEagerLent},
                           {kSendsFirst},
                           {kPlan, kSendsFirst},
                           {kMoves, kEager, kPlan}}) {
    for (const std::size_t most : {0U, 2U, 3U, 40U, 1000U}) {
      for (int root = 0; root < world(); ++root) {
        check({Collective::kGather, "linear", root, counts_of(count, most)}, ways);
        check({Collective::kScatter, "linear", root, counts_of(count, most)}, ways);
      }
      for (const char* algorithm : {"direct", "pairwise"})
        check({Collective::kAllToAll, algorithm, 0, counts_of(count * count, most)}, ways);
    }
  }
}

TEST_P(Moves, LongRowsOfRegisteredMemory_AreReadWhereTheyLie) {
  const auto count = static_cast<std::size_t>(world());
  const std::size_t longer = kMostCopiedRow / sizeof(double) + 1;
  for (const Way way : {Way::kMoves, Way::kSendsFirst}) {
    const Moving lent{Collective::kAllToAll, "direct", 0,
                      std::vector<std::size_t>(count * count, longer)};
    const Moving copied{Collective::kAllToAll, "direct", 0,
                        std::vector<std::size_t>(count * count, longer - 1)};
    each([&](MovingRank& rank, std::size_t) {
      const std::uint64_t before = rank.copied_bytes();
      EXPECT_TRUE(rank.run_registered(lent, way).ok());
      EXPECT_EQ(rank.copied_bytes(), before);
      EXPECT_TRUE(rank.run_registered(copied, way).ok());
      EXPECT_EQ(rank.copied_bytes(), before + (count - 1) * (longer - 1) * sizeof(double));
    });
  }
}

// More than a lane has lines for: whoever sends waits for room.
TEST_P(Moves, RootThatIsFarAhead_WaitsForItsPeers) {
  constexpr int kCalls = 200;
  constexpr Way kWays[] = {Way::kMoves, Way::kSendsFirst};
  const Moving moving{Collective::kScatter, "linear", 0,
                      counts_of(static_cast<std::size_t>(world()), 40)};
  each([&](MovingRank& rank, std::size_t i) {
    for (int call = 0; call < kCalls; ++call) {
      if (i != 0 && call % 70 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const auto moved = rank.run(moving, kWays[call / 100]);
      ASSERT_TRUE(moved.ok()) << moved.status().to_string();
      ASSERT_EQ(*moved, rows(moving, output_rows(moving, i, ranks_.size())));
    }
  });
}

void Moves::check_row_of_another_size(Way way) {
  std::vector<Status> ended(ranks_.size());
  each([&](MovingRank& rank, std::size_t i) {
    Moving moving{Collective::kGather, "linear", 0, std::vector<std::size_t>(ranks_.size(), 300)};
    if (i == 1) moving.counts[1] = 299;
    ended[i] = rank.run(moving, way).status();
  });
  EXPECT_EQ(ended[0].code(), ErrorCode::kMismatch) << ended[0].to_string();
  EXPECT_EQ(ended[0].culprit(), 1);
  EXPECT_THAT(ended[0].where(), testing::HasSubstr("recv <- rank 1, row 1"));
}

TEST_P(Moves, RowOfAnotherSize_IsAMismatchThatNamesTheSender) {
  check_row_of_another_size(Way::kMoves);
}

TEST_P(Moves, RowOfAnotherSize_IsOneWhereSendsComeFirst_Too) {
  check_row_of_another_size(Way::kSendsFirst);
}

trace::CallRecord Moves::record_of_wait_for_rank_1(Way way) {
  const Moving moving{Collective::kGather, "linear", 0, std::vector<std::size_t>(ranks_.size(), 9)};
  std::atomic<std::size_t> others = 0;
  each([&](MovingRank& rank, std::size_t i) {
    if (i != 1) ++others;
    // The last by far, however late the others have been started.
    while (i == 1 && others + 1 < ranks_.size()) std::this_thread::yield();
    if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(rank.run(moving, way).ok());
  });
  return ranks_[0].record();
}

TEST_P(Moves, TimeWithoutAnythingToDo_IsTheLateRanks) {
  for (const Way way : {Way::kMoves, Way::kSendsFirst}) {
    bool is_as_expected = false;
    // Another thread may be kept from running for longer than that, but not every time.
    for (int again = 0; again < 10 && !is_as_expected; ++again) {
      const trace::CallRecord record = record_of_wait_for_rank_1(way);
      EXPECT_LE(record.wait, record.done - record.begun);
      EXPECT_GT(record.last_byte, record.begun);
      is_as_expected =
          record.waited_longest_for == 1 && record.wait > (record.done - record.begun) / 2;
    }
    EXPECT_TRUE(is_as_expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, Moves, testing::Values(2, 3, 5));

}  // namespace
}  // namespace rondo::execute
