#include "tools/rondo/plan/plan_of_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/error.h"
#include "rondo/schedules.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

Recorded some_result(const std::string& algorithm, std::uint64_t bytes, double predicted_us) {
  Recorded result;
  result.collective = "all_reduce";
  result.bytes = bytes;
  result.type = "f32";
  result.ranks = 4;
  result.algorithm = algorithm;
  result.buffers = "registered";
  result.library = "rondo";
  result.predicted_us = predicted_us;
  result.p50_us = 30;
  return result;
}

RecordedFile run_of(std::vector<Recorded> results) { return {"run.json", {}, std::move(results)}; }

double simulated_us(PlanQuestion question, const std::string& algorithm, std::size_t bytes) {
  question.algorithm = algorithm;
  question.bytes = bytes;
  return explain_plan(question).candidates.front().predicted_us;
}

TEST(PlanOfRun, EachResult_StandsBesideItsPrediction) {
  RecordedFile run = run_of({some_result("ring", 1024, 20), some_result("direct", 65536, 60),
                             some_result("direct", 65536, 30), some_result("none", 8, 0)});
  run.results[1].in_place = true;
  const std::string text = run_text(run, PredictedBy::kSimulation);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("\nall_reduce           4     1 KiB  f32   out of place  ring                "
                      "      30 us      20 us   1.50\n"),
            HasSubstr("\nall_reduce           4    64 KiB  f32   in place      direct              "
                      "      30 us      60 us   0.50\n"),
            HasSubstr("\nall_reduce           4       8 B  f32   out of place  none                "
                      "      30 us          -      -\n"),
            EndsWith("\nmeasured / predicted, by simulation: 1.00 in the median of 3 results, from "
                     "0.50 to 1.50\n")));
}

TEST(PlanOfRun, NothingPredicted_SaysHowToHaveIt) {
  EXPECT_THAT(run_text(run_of({some_result("ring", 8, 0)}), PredictedBy::kCommunicator),
              HasSubstr("\nnothing was predicted by the run's communicator; --ranks, --hosts, "
                        "--network or --tuning"));
}

TEST(PlanOfRun, SchedulesThatWereNotGiven_AreAskedForOnce) {
  RecordedFile run = run_of(
      {some_result("my_ring", 8, 7), some_result("my_ring", 16, 7), some_result("none", 8, 7)});
  predict_by_simulation(run, {.ranks_per_host = 4});
  EXPECT_THAT(run_text(run, PredictedBy::kSimulation),
              EndsWith("\nnothing was predicted by simulation\n"
                       "my_ring isn't built in: --schedule names its file\n"));
  run.results.push_back(some_result("ring", 8, 20));
  EXPECT_THAT(run_text(run, PredictedBy::kSimulation),
              EndsWith("from 1.50 to 1.50\nmy_ring isn't built in: --schedule names its file\n"));
}

TEST(PlanOfRun, OtherLibrariesAndCollectives_AreLeftOut) {
  RecordedFile run =
      run_of({some_result("ring", 8, 1), some_result("none", 8, 0), some_result("ring", 16, 1)});
  run.results[1].library = "ompi";
  run.results[2].collective = "all_gather";
  keep_results_of(run, "");
  EXPECT_EQ(run.results.size(), 2U);
  keep_results_of(run, "all_gather");
  ASSERT_EQ(run.results.size(), 1U);
  EXPECT_EQ(run.results[0].bytes, 16U);
  EXPECT_THROW(keep_results_of(run, "barrier"), FileError);
}

TEST(PlanOfRun, Simulated_IsTheAlgorithmThatRan) {
  const PlanQuestion world{.hosts = 2, .ranks_per_host = 2};
  RecordedFile run = run_of({some_result("ring", 1 << 20, 7), some_result("direct", 1 << 20, 7),
                             some_result("ring", 1 << 10, 7), some_result("nccl", 1 << 20, 7)});
  predict_by_simulation(run, world);
  EXPECT_DOUBLE_EQ(run.results[0].predicted_us, simulated_us(world, "ring", 1 << 20));
  EXPECT_DOUBLE_EQ(run.results[1].predicted_us, simulated_us(world, "direct", 1 << 20));
  EXPECT_DOUBLE_EQ(run.results[2].predicted_us, simulated_us(world, "ring", 1 << 10));
  EXPECT_EQ(run.results[3].predicted_us, 0) << "nobody can simulate it";
}

/// Of a tuning that knows both: each result by the memory that it was on, on the same call.
TEST(PlanOfRun, Simulated_MemoryIsThatOfTheRun) {
  PlanQuestion world{.hosts = 0};
  const auto ring = [](const std::string& memory, double us) {
    return R"({"collective": "all_reduce", "algorithm": "ring", "memory": ")" + memory +
           R"(", "times": [{"bytes": 1048576, "us": )" + std::to_string(us) +
           R"(, "simulated_us": 1}]})";
  };
  world.tuning = R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 4}]}, "measured": [)" +
                 ring("ordinary", 0.8) + "," + ring("registered", 0.2) + "]}";
  RecordedFile run = run_of({some_result("ring", 1 << 20, 0), some_result("ring", 1 << 20, 0)});
  run.results[1].buffers = "malloc";
  predict_by_simulation(run, world);
  EXPECT_GT(run.results[0].predicted_us, 0);
  EXPECT_NEAR(run.results[1].predicted_us, 4 * run.results[0].predicted_us, 1e-6);
}

TEST(PlanOfRun, Simulated_TypesAndRootsAreThoseOfTheRun) {
  Recorded gathered = some_result("linear", 1 << 20, 0);
  gathered.collective = "gather";
  gathered.type = "f64";
  gathered.root = 3;
  RecordedFile run = run_of({gathered});
  const PlanQuestion world{.collective = Collective::kGather,
                           .type = DataType::kF64,
                           .root = 3,
                           .network = R"({"hosts": [{"ranks": 3}, {"ranks": 1, "up_gbit_s": 1}]})"};
  PlanQuestion of_run;
  of_run.network = world.network;
  predict_by_simulation(run, of_run);
  EXPECT_DOUBLE_EQ(run.results[0].predicted_us, simulated_us(world, "linear", 1 << 20));
}

TEST(PlanOfRun, OwnSchedule_IsSimulatedWhereItRan) {
  PlanQuestion world{.ranks_per_host = 4};
  world.schedule = written_schedule("all_reduce", "ring", 4, 1 << 18);
  RecordedFile run = run_of({some_result("my_ring", 1 << 20, 0), some_result("ring", 1 << 20, 0)});
  predict_by_simulation(run, world);
  EXPECT_GT(run.results[0].predicted_us, 0);
  EXPECT_DOUBLE_EQ(run.results[0].predicted_us, run.results[1].predicted_us) << "they are one";
}

// Of a device's ways the formulas of hosts say nothing, whichever algorithm ran there.
TEST(PlanOfRun, RunOnDevices_IsNotSimulatedAsTheHosts) {
  RecordedFile run = run_of({some_result("ring", 1 << 20, 7), some_result("ring", 1 << 10, 8)});
  run.results[1].buffers = "emulated";
  run.results[1].transport = "emulated";
  EXPECT_THAT([&] { predict_by_simulation(run, {.ranks_per_host = 4}); },
              testing::ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("run.json: the buffers of all_reduce were on devices (emulated)"),
                        HasSubstr("leave out --ranks, --hosts, --network and --tuning"))));
  EXPECT_THAT(run_text(run, PredictedBy::kCommunicator), HasSubstr("4.29"))
      << "what its communicator predicted";
}

TEST(PlanOfRun, BuffersAmidAPage_AreTheHostsOrADevices) {
  RecordedFile run = run_of({some_result("ring", 1 << 20, 0), some_result("ring", 1 << 20, 0)});
  run.results[0].buffers = "registered@3";
  run.results[1].buffers = "malloc@3";
  predict_by_simulation(run, {.ranks_per_host = 4});
  EXPECT_GT(run.results[0].predicted_us, 0);
  EXPECT_EQ(run.results[1].predicted_us, run.results[0].predicted_us);
  run.results[1].buffers = "emulated@3";
  EXPECT_THAT([&] { predict_by_simulation(run, {.ranks_per_host = 4}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("were on devices (emulated@3)")));
}

TEST(PlanOfRun, RunOverAnotherTransport_IsRefused) {
  const auto predict = [](const char* transport, const PlanQuestion& world) {
    RecordedFile run = run_of({some_result("ring", 1 << 20, 7)});
    run.results[0].transport = transport;
    predict_by_simulation(run, world);
  };
  const PlanQuestion one_host{.ranks_per_host = 4};
  EXPECT_THAT([&] { predict("tcp", one_host); },
              testing::ThrowsMessage<UsageError>(
                  HasSubstr("run.json: all_reduce was measured over tcp, and the world that is "
                            "described (one host, where nothing else is said) goes over shm")));
  EXPECT_THROW(predict("shm", {.hosts = 4, .ranks_per_host = 1}), UsageError);
  EXPECT_THROW(predict("tcp", {.hosts = 2, .ranks_per_host = 2}), UsageError);
  EXPECT_NO_THROW(predict("shm", one_host));
  EXPECT_NO_THROW(predict("tcp", {.hosts = 4, .ranks_per_host = 1}));
  EXPECT_NO_THROW(predict("tcp", {.network = R"({"hosts": [{"ranks": 4}]})"})) << "it may be";
}

TEST(PlanOfRun, RunWithAWireFormat_IsRefused) {
  RecordedFile run = run_of({some_result("ring", 1 << 20, 7)});
  run.results[0].wire_format = "bf16";
  EXPECT_THAT([&] { predict_by_simulation(run, {.ranks_per_host = 4}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("was sent as bf16")));
}

TEST(PlanOfRun, ScheduleThatDidntRun_IsRefused) {
  PlanQuestion world{.ranks_per_host = 4};
  world.schedule = written_schedule("all_reduce", "ring", 4, 1 << 18);
  RecordedFile run = run_of({some_result("ring", 1 << 20, 0)});
  EXPECT_THAT([&] { predict_by_simulation(run, world); },
              testing::ThrowsMessage<UsageError>(
                  HasSubstr("no call of the run went by the schedule of schedule file")));
}

TEST(PlanOfRun, WorldOfAnotherSize_IsRefused) {
  RecordedFile run = run_of({some_result("ring", 64, 0)});
  try {
    predict_by_simulation(run, {.ranks_per_host = 3});
    ADD_FAILURE() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "the run was of 4 ranks, the world that is described has 3");
  }
  EXPECT_THROW(predict_by_simulation(run, {.network = "{"}), Error);
  EXPECT_THAT([&] { predict_by_simulation(run, {.schedule = "{", .schedule_name = "own.json"}); },
              testing::ThrowsMessage<Error>(HasSubstr("own.json: not JSON at line 1")));
}

}  // namespace
}  // namespace rondo::tool
