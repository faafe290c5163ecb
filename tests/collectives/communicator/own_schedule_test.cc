// Schedules of the user's own, written op by op: proved, run, inherited; wrong ones refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rondo/plan.h"
#include "rondo/schedule_builder.h"
#include "rondo/schedules.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;

/// The built-in ring; what is wrong with it, if anything.
struct Ring {
  int ranks = 3;
  bool turns = false;
  int without_the_last_recv_of = -1;
  int wrong_row_of = -1;
  int wrong_peer_of = -1;

  ScheduleBuilder written() const {
    ScheduleBuilder ring("my_ring", Collective::kAllReduce, ranks,
                         static_cast<std::uint32_t>(ranks));
    if (turns) ring.turns();
    for (int rank = 0; rank < (turns ? 1 : ranks); ++rank) add(ring, rank);
    return ring;
  }

 private:
  std::uint32_t row(int number) const {
    return static_cast<std::uint32_t>((number % ranks + ranks) % ranks);
  }
  void add(ScheduleBuilder& ring, int rank) const {
    const int next = (rank + 1) % ranks;
    const int before = rank == wrong_peer_of ? next : (rank + ranks - 1) % ranks;
    ring.send(rank, next, ScheduleBuilder::in(row(rank)));
    for (int step = 1; step < ranks; ++step) {
      const std::uint32_t at = row(rank - step - (rank == wrong_row_of ? 1 : 0));
      ring.recv_reduce(rank, before, ScheduleBuilder::in(at), ScheduleBuilder::out(at),
                       step == ranks - 1);
      ring.send(rank, next, ScheduleBuilder::out(at));
    }
    for (int step = 0; step < ranks - 1; ++step) {
      const bool last = step == ranks - 2;
      if (last && rank == without_the_last_recv_of) return;
      ring.recv(rank, before, ScheduleBuilder::out(row(rank - step)));
      if (!last) ring.send(rank, next, ScheduleBuilder::out(row(rank - step)));
    }
  }
};

/// The bits of an all-reduce of numbers that no order sums alike.
std::vector<float> summed(Communicator& rank, const char* algorithm) {
  std::vector<float> data(1009);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = 0.37F * static_cast<float>(i % 97 + 1) + 1.13F * static_cast<float>(rank.rank());
  rank.all_reduce({data.data(), data.size(), DataType::kF32});
  EXPECT_EQ(rank.last_call().algorithm, algorithm);
  return data;
}

std::vector<std::vector<float>> summed_by(const World& world, const char* algorithm) {
  std::vector<std::vector<float>> all(static_cast<std::size_t>(world.size));
  spawn(world, [&](Communicator& rank) {
    all[static_cast<std::size_t>(rank.rank())] = summed(rank, algorithm);
  });
  return all;
}

std::string refused(const Ring& ring) {
  try {
    ring.written().build();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.message() + " at " + error.where();
  }
  return "accepted";
}

TEST(OwnSchedule, WrittenOpByOp_HasTheBitsOfTheBuiltInRing) {
  for (const bool turns : {false, true}) {
    const std::string text = Ring{.ranks = 4, .turns = turns}.written().build();
    EXPECT_EQ(verify_schedule(text, "x").name, "my_ring");
    const auto ours = summed_by({.size = 4, .algorithm = "ring"}, "ring");
    for (const char* transport : {"inproc", "tcp"}) {
      const auto own = summed_by({.size = 4, .transport = transport, .schedule = text}, "my_ring");
      EXPECT_EQ(own, ours) << transport;
    }
  }
}

// More than there are slots for: whoever sends mustn't wait for room before it receives.
TEST(OwnSchedule, ThatSendsManyRowsBeforeItReceives_GetsOn) {
  constexpr int kRowsOfARank = 16;
  constexpr std::size_t kCount = 1600;
  ScheduleBuilder all_first("all_first", Collective::kAllGather, 2, 2 * kRowsOfARank);
  for (int rank = 0; rank < 2; ++rank) {
    const auto row = [](int of, int i) {
      return static_cast<std::uint32_t>(of * kRowsOfARank + i);
    };
    for (int i = 0; i < kRowsOfARank; ++i) {
      const std::uint32_t own = row(rank, i);
      all_first.copy(rank, ScheduleBuilder::in(own), ScheduleBuilder::out(own));
    }
    for (int i = 0; i < kRowsOfARank; ++i)
      all_first.send(rank, 1 - rank, ScheduleBuilder::out(row(rank, i)));
    for (int i = 0; i < kRowsOfARank; ++i)
      all_first.recv(rank, 1 - rank, ScheduleBuilder::out(row(1 - rank, i)));
  }
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    const World world{
        .size = 2, .transport = transport, .timeout_ms = 10'000, .schedule = all_first.json()};
    spawn(world, [](Communicator& rank) {
      const auto value = [](int of, std::size_t i) {
        return 0.5F + 4000.0F * static_cast<float>(of) + static_cast<float>(i);
      };
      std::vector<float> input(kCount);
      std::vector<float> output(2 * kCount);
      for (std::size_t i = 0; i < kCount; ++i) input[i] = value(rank.rank(), i);
      for (int call = 0; call < 3; ++call) {
        rank.all_gather({input.data(), kCount}, {output.data(), 2 * kCount});
        EXPECT_EQ(rank.last_call().algorithm, "all_first");
        for (std::size_t i = 0; i < output.size(); ++i)
          ASSERT_EQ(output[i], value(i < kCount ? 0 : 1, i % kCount)) << i;
      }
    });
  }
}

/// Two rows of each rank, of which the first is longer where its part is of an odd number.
TEST(OwnSchedule, OfSeveralRowsOfARank_KeepsEachPartWhole) {
  using B = ScheduleBuilder;
  ScheduleBuilder gather("my_gather", Collective::kAllGather, 2, 4);
  ScheduleBuilder scatter("my_scatter", Collective::kScatter, 2, 4);
  for (std::uint32_t row = 0; row < 4; ++row) {
    const int owner = static_cast<int>(row) / 2;
    gather.copy(owner, B::in(row), B::out(row));
    gather.send(owner, 1 - owner, B::in(row));
    gather.recv(1 - owner, owner, B::out(row));
    if (owner == 0) scatter.copy(0, B::in(row), B::out(row));
    if (owner == 1) scatter.send(0, 1, B::in(row));
    if (owner == 1) scatter.recv(1, 0, B::out(row));
  }
  for (const std::size_t count : {1U, 2U, 3U, 1001U}) {
    const auto value = [](std::size_t i) { return 0.37F * static_cast<float>(i) + 1.13F; };
    std::vector<float> all(2 * count);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = value(i);
    const auto part_of = [&](const Communicator& rank) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(count) * rank.rank();
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    spawn({.size = 2, .schedule = gather.build()}, [&](Communicator& rank) {
      const std::vector<float> input = part_of(rank);
      std::vector<float> output(all.size() + 1, -1.5F);
      rank.all_gather({input.data(), count}, {output.data(), all.size()});
      EXPECT_EQ(rank.last_call().algorithm, "my_gather");
      EXPECT_EQ(output.back(), -1.5F);
      output.pop_back();
      EXPECT_EQ(output, all);
    });
    spawn({.size = 2, .schedule = scatter.build()}, [&](Communicator& rank) {
      std::vector<float> output(count + 2, -1.5F);
      rank.scatter({all.data(), all.size()}, {output.data(), count}, 0);
      EXPECT_EQ(rank.last_call().algorithm, "my_scatter");
      std::vector<float> expected = part_of(rank);
      expected.insert(expected.end(), 2, -1.5F);
      EXPECT_EQ(output, expected);
    });
  }
}

TEST(OwnSchedule, IsInheritedBySplits) {
  spawn({.size = 3, .schedule = Ring{}.written().build()}, [](Communicator& rank) {
    summed(rank, "my_ring");
    auto same = rank.split(0);
    summed(*same, "my_ring");
  });
}

/// As of an editor or a heredoc.
TEST(OwnSchedule, TextBehindWhitespace_IsNoPath) {
  spawn({.size = 3, .schedule = "\n\t " + Ring{}.written().build()},
        [](Communicator& rank) { summed(rank, "my_ring"); });
}

/// What a communicator says of an all-reduce of `count` doubles by its own schedule.
std::vector<double> predicted_us(const World& world, std::size_t count) {
  std::vector<double> all(static_cast<std::size_t>(world.size));
  spawn(world, [&](Communicator& rank) {
    std::vector<double> data(count, rank.rank() + 0.25);
    rank.all_reduce({data.data(), data.size(), DataType::kF64});
    EXPECT_EQ(rank.last_call().algorithm, "my_ring");
    all[static_cast<std::size_t>(rank.rank())] = rank.last_call().predicted_us;
  });
  return all;
}

/// A tuning file whose messages take long, gone with it.
struct SlowTuning {
  std::string text =
      R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 4}], "inside": {"maps": true,)"
      R"( "messages": [{"latency_us": 500}]}}, "measured": []})";
  std::string path = std::filesystem::temp_directory_path().string() + "/rondo-own-tuning-" +
                     std::to_string(::getpid()) + ".json";

  SlowTuning() { std::ofstream(path) << text; }
  ~SlowTuning() { std::filesystem::remove(path); }
  SlowTuning(const SlowTuning&) = delete;
  SlowTuning& operator=(const SlowTuning&) = delete;
};

TEST(OwnSchedule, IsPredictedOnEveryRank_AsAPlanOfItIs) {
  const std::string text = Ring{.ranks = 4}.written().build();
  const SlowTuning tuning;
  // Also in rows that the data doesn't divide into, and in ones of many segments.
  for (const std::size_t count : {std::size_t{7}, std::size_t{1009}, std::size_t{1} << 20}) {
    PlanQuestion question{.bytes = count * sizeof(double),
                          .type = DataType::kF64,
                          .ranks_per_host = 4,
                          .algorithm = "my_ring",
                          .schedule = text};
    const double built_in = explain_plan(question).candidates.front().predicted_us;
    question.hosts = 0;
    question.tuning = tuning.text;
    const double tuned = explain_plan(question).candidates.front().predicted_us;
    EXPECT_GT(built_in, 0);
    EXPECT_GT(tuned, 3000) << "six messages in a row";
    EXPECT_THAT(predicted_us({.size = 4, .schedule = text}, count), Each(DoubleEq(built_in)));
    EXPECT_THAT(predicted_us({.size = 4, .tuning = tuning.path, .schedule = text}, count),
                Each(DoubleEq(tuned)));
    // Ranks that share no memory are joined as hosts are.
    EXPECT_THAT(predicted_us({.size = 4, .transport = "tcp", .schedule = text}, count),
                Each(Gt(1.5 * built_in)));
  }
}

TEST(OwnSchedule, WrongOnesAreRefused_AndSayWhatIsRight) {
  EXPECT_EQ(refused({}), "accepted");
  EXPECT_THAT(refused({.wrong_row_of = 1}), AllOf(HasSubstr("row"), HasSubstr("rank")));
  EXPECT_THAT(refused({.without_the_last_recv_of = 2}), HasSubstr("rank 2"));
  EXPECT_THAT(refused({.wrong_peer_of = 1}), HasSubstr("rank 1"));
  Ring half{.ranks = 3, .turns = true};
  ScheduleBuilder ring = half.written();
  ring.copy(2, ScheduleBuilder::in(0), ScheduleBuilder::out(0));
  EXPECT_THROW(ring.build(), Error) << "rank 0 stands for all, and rank 2 has ops of its own";
}

TEST(OwnSchedule, WhatThereIsntIsRefusedAtOnce) {
  ScheduleBuilder ring("x", Collective::kAllReduce, 3, 3);
  const auto message = [](const auto& add) {
    try {
      add();
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("accepted");
  };
  using Builder = ScheduleBuilder;
  EXPECT_EQ(message([&] { ring.send(3, 0, Builder::in(0)); }),
            "schedule builder: rank 3: expected 0 to 2");
  EXPECT_EQ(message([&] { ring.send(0, -1, Builder::in(0)); }),
            "schedule builder: peer -1: expected 0 to 2");
  EXPECT_EQ(message([&] { ring.recv(0, 1, Builder::out(3)); }),
            "schedule builder: row 3: expected 0 to 2");
  EXPECT_EQ(message([&] { ring.recv(0, 1, Builder::out(0), 6); }),
            "schedule builder: lane 6: expected 0 to 5");
  EXPECT_EQ(message([&] { ring.wait(0, 0, 0, 1); }),
            "schedule builder: op waited for 0: there is none yet");
  const Builder::Place slot = ring.scratch(0, 2);
  EXPECT_EQ(message([&] { ring.copy(0, Builder::in(0), slot); }), "accepted");
  EXPECT_EQ(message([&] { ring.copy(1, Builder::in(0), slot); }),
            "schedule builder: scratch slot 0: there is none yet");
  EXPECT_EQ(message([] { Builder("x", Collective::kAllReduce, 0, 1); }),
            "schedule builder: ranks 0: expected 1 to 4096");
}

}  // namespace
}  // namespace rondo::testing
