// The program `rondo` as its users see it: exit codes, and what goes to stdout and stderr.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(RondoTool, MistakesInTheCommandLine_AreOneLineAndExitCode2) {
  expect_usage_error("", "bench");
  expect_usage_error("sing", "verify");
  expect_usage_error("bench", "collective");
  expect_usage_error("bench all_reduce --frobnicate", "--transport");
  expect_usage_error("bench all_too_all", "allowed: all_reduce, all_gather");
  expect_usage_error("bench all_reduce -d f31", "allowed: i8, u8");
  expect_usage_error("bench all_reduce -o xor", "allowed: sum, prod");
  expect_usage_error("bench all_reduce --transport pigeon", "allowed: auto, inproc");
  expect_usage_error("bench all_reduce --algo star", "allowed: auto, ring");
  expect_usage_error("bench all_reduce --wire-format int4", "allowed: none, bf16, f16");
  expect_usage_error("bench all_reduce -b 1X", "-b: '1X'");
  expect_usage_error("bench all_reduce -n 0", "-n 0: there would be no call to time");
  expect_usage_error("bench all_reduce --local 0", "not in range");
  expect_usage_error("bench broadcast -r 1 -e 8", "-r 1");
  expect_usage_error("bench all_reduce --device tpu", "allowed: host, emulated, cuda");
  expect_usage_error("bench all_reduce --device emulated -g 0", "not in range");
  expect_usage_error("bench all_reduce --device cuda -g 2 -e 8", "--device cuda: none can be used");
  expect_usage_error("verify --worlds 5-2", "--worlds: '5-2'");
  expect_usage_error("verify --worlds 1-5:0", "expected N, FIRST-LAST or FIRST-LAST:STEP");
  expect_usage_error("verify --worlds 65537", "--worlds: '65537'");
  expect_usage_error("verify --worlds 2-3:65537", "FIRST-LAST:STEP within 1 to 65536");
  expect_usage_error("verify --worlds 2-3:2147483647", "--worlds: '2-3:2147483647'");
  for (const std::string flag : {"--worlds 1-4", "--all", "--mutants"})
    expect_usage_error("verify --schedule x " + flag,
                       "--schedule excludes " + flag.substr(0, flag.find(' ')));
  expect_usage_error("verify --worlds 5000 --all", "--all: worlds of up to 4096");
  expect_usage_error("verify --worlds 9-16 --mutants", "worlds of 2 to 8, of which --worlds 9-16");
  expect_usage_error("verify --worlds 1 --mutants", "worlds of 2 to 8, of which --worlds 1 has");
  expect_usage_error("plan", "collective");
  expect_usage_error("plan all_reduce --hosts 2by4", "--hosts: '2by4' is not understood");
  expect_usage_error("plan all_reduce --hosts 2x4 --ranks 9", "--hosts 2x4 has 8 ranks, --ranks");
  expect_usage_error("plan all_reduce --algo star", "there is no algorithm 'star'");
  expect_usage_error("plan broadcast -r 7", "root 7 is no rank of a world of 2");
  expect_usage_error("plan all_reduce --ranks 65 --draw x.svg", "a drawing of 65 ranks");
  for (const std::string flag : {"--root 1", "--root 0", "-r 7"})
    expect_usage_error("plan all_reduce " + flag, "all_reduce has no root (broadcast, reduce, ");
  expect_usage_error("plan all_to_all -r 0 --crossovers", "all_to_all has no root (");
  expect_usage_error("plan all_reduce --steps 2", "rank 2 is no rank of a world of 2");
  expect_usage_error("plan all_reduce -d f33", "unknown type 'f33', allowed: ");
  expect_usage_error("plan all_reduce -d all", "unknown type 'all', allowed: ");
  expect_usage_error("plan all_reduce --bytes 3", "--bytes 3: expected whole elements of f32, 4");
  expect_usage_error("plan all_reduce --tuning off", "--tuning off: nothing is run here");
  expect_usage_error("plan all_reduce --crossovers --bytes 8", "leave out --bytes");
  for (const std::string flag : {"--bytes 64M", "--root 1", "--crossovers"})
    expect_usage_error(
        "plan barrier --ranks 4 " + flag,
        "a barrier moves no data and has no root: leave out " + flag.substr(0, flag.find(' ')));
  expect_usage_error("bench report --bound abc x.json", "--bound: expected a number, got 'abc'");
  for (const std::string bound : {"0", "1e+300"})
    expect_usage_error("bench report --bound " + bound + " x.json",
                       "--bound " + bound + ": expected GB/s from 1e-09 to 1e+15");
  expect_usage_error("trace -o '' x", "--output: expected more than ''");
  expect_usage_error("tune --local 2 --check --out x", "--check writes no file: leave out --out");
  expect_usage_error("tune --local 2 -b 8", "--begin is for --check");
  expect_usage_error("plan all_reduce --network /nowhere/x", "--network /nowhere/x: No such file");
  expect_usage_error("plan all_reduce --network /", "--network /: ");
  expect_usage_error("plan all_reduce --network /dev/null",
                     "network file /dev/null: empty; expected JSON");
  expect_usage_error("plan all_reduce --network ''", "--network: expected more than ''");
  expect_usage_error("plan all_reduce --hosts ''", "--hosts: expected more than ''");
  expect_usage_error("plan all_reduce --steps -1", "not in range 0 to 1048575");
  expect_usage_error("plan all_reduce --crossovers --draw x.svg",
                     "--crossovers and --draw are two answers: ask for one");
  expect_usage_error("plan all_reduce --steps 0 --print-network",
                     "--print-network and --steps are two answers");
  expect_usage_error("tune --local 2 --transport pigeon", "pigeon");
  expect_usage_error("tune --local 2 --check --tuning ''", "--tuning: expected more than ''");
  expect_usage_error("tune --local 2 --check --begin 4K --end 1K", "-e 1024 is less than -b 4096");
  expect_usage_error("tune --local 2 --check --begin 0", "--begin 0: expected at least 1 byte");
  expect_usage_error("plan --run run.json -b 8", "--run says what was measured: leave out --bytes");
}

TEST(RondoTool, Plan_SaysWhatWhyAndHowLong) {
  const Outcome outcome = rondo("plan all_reduce --hosts 2x4 --bytes 1M");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("all_reduce of 1 MiB, 8 ranks on 2 hosts\nchosen: hierarchical: "),
                    HasSubstr("\n* hierarchical "), HasSubstr("\n  ring "),
                    HasSubstr("\n  links of hierarchical"), HasSubstr("between hosts")));
  const std::string few = rondo("plan all_reduce --hosts 3x2 --algo ring --links 2").output;
  EXPECT_THAT(few, ContainsRegex("\n  shared links +sent +received +busy\n"
                                 "  host [0-2] +1.667 MiB +1.667 MiB +[0-9]+ %  host"));
  EXPECT_THAT(few, ContainsRegex("and [1-9][0-9]* more, of .* at most; --links 0 shows all"));
  EXPECT_THAT(rondo("plan all_reduce --hosts 3x2 --algo ring --links 0").output,
              Not(HasSubstr(" more, ")));
  EXPECT_THAT(rondo("plan all_reduce --ranks 3 --steps 1").output, HasSubstr("rank 2"));
  EXPECT_THAT(rondo("plan all_reduce --ranks 3 --print-network").output, HasSubstr("\"hosts\""));
  EXPECT_THAT(rondo("plan all_reduce --ranks 4 --crossovers").output, HasSubstr("64 MiB"));
  for (const std::string rooted : {"broadcast", "reduce", "gather", "scatter"})
    EXPECT_EQ(rondo("plan " + rooted + " --root 1").exit_code, 0) << rooted;
}

/// The world once more beside the file that describes it: the same, or it is refused.
TEST(RondoTool, Plan_OfANetworkFile_TakesWhatAgreesWithIt) {
  const TemporaryFile network;
  const TemporaryFile drawing;
  network.put(R"({"hosts": [{"count": 2, "ranks": 4, "up_gbit_s": 10}]})");
  const std::string beside = " --bytes 64M --network " + network.path();
  const Outcome outcome =
      rondo("plan all_reduce --ranks 8 --hosts 2x4" + beside + " --draw " + drawing.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("all_reduce of 64 MiB, 8 ranks on 2 hosts\nchosen: "));
  EXPECT_EQ(outcome.output, rondo("plan all_reduce" + beside).output);
  EXPECT_THAT(drawing.content(),
              AllOf(HasSubstr("<svg"), HasSubstr("rank 7"), HasSubstr("</svg>")));

  const auto refuse = [&](const std::string& flags, const std::string& complaint) {
    expect_usage_error("plan all_reduce " + flags + beside, complaint);
  };
  const std::string describes = ", --network " + network.path() + " describes ";
  refuse("--ranks 9", "--ranks says 9" + describes + "8");
  refuse("--hosts 4x2", "--hosts 4x2 has 4 hosts" + describes + "2");
  refuse("--hosts 2x3", "--hosts 2x3 has 3 ranks on each host" + describes + "one of 4");
  refuse("--ranks 8 --hosts 1x8", "--hosts 1x8 has 1 hosts" + describes + "2");
  network.put(R"({"hosts": [{"ranks": 4}, {"ranks": 3}]})");
  refuse("--hosts 2x4", "--hosts 2x4 has 4 ranks on each host" + describes + "one of 3");
  const std::string file = "network file " + network.path() + ": ";
  network.put(R"({"hosts": []})");
  refuse("--ranks 3", file + "hosts: expected a list of at least one host");
  network.put(R"({"hosts": [{"ranks": 0}]})");
  refuse("--ranks 3", file + "hosts[0].ranks: expected ");
}

TEST(RondoTool, Plan_ADrawingThatCantBeWritten_IsOneLine) {
  const Outcome outcome = rondo("plan all_reduce --ranks 2 --draw /nowhere/p.svg");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.output,
            "rondo plan: can't write --draw /nowhere/p.svg: No such file or directory\n");
  EXPECT_EQ(rondo("plan all_reduce --ranks 2 --draw /dev/full").output,
            "rondo plan: can't write --draw /dev/full: No space left on device\n");
  EXPECT_EQ(rondo("plan all_reduce --ranks 2 --draw /").output,
            "rondo plan: can't write --draw /: Is a directory\n");
}

TEST(RondoTool, Plan_ADrawingWhereTheTextGoes_StandsBeforeIt) {
  const TemporaryFile both;
  const Outcome outcome =
      shell("$RONDO plan all_reduce --ranks 2 --draw /dev/stdout > " + both.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(both.content(), AllOf(testing::StartsWith("<svg "),
                                    HasSubstr("</svg>\nall_reduce of 1 MiB, 2 ranks")));
}

TEST(RondoTool, PlanOfARun_HasWhatWasPredictedBesideWhatItTook) {
  const TemporaryFile run;
  const Outcome measured =
      rondo("bench all_reduce --local 2 -b 1K -e 64K -f 64 -n 3 --algo ring -J " + run.path());
  ASSERT_EQ(measured.exit_code, 0) << measured.output;
  const Outcome plan = rondo("plan --run " + run.path());
  EXPECT_EQ(plan.exit_code, 0) << plan.output;
  EXPECT_THAT(
      plan.output,
      AllOf(ContainsRegex("\nall_reduce +2 +1 KiB +f32 +out of place +ring +[0-9.e+]+ [mu]?s "
                          "+[0-9.]+ us +[0-9.]+\n"),
            ContainsRegex("\nall_reduce +2 +64 KiB +f32 +in place +ring "),
            HasSubstr("by the run's communicator: "), HasSubstr(" of 4 results, from ")));
  const Outcome simulated = rondo("plan all_reduce --ranks 2 --run " + run.path());
  EXPECT_EQ(simulated.exit_code, 0) << simulated.output;
  EXPECT_THAT(simulated.output, HasSubstr("measured / predicted, by simulation: "));
}

TEST(RondoTool, PlanOfARun_ThatCantBe_IsOneLine) {
  const TemporaryFile run;
  const Outcome measured = rondo("bench all_reduce -b 64 -e 64 -n 1 -J " + run.path());
  ASSERT_EQ(measured.exit_code, 0) << measured.output;
  EXPECT_THAT(rondo("plan --run " + run.path()).output,
              HasSubstr("\nnothing was predicted by the "));
  expect_usage_error("plan barrier --run " + run.path(), " has no results of barrier");
  expect_usage_error("plan --hosts 2by4 --run " + run.path(), "--hosts: '2by4' is not understood");
  run.put("{}");
  expect_usage_error("plan --run " + run.path(), "the file has no 'environment'");
}

TEST(RondoTool, UnknownWord_IsNamedWithItsNearestOnes) {
  expect_usage_error("bnech",
                     "rondo: unknown command 'bnech'; did you mean bench? (allowed: bench");
  expect_usage_error("bnech all_reduce --local 2", "rondo: unknown command 'bnech'; did");
  expect_usage_error("--verison", "rondo: unknown flag '--verison'; did you mean --version?");
  expect_usage_error("--frobnicate info", "rondo: unknown flag '--frobnicate' (allowed: bench");
  expect_usage_error("bench all_reduce --sizee 3", "rondo bench: unknown flag '--sizee' (allowed:");
  expect_usage_error("bench --itres=3",
                     "rondo bench: unknown flag '--itres'; did you mean --iters?");
  expect_usage_error("run --foo", "rondo run: unknown flag '--foo' (allowed: -h,--help, -n");
  expect_usage_error("run -n 2 --timeuot 3 -- true", "'--timeuot'; did you mean --timeout?");
  expect_usage_error("verify --world 3", "'--world'; did you mean --worlds?");
  expect_usage_error("verify 1-4",
                     "rondo verify: unexpected '1-4' (allowed: -h,--help, --schedule, --worlds");
}

TEST(RondoTool, HelpOfEveryCommand_HasAnExample) {
  for (const std::string command : {"bench", "plan", "verify", "info", "run", "tune", "trace"}) {
    const Outcome outcome = rondo(command + " --help");
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.output, HasSubstr("rondo " + command + " ")) << command;
    EXPECT_THAT(outcome.output, HasSubstr("Example")) << command;
  }
}

TEST(RondoTool, Info_TellsWhatBugReportsNeed) {
  const Outcome outcome = rondo("info");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* name : {"version", "compiler", "flags", "host", "cpu", "cores", "kernel_target",
                           "transports", "emulated_devices", "interfaces", "launcher"}) {
    EXPECT_THAT(outcome.output, HasSubstr(name));
  }
  EXPECT_THAT(outcome.output, ContainsRegex("^version +[0-9.]+\ncommit +(unknown|[0-9a-zA-Z])"));
}

TEST(RondoTool, Verify_SmallWorlds_IsAllRight) {
  const Outcome outcome = rondo("verify --worlds 1-4");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("all_reduce"), HasSubstr("worlds 1 to 4: all right")));
}

TEST(RondoTool, Verify_OnATerminal_TellsHowFarItIs) {
  const std::string seen = on_terminal({"verify", "--worlds", "2-4"});
  EXPECT_THAT(seen, HasSubstr("\rworld 2 of 2 to 4\rworld 3 of 2 to 4\rworld 4 of 2 to 4\r\x1b[K"));
  EXPECT_THAT(seen, HasSubstr("worlds 2 to 4: all right"));
  EXPECT_THAT(rondo("verify --worlds 2-4").output, Not(HasSubstr("\r"))) << "in a pipe";
}

TEST(RondoTool, RunAtATerminal_LeavesItToRank0AndWipesItsLineForOthers) {
  const std::string script =
      "if test $RONDO_RANK = 0; then test -t 1 && test -t 2 && printf unfinished;"
      " else test -t 2 || echo in a pipe >&2; exit 3; fi";
  const std::string seen = on_terminal({"run", "-n", "2", "--terminal", "--", "sh", "-c", script});
  EXPECT_THAT(seen, HasSubstr("unfinished"));
  EXPECT_THAT(seen, HasSubstr("\r\x1b[K[1] in a pipe"));
  EXPECT_THAT(seen, HasSubstr("\r\x1b[Krondo run: rank 1"));
  EXPECT_THAT(rondo("run -n 2 --terminal -- echo x").output, HasSubstr("[0] x\n")) << "in a pipe";
}

TEST(RondoTool, OutputThatCantBeWritten_IsAnError) {
  for (const std::string command :
       {"info", "verify --worlds 1-2", "bench all_reduce -e 64 -n 1", "--help", "--version",
        "bench all_reduce --local 2 -e 64 -n 1", "run -n 2 -- echo hello"}) {
    const Outcome outcome = rondo(command + " > /dev/full");
    EXPECT_NE(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.output,
                HasSubstr("can't write to standard output: No space left on device"))
        << command;
  }
}

TEST(RondoToolBench, OutputThatCantBeWritten_LeavesTheJson) {
  for (const std::string ranks : {"", "--local 2 "}) {
    const TemporaryFile file;
    const Outcome outcome =
        rondo("bench all_reduce " + ranks + "-e 64 -n 1 --json " + file.path() + " > /dev/full");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_FALSE(nlohmann::json::parse(std::ifstream(file.path()))["results"].empty());
  }
}

TEST(RondoToolBench, NoLauncher_MeasuresAWorldOfOne) {
  const Outcome outcome = rondo("bench all_reduce -e 64 -n 2 -w 1 -d all -o all");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK"));
  EXPECT_THAT(outcome.output, HasSubstr("# Avg bus bandwidth    : 0"));
}

TEST(RondoToolBench, TwoLocalRanks_EveryCollectiveIsRight) {
  for (const std::string collective :
       {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "barrier"}) {
    const TemporaryFile file;
    const Outcome outcome = rondo("bench " + collective +
                                  " --local 2 -b 0 -e 16K -f 16 -n 3 -w 1 --json " + file.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK")) << outcome.output;
    const auto json = nlohmann::json::parse(std::ifstream(file.path()));
    EXPECT_FALSE(json["environment"]["kernel_target"].get<std::string>().empty());
    ASSERT_FALSE(json["results"].empty());
    for (const auto& result : json["results"]) {
      EXPECT_EQ(result["collective"], collective);
      EXPECT_EQ(result["ranks"], 2);
      EXPECT_NE(result["algorithm"], "none");
      EXPECT_EQ(result["wrong"].is_null(), collective == "barrier");
    }
  }
}

TEST(RondoToolBench, JsonThatCantBeWritten_IsToldBeforeMeasuring) {
  for (const std::string lead : {"bench", "bench --local 2", "run -n 2 -- " RONDO_TOOL " bench"}) {
    for (const std::string path : {"/no/such/folder/a.json", "/tmp"}) {
      std::string command = lead;
      command.append(" all_reduce -e 64 -n 1 --json ").append(path);
      const Outcome outcome = rondo(command);
      EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr("rondo bench: can't write --json " + path + ": "));
      EXPECT_THAT(outcome.output, Not(HasSubstr("timed calls")));
    }
  }
}

TEST(RondoToolBench, OnDevices_ThreadsAndProcesses_StayThereAndAreRight) {
  for (const std::string ranks : {"-g 3", "--local 3"}) {
    for (const char* collective : {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                   "reduce", "gather", "scatter", "all_to_all"}) {
      const Outcome outcome = rondo(std::string("bench ") + collective + " " + ranks +
                                    " --device emulated -b 4K -e 1M -f 256 -n 2 -w 1");
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr(": 3 rank(s)"));
      EXPECT_THAT(outcome.output, HasSubstr(" emulated emulated\n"));
      EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK"));
    }
  }
}

TEST(RondoToolBench, ManyPlacesOfOneProcess_AreRanks) {
  const Outcome outcome = rondo("bench all_reduce -g 3 -b 1K -e 1K -n 2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("inproc registered\n"));
}

TEST(RondoToolBench, MeasurementThatFails_LeavesTheOldJson) {
  const TemporaryFile file;
  std::ofstream(file.path()) << "old";
  const Outcome outcome = rondo("bench all_reduce -b 8 -e 4000000G -n 1 --json " + file.path());
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  std::string kept;
  std::ifstream(file.path()) >> kept;
  EXPECT_EQ(kept, "old");
}

/// With the elements before the first one, too.
TEST(RondoToolBench, MoreBytesThanThereAreAddresses_AreRefused) {
  for (const std::string size : {"18446744073709551615", "18446744073709547520 -u 4096"}) {
    const Outcome outcome = rondo("bench all_reduce -n 1 -e 18446744073709551615 -b " + size);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("no memory for a buffer of 18446744073709551615 bytes"));
  }
}

TEST(RondoToolBench, LocalRanksUnderALauncher_AreRefused) {
  for (const char* name : {"RONDO_RANK", "RONDO_WORLD", "PMIX_RANK", "PMI_SIZE"}) {
    setenv(name, "4", 1);
    expect_usage_error("bench all_reduce --local 2 -e 64 -n 1",
                       std::string("--local 2: this process is a rank already (") + name + " is");
    unsetenv(name);
  }
  const Outcome outcome = rondo("run -n 2 -- " RONDO_TOOL " bench all_reduce --local 2 -e 64 -n 1");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("leave out either --local or the launcher"));
}

TEST(RondoToolBench, TransportBuffersAndAlgorithm_AreThoseAskedFor) {
  const TemporaryFile file;
  const Outcome outcome = rondo(
      "bench all_reduce --local 2 -b 4K -e 4K -n 2 -w 0 --transport tcp --algo ring "
      "--buffers malloc -d i64 -o max --json " +
      file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto json = nlohmann::json::parse(std::ifstream(file.path()));
  ASSERT_EQ(json["results"].size(), 2U) << "out of place and in place";
  for (const auto& result : json["results"]) {
    EXPECT_EQ(result["transport"], "tcp");
    EXPECT_EQ(result["algorithm"], "ring");
    EXPECT_EQ(result["buffers"], "malloc");
    EXPECT_EQ(result["type"], "i64");
    EXPECT_EQ(result["redop"], "max");
  }
}

}  // namespace
}  // namespace rondo::tool
