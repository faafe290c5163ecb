// Schedules that somebody has written: read, proved, priced.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "rondo/error.h"
#include "rondo/plan.h"
#include "rondo/schedule_builder.h"
#include "rondo/schedules.h"
#include "tests/fuzz_trials.h"

namespace rondo {
namespace {

/// A ring of three: rank 0's ops, the others' are turns of them.
constexpr const char* kRing = R"({
  "name": "my_ring", "collective": "all_reduce", "ranks": 3, "rows": 3, "turns": true,
  "schedules": [{"lanes": [[
    ["send", 1, "in 0"],
    ["recv_reduce", 2, "in 2", "out 2"],
    ["send", 1, "out 2"],
    ["recv_reduce", 2, "in 1", "out 1", "final"],
    ["send", 1, "out 1"],
    ["recv", 2, "out 0"],
    ["send", 1, "out 0"],
    ["recv", 2, "out 2"]
  ]]}]
})";

std::string with(std::string text, const std::string& part, const std::string& instead) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), instead);
}

std::string error_of(const std::string& json) {
  try {
    verify_schedule(json, "x.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.message() + " @ " + error.where();
  }
  return "accepted";
}

TEST(Written, ARingIsRight) {
  const VerifiedSchedule ring = verify_schedule(kRing, "x.json");
  EXPECT_EQ(ring.name, "my_ring");
  EXPECT_EQ(ring.collective, "all_reduce");
  EXPECT_EQ(ring.ranks, 3);
  EXPECT_LT(ring.sweeps, 3U * 8U) << "ops are fused";
}

TEST(Written, AWrongOneIsToldWhereAndWhatWouldBeRight) {
  // The sum of row 1 lacks a contribution.
  const std::string lacks = error_of(
      with(kRing, R"(["recv_reduce", 2, "in 1", "out 1", "final"])", R"(["recv", 2, "out 1"])"));
  EXPECT_EQ(lacks.find("x.json: at the end output 0"), 0U) << lacks;
  EXPECT_NE(lacks.find("rank"), std::string::npos) << lacks;
  EXPECT_NE(lacks.find("row"), std::string::npos) << lacks;
  const std::string waits = error_of(with(kRing, R"(["send", 1, "in 0"],)", ""));
  EXPECT_NE(waits.find("nothing can move any more"), std::string::npos) << waits;
  const std::string twice = error_of(with(kRing, R"("in 2", "out 2"])", R"("in 2", "out 1"])"));
  EXPECT_NE(twice, "accepted");
  const std::string beyond = error_of(with(kRing, R"("out 0"],
    ["send")",
                                           R"("out 7"],
    ["send")"));
  EXPECT_NE(beyond.find('7'), std::string::npos) << beyond;
}

/// All ranks' ops of a sum along a chain, whose last rank sends it back.
std::string chain_of(int ranks, int careless_rank) {
  std::string schedules;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool is_last = rank == ranks - 1;
    std::string ops = rank == 0 ? R"(["send", 1, "in 0"])"
                      : rank == careless_rank
                          ? fmt::format(R"(["recv", {}, "out 0"])", rank - 1)
                          : fmt::format(R"(["recv_reduce", {}, "in 0", "out 0"{}])", rank - 1,
                                        is_last ? R"(, "final")" : "");
    if (rank > 0 && !is_last) ops += fmt::format(R"(, ["send", {}, "out 0"])", rank + 1);
    if (!is_last) ops += fmt::format(R"(, ["recv", {}, "out 0"])", rank + 1);
    if (rank > 0) ops += fmt::format(R"(, ["send", {}, "out 0"])", rank - 1);
    schedules += fmt::format(R"({}{{"lanes": [[{}]]}})", rank == 0 ? "" : ",", ops);
  }
  return fmt::format(R"({{"name": "chain", "collective": "all_reduce", "ranks": {}, "rows": 1,
    "schedules": [{}]}})",
                     ranks, schedules);
}

/// Also in worlds that are proved by what their fused sweeps do.
TEST(Written, TheOpThatIsToBlameIsNamedInLargeWorldsToo) {
  for (const int ranks : {8, 600}) {
    EXPECT_EQ(error_of(chain_of(ranks, -1)), "accepted");
    const std::string error = error_of(chain_of(ranks, 5));
    EXPECT_NE(error.find("; the mistake is at rank 5, op 1/4 recv <- rank 4, row 0 [lane 0]: it "
                         "takes what comes without adding row 0 of rank 5"),
              std::string::npos)
        << error;
  }
}

std::string one_op(int ranks, const char* collective, const char* op) {
  return fmt::format(R"({{"name": "x", "collective": "{}", "ranks": {}, "rows": 1, "turns": true,
    "schedules": [{{"lanes": [[{}]]}}]}})",
                     collective, ranks, op);
}

/// Nothing is looked up by a number that nobody has checked.
TEST(Written, WhatIsNotThereIsToldInLargeWorldsToo) {
  for (const int ranks : {8, 600}) {
    for (const auto& [op, why] :
         {std::pair(R"(["copy", "in 0", "scratch 4000000"])", "there is no row 4000000"),
          std::pair(R"(["copy", "in 4000000", "out 4000000"])", "there is no row 4000000"),
          std::pair(R"(["copy", "in 0", "out 4000000"])", "there is no row 4000000"),
          std::pair(R"(["wait", 5, 4000000])", "waits for a sweep that doesn't exist")}) {
      const std::string error = error_of(one_op(ranks, "all_reduce", op));
      EXPECT_NE(error.find(why), std::string::npos) << ranks << ' ' << error;
      EXPECT_NE(error.find("rank 0, op 1/1 of lane 0"), std::string::npos) << ranks << ' ' << error;
    }
    const std::string error = error_of(one_op(ranks, "broadcast", R"(["copy", "in 0", "out 0"])"));
    EXPECT_NE(error.find("rank 1 has no input 0"), std::string::npos) << error;
  }
}

/// Where callers have several rows of a part side by side, the proof had them p rows apart.
TEST(Written, SeveralRowsOfAPartOfAllToAll_AreRefused) {
  const std::string world_of_one = R"({"name": "x", "collective": "all_to_all", "ranks": 1,
    "rows": 2, "schedules": [{"lanes": [[["copy", "in 0", "out 0"], ["copy", "in 1", "out 1"]]]}]})";
  EXPECT_NE(error_of(world_of_one).find("rows: expected 1, got 2"), std::string::npos)
      << error_of(world_of_one);
  ScheduleBuilder builder("x", Collective::kAllToAll, 2, 8);
  try {
    builder.build();
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("rows: expected 4, got 8"), std::string::npos) << error.what();
  }
}

TEST(Written, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(error_of("{}"),
            "x.json: name: expected a name, of one line and at most 256 bytes, got nothing @ ");
  EXPECT_NE(error_of(with(kRing, "\"send\"", "\"sned\""))
                .find("x.json: schedules[0].lanes[0][0]: unknown op 'sned'; allowed: send, recv"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, "\"in 0\"", "\"in zero\""))
                .find("x.json: schedules[0].lanes[0][0][2]: expected a place"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, "2, \"in 2\"", "3, \"in 2\""))
                .find("schedules[0].lanes[0][1][1]: expected a whole number from 0 to 2, got 3"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, "\"turns\": true", "\"turns\": false"))
                .find("schedules: expected 3, one for each rank, got 1"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, "\"turns\": true", "\"turn\": true"))
                .find("unknown key \"turn\"; allowed: name, summary"),
            std::string::npos);
  for (const std::string taken : {"ring", "double_binary_tree", "auto", "none"}) {
    EXPECT_NE(error_of(with(kRing, "my_ring", taken))
                  .find("name: '" + taken + "' is a word of the library's own; expected another"),
              std::string::npos);
  }
  EXPECT_NE(error_of(with(kRing, "\"rows\": 3", "\"rows\": 0")).find("rows: expected a whole"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, "all_reduce", "all_seduce")).find("expected a collective"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, R"(["send", 1, "in 0"])", R"(["send", 1])")).find("as word 3"),
            std::string::npos);
}

/// What is asked for is counted before there is memory of it.
TEST(Written, MoreRowsThanAreProvedAreRefusedByTheBuilderToo) {
  const auto error_of_builder = [](int ranks, std::uint32_t rows, std::uint32_t slots) {
    try {
      ScheduleBuilder builder("x", Collective::kAllReduce, ranks, rows);
      for (std::uint32_t i = 0; i < slots; ++i) builder.scratch(0, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.message();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_of_builder(4, 1 << 20, 0), "accepted");
  EXPECT_EQ(error_of_builder(4, 1 << 20, 1),
            "schedule builder: 4194305 rows and scratch slots of all ranks together; expected at "
            "most 4194304");
  EXPECT_EQ(error_of_builder(4096, 1 << 20, 0).find("schedule builder: 4294967296 rows"), 0U);
  EXPECT_THROW(written_schedule("all_to_all", "pairwise", 4096, 1), Error);
}

TEST(Written, WhatIsQuotedStaysOnOneLine) {
  EXPECT_NE(error_of(with(kRing, "\"send\"", R"("se\nd")")).find("unknown op 'se?d'"),
            std::string::npos);
  EXPECT_NE(error_of(with(kRing, "my_ring", R"(my\nring)")).find("expected a name, of one line"),
            std::string::npos);
}

/// It is shown in tables as it is.
TEST(Written, ASummaryIsOneLineThatCanBeShown) {
  const auto summary = [](const std::string& text) {
    return with(kRing, R"("name")", R"("summary": ")" + text + R"(", "name")");
  };
  for (const std::string& wrong : {std::string(R"(a\nb\u001b[31mred)"), std::string(257, 'x')}) {
    EXPECT_EQ(error_of(summary(wrong))
                  .find("x.json: summary: expected a name, of one line and at most 256 bytes, got"),
              0U);
  }
  EXPECT_EQ(error_of(summary("ring, the other way round")), "accepted");
  EXPECT_EQ(error_of(summary("")), "accepted") << "as a builder writes it";
}

TEST(Written, DamagedFilesAreReadOrRefused) {
  const std::string good = kRing;
  for (FuzzTrials trials(5000); trials.next();) {
    std::mt19937& random = trials.random();
    std::string text = good;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
      const std::size_t place = random() % text.size();
      switch (random() % 3) {
        case 0: text[place] = static_cast<char>(random()); break;
        case 1: text.erase(place, 1 + random() % 5); break;
        default: text.insert(place, good.substr(random() % good.size(), random() % 12)); break;
      }
      if (text.empty()) text = "{";
    }
    const std::string message = error_of(text);
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one line";
  }
}

TEST(Written, BuiltInAlgorithmsCanBeWrittenAndReadBack) {
  for (const AlgorithmInfo& algorithm : built_in_algorithms()) {
    const std::string json = written_schedule(algorithm.collective, algorithm.name, 5, 10'000);
    const VerifiedSchedule proved = verify_schedule(json, algorithm.name);
    EXPECT_EQ(proved.collective, algorithm.collective);
    EXPECT_EQ(proved.ranks, 5);
  }
  EXPECT_THROW(written_schedule("all_reduce", "star", 5, 1), Error);
  EXPECT_THROW(written_schedule("all_reduce", "ring", 0, 1), Error);
}

// Where ranks have hosts of their own a step's rows all go out before any is waited for; the ranks
// of a host send two at a time.
TEST(Written, ChosenAlgorithmIsWrittenAsItsWorldRunsIt) {
  PlanQuestion question{.collective = Collective::kAllGather, .bytes = 4096, .algorithm = "bruck"};
  question.hosts = 8;
  question.ranks_per_host = 1;
  EXPECT_EQ(verify_schedule(schedule_of_plan(question), "apart").least_credits, 4U);
  question.hosts = 1;
  question.ranks_per_host = 8;
  EXPECT_EQ(verify_schedule(schedule_of_plan(question), "together").least_credits, 2U);
  question.schedule = schedule_of_plan(question);
  question.algorithm = "my_bruck";
  EXPECT_EQ(schedule_of_plan(question), question.schedule) << "one's own";
}

TEST(Written, IsPricedAsTheBuiltInOneThatItIs) {
  PlanQuestion question{.bytes = 3 << 20, .hosts = 3, .ranks_per_host = 1};
  question.schedule = kRing;
  const PlanReport report = explain_plan(question);
  double mine = 0;
  double ring = 0;
  for (const PlannedAlgorithm& planned : report.candidates) {
    if (planned.name == "my_ring") mine = planned.predicted_us;
    if (planned.name == "ring") ring = planned.predicted_us;
  }
  EXPECT_GT(mine, 0);
  EXPECT_DOUBLE_EQ(mine, ring);
  question.algorithm = "my_ring";
  EXPECT_EQ(explain_plan(question).reason, "it is asked for");
  EXPECT_NE(draw_plan(question).find("all_reduce by my_ring"), std::string::npos);
  EXPECT_NE(describe_plan(question, 2).find("rank 2"), std::string::npos);
  question.hosts = 4;
  EXPECT_THROW(explain_plan(question), Error);
}

/// As UserSchedule::fits: the plan says what a communicator runs.
TEST(Written, ADeterministicCommunicatorGoesWithoutIt) {
  PlanQuestion question{.bytes = 3 << 20, .ranks_per_host = 3};
  question.schedule = kRing;
  question.deterministic = true;
  PlanQuestion without = question;
  without.schedule.clear();
  const std::string chosen = explain_plan(without).algorithm;
  EXPECT_EQ(explain_plan(question).algorithm, chosen);
  question.algorithm = "my_ring";
  const PlanReport report = explain_plan(question);
  EXPECT_EQ(report.algorithm, chosen);
  EXPECT_EQ(report.reason.find("a deterministic communicator goes without my_ring, so it is chosen "
                               "among the others: "),
            0U)
      << report.reason;
  const PlannedAlgorithm& mine = report.candidates.back();
  EXPECT_EQ(mine.name, "my_ring");
  EXPECT_EQ(mine.left_out, "a deterministic communicator goes without it");
  EXPECT_EQ(draw_plan(question).find("by my_ring"), std::string::npos);
}

TEST(Written, OfAnotherRootIsNoAnswer) {
  PlanQuestion question{.collective = Collective::kBroadcast, .bytes = 4096, .ranks_per_host = 3};
  question.algorithm = "tree";
  question.schedule = schedule_of_plan(question);
  question.algorithm = "my_tree";
  EXPECT_EQ(explain_plan(question).algorithm, "my_tree");
  question.root = 2;
  try {
    explain_plan(question);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.message(),
              "schedule file: 'my_tree' is broadcast with root 0, the question's root is 2");
  }
}

}  // namespace
}  // namespace rondo
