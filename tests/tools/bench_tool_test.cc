// `rondo bench` and its subcommands as their users see them: tables that the scripts of nccl-tests
// read, exit codes, files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

nlohmann::json json_of(const TemporaryFile& file) { return nlohmann::json::parse(file.content()); }

TEST(BenchTable, EveryCollective_IsRightAndHasTheColumnsOfNcclTests) {
  for (const char* collective :
       {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "gather", "scatter",
        "all_to_all", "barrier", "all_gather_v", "reduce_scatter_v", "gather_v", "scatter_v",
        "all_to_all_v", "send_receive"}) {
    // As scripts for nccl-tests do: size, both times, both bus bandwidths, both numbers of wrong
    // elements.
    const Outcome outcome =
        shell(std::string("$RONDO bench ") + collective +
              " --local 3 -b 48 -e 12K -f 16 -n 3 -w 1 | tee /dev/stderr | "
              "awk '!/^#/ && NF { print \"row\", $1, $6, $8, $9, $10, $12, $13; n += $9 + $13 } "
              "/Avg bus bandwidth/ { print \"mean\", $NF } END { print \"wrong\", n }'");
    EXPECT_THAT(outcome.output,
                ContainsRegex("row [0-9]+ [0-9.]+ [0-9.]+ (0|N/A) [0-9.]+ [0-9.]+ (0|N/A)\n"));
    EXPECT_THAT(outcome.output, ContainsRegex("mean [0-9.e+-]+\n")) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("wrong 0\n")) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK\n"));
  }
}

TEST(BenchTable, Head_SaysWhereAndOfWhatItWasMeasured) {
  const Outcome outcome = rondo("bench all_reduce -e 8 -n 1 -w 0");
  for (const char* fact : {"#   version ", "#   commit ", "#   flags ", "#   host ", "#   cpu ",
                           "#   kernel ", "#   governor ", "#   cores ", "#   caches "}) {
    EXPECT_THAT(outcome.output, HasSubstr(fact));
  }
  EXPECT_THAT(shell("RONDO_LOG=error $RONDO bench all_reduce -e 8 -n 1").output,
              HasSubstr("#   RONDO_LOG      error\n"));
}

TEST(BenchTable, VariableThatIsNoText_LeavesOneLineAndAFile) {
  const TemporaryFile file;
  const Outcome outcome = shell(
      "RONDO_NOTE=$(printf 'a\\nb\\377') $RONDO bench all_reduce -e 8 -n 1 -J " + file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("#   RONDO_NOTE     a b"));
  EXPECT_FALSE(json_of(file)["results"].empty());
}

TEST(BenchTable, VariableThatRondoDoesntKnow_IsToldByOneRank) {
  const Outcome outcome =
      shell("RONDO_ALGORITHM=ring $RONDO bench all_reduce --local 3 -b 8 -e 8 -n 1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  const std::string said = "Rondo doesn't know: RONDO_ALGORITHM (RONDO_ALGO?)";
  EXPECT_THAT(outcome.output, HasSubstr(said));
  EXPECT_EQ(outcome.output.find(said), outcome.output.rfind(said)) << outcome.output;
}

/// Also where it says what holds without it.
TEST(BenchTable, FlagThatIsGiven_CountsWhateverItsVariableSays) {
  const TemporaryFile file;
  const auto transport_of = [&](const std::string& variables, const std::string& flags) {
    const Outcome outcome =
        shell(variables + " $RONDO bench all_reduce --local 2 -b 64 -e 64 -n 2 " + flags + " -J " +
              file.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return json_of(file)["results"][0]["transport"];
  };
  EXPECT_EQ(transport_of("RONDO_TRANSPORT=tcp", ""), "tcp");
  EXPECT_EQ(transport_of("RONDO_TRANSPORT=tcp RONDO_ALGO=nosuch RONDO_WIRE_FORMAT=nosuch "
                         "RONDO_TIMEOUT_MS=nosuch",
                         "--transport auto --algo auto --wire-format none -T 600"),
            "shm");
}

TEST(BenchTable, RootOfAll_HasALineForEveryRank) {
  const Outcome outcome =
      shell("$RONDO bench broadcast --local 3 -b 64 -e 64 -n 2 -r all | awk '!/^#/ { print $5 }'");
  EXPECT_EQ(outcome.output, "0\n1\n2\n");
}

TEST(BenchTable, Timestamps_StandWhereNcclTestsHasThem) {
  const Outcome outcome =
      shell("$RONDO bench all_reduce -b 64 -e 64 -n 2 -S 1 | awk '!/^#/ { print $14 \"T\" $15 }'");
  EXPECT_THAT(outcome.output, MatchesRegex("20[0-9-]+T[0-9:]+\n"));
}

TEST(BenchTable, WhatWasPredicted_StandsBesideTheAlgorithm) {
  const TemporaryFile file;
  const std::string all_reduce = "$RONDO bench all_reduce -b 64 -e 64 -n 2 --algo ring ";
  const Outcome outcome =
      shell(all_reduce + "--local 2 -J " + file.path() + " | awk '!/^#/ { print $20, $21 }'");
  EXPECT_THAT(outcome.output, MatchesRegex("[0-9]+\\.[0-9][0-9] ring\n"));
  const auto json = json_of(file);
  for (const auto& result : json["results"]) {
    EXPECT_GT(result["predicted_us"].get<double>(), 0);
    EXPECT_EQ(result["predicted_us"], json["results"][0]["predicted_us"]) << "one plan, both forms";
  }
  for (const std::string& nothing :
       {all_reduce, std::string("$RONDO bench send_receive --local 2 -b 64 -e 64 -n 2 ")}) {
    const Outcome bare = shell(nothing + "-J " + file.path());
    EXPECT_THAT(bare.output, Not(HasSubstr("predicted"))) << bare.output;
    EXPECT_FALSE(json_of(file)["results"][0].contains("predicted_us"));
  }
}

TEST(BenchTable, NoProgressInAPipe_OneOnATerminal) {
  EXPECT_THAT(on_terminal({"bench", "all_reduce", "-e", "64", "-n", "2"}),
              HasSubstr("\rall_reduce f32 sum, 8 bytes, out of place (0 lines done)"));
  EXPECT_THAT(rondo("bench all_reduce -e 64 -n 2").output, Not(HasSubstr("\r")));
}

TEST(BenchTable, LocalRanks_ShowProgressOnATerminalAlone) {
  const std::string progress = "\rall_reduce f32 sum, 8 bytes, out of place (0 lines done)";
  const std::string seen =
      on_terminal({"bench", "all_reduce", "--local", "2", "-e", "64", "-n", "2"});
  EXPECT_THAT(seen, AllOf(HasSubstr(progress), HasSubstr("# Out of bounds values : 0 OK")));
  EXPECT_THAT(rondo("bench all_reduce --local 2 -e 64 -n 2").output, Not(HasSubstr("\r")));
  // At a terminal, with the table in a file.
  const TemporaryFile table;
  const std::string beside = on_terminal({"run", "-n", "1", "--", "sh", "-c",
                                          "unset RONDO_RANK RONDO_WORLD; " RONDO_TOOL
                                          " bench all_reduce --local 2 -e 64 -n 2 >" +
                                              table.path()});
  EXPECT_THAT(beside, AllOf(HasSubstr(progress), Not(HasSubstr("Out of bounds"))));
  EXPECT_THAT(table.content(),
              AllOf(HasSubstr("# Out of bounds values : 0 OK"), Not(HasSubstr("\r"))));
}

TEST(BenchTable, PremultipliedSums_AreRightAndNamedAsNcclTestsDoes) {
  for (const char* collective : {"all_reduce", "reduce", "reduce_scatter", "reduce_scatter_v"}) {
    const Outcome outcome = shell(std::string("$RONDO bench ") + collective +
                                  " --local 3 -b 48 -e 12K -f 256 -n 2 -m 2 -o mulsum -d all | "
                                  "awk '!/^#/ { print $4 } /^# Out/'");
    EXPECT_THAT(outcome.output, MatchesRegex("(mulsum\n)+# Out of bounds values : 0 OK\n"));
  }
}

TEST(BenchTable, BuffersThatBeginAmidAPage_AreRight) {
  for (const char* collective : {"all_reduce", "all_gather", "scatter", "all_to_all_v"}) {
    const TemporaryFile file;
    const Outcome outcome =
        rondo(std::string("bench ") + collective +
              " --local 3 -b 48 -e 12K -f 16 -n 2 -u 3 -d all -J " + file.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK"));
    EXPECT_EQ(json_of(file)["results"][0]["buffers"], "registered@3");
  }
}

TEST(BenchCycles, Soak_RunsTheTableAgain) {
  const TemporaryFile file;
  const Outcome outcome =
      rondo("bench all_reduce --local 2 -b 64 -e 128 -n 2 -N 3 -J " + file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("# cycle 1\n"), HasSubstr("# cycle 3\n")));
  const auto results = json_of(file)["results"];
  EXPECT_EQ(results.size(), 3U * 2 * 2);
  EXPECT_EQ(results.back()["cycle"], 2);
}

TEST(BenchCycles, SoakWithoutEnd_GoesOnUntilItIsStopped) {
  const Outcome outcome =
      shell("timeout -s INT 4 $RONDO bench all_reduce -b 64 -e 64 -n 2 -N 0 | grep -c '# cycle'");
  EXPECT_GT(std::stoi(outcome.output), 1) << outcome.output;
}

/// However it ends: what was measured is in the file.
TEST(BenchCycles, SoakThatIsKilled_LeavesItsResults) {
  const TemporaryFile file;
  file.put(std::string(100'000, 'x'));  // longer than the new results
  shell("timeout -s KILL 4 $RONDO bench all_reduce -b 64 -e 64 -n 2 -N 0 -J " + file.path() +
        " > /dev/null 2>&1");
  const auto results = json_of(file)["results"];
  EXPECT_GT(results.size(), 4U);
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i]["cycle"], i / 2) << i;
}

TEST(BenchCycles, SoakWithoutEndIntoAPipe_IsRefused) {
  const Outcome outcome =
      shell("timeout 20 $RONDO bench all_reduce -b 64 -e 64 -n 2 -N 0 -J /dev/stdout 2>&1 | cat");
  EXPECT_THAT(outcome.output,
              HasSubstr("--json /dev/stdout: no file that can be written row by row"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("# cycle")));
}

TEST(BenchJson, PipeOfLocalRanks_GetsAllAtTheEnd) {
  const TemporaryFile got;
  // The shell has the pipe open for the reader, which may come late, and for writing until the end.
  const Outcome outcome = shell(fmt::format(
      "pipe={0}.pipe; mkfifo $pipe; exec 3<>$pipe; exec 4<$pipe; "
      "timeout 60 cat <&4 3>&- 4<&- > {0} & "
      "timeout 30 $RONDO bench all_reduce --local 2 -b 64 -e 64 -n 2 -J $pipe 3>&- 4<&-; code=$?; "
      "exec 3>&- 4<&-; wait; rm $pipe; exit $code",
      got.path()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(json_of(got)["results"].size(), 2U);
}

TEST(BenchJson, PipeThatNobodyReads_IsTold) {
  const TemporaryFile file;
  const Outcome outcome = shell("pipe=" + file.path() +
                                ".pipe; mkfifo $pipe; timeout 30 $RONDO bench all_reduce --local 2 "
                                "-b 64 -e 64 -n 2 -J $pipe; code=$?; rm $pipe; exit $code");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(".pipe: nobody reads this pipe"));
}

/// The table that went there stays, and so do the results behind it.
TEST(BenchJson, FileThatOutputGoesTo_HasBoth) {
  const TemporaryFile file;
  for (const std::string ranks : {"", "--local 2 "}) {
    for (const std::string& json :
         {std::string("-J /dev/stdout"), "-J " + file.path(), "--json=" + file.path(),
          "--output_file " + file.path(), "--output_file=" + file.path()}) {
      const Outcome outcome = shell(fmt::format(
          "$RONDO bench all_reduce {}-b 64 -e 64 -n 2 {} > {}", ranks, json, file.path()));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
      const std::string text = file.content();
      EXPECT_THAT(text, AllOf(testing::StartsWith("# rondo bench all_reduce"),
                              HasSubstr("concluded: all_reduce"), HasSubstr("\"results\"")));
      const std::size_t begin = text.find("\n{");
      ASSERT_NE(begin, std::string::npos);
      EXPECT_TRUE(nlohmann::json::accept(text.substr(begin))) << ranks << json;
    }
  }
}

TEST(BenchIterations, TimesOfEveryCall_AreInTheFile) {
  const TemporaryFile file;
  const Outcome outcome = rondo("bench all_reduce --local 2 -b 64 -e 64 -n 7 -I -J " + file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("i_min    i_max    i_p99    i_cv%"));
  const auto json = json_of(file);
  for (const auto& result : json["results"]) {
    ASSERT_EQ(result["times_us"].size(), 7U);
    std::vector<double> times = result["times_us"];
    std::ranges::sort(times);
    EXPECT_DOUBLE_EQ(result["min_us"], times.front());
    EXPECT_DOUBLE_EQ(result["max_us"], times.back());
    EXPECT_DOUBLE_EQ(result["p50_us"], times[3]);
  }
}

TEST(BenchAggregated, CallsStartedTogether_AreRight) {
  for (const char* collective : {"all_reduce", "all_gather", "all_to_all", "broadcast", "barrier",
                                 "all_to_all_v", "send_receive"}) {
    const Outcome outcome =
        rondo(std::string("bench ") + collective + " --local 2 -b 64 -e 64K -f 32 -n 3 -m 5");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("# 5 calls are started together"));
    EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK"));
  }
}

/// As docs/bench.md has it, of the times in the file: what they are depends on what this machine
/// does besides; what made-up ones come to, result_test says.
double percent_of(const nlohmann::json& overlap) {
  const double beside = overlap["overall_us"].get<double>() - overlap["compute_us"].get<double>();
  return std::clamp(100 - beside / overlap["pure_us"].get<double>() * 100, 0.0, 100.0);
}

class BenchOverlap : public testing::TestWithParam<const char*> {};

TEST_P(BenchOverlap, StartedCalls_HaveOne) {
  const TemporaryFile file;
  const Outcome outcome = rondo(std::string("bench ") + GetParam() +
                                " --local 2 -b 4K -e 64K -f 16 -n 5 --overlap -J " + file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("overall   compute      pure   overlap"));
  EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK"));
  const auto json = json_of(file);
  for (const auto& result : json["results"]) {
    const auto& overlap = result["overlap"];
    EXPECT_GT(overlap["pure_us"].get<double>(), 0);
    EXPECT_GT(overlap["compute_us"].get<double>(), 0);
    EXPECT_GT(overlap["overall_us"].get<double>(), 0);
    EXPECT_NEAR(overlap["percent"].get<double>(), percent_of(overlap), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, BenchOverlap,
                         testing::Values("all_reduce", "gather_v", "send_receive"));

/// A file of results of two ranks here and now.
std::string results_of(const TemporaryFile& file) {
  const Outcome outcome = rondo("bench all_reduce --local 2 -b 1K -e 4K -n 5 -J " + file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  return file.path();
}

/// The same results as if they had taken `factor` times as long.
void scale_times(const TemporaryFile& file, double factor) {
  auto json = json_of(file);
  for (auto& result : json["results"]) {
    result["p50_us"] = result["p50_us"].get<double>() * factor;
  }
  file.put(json.dump());
}

TEST(BenchBaseline, SlowerThanBefore_IsExitCode3) {
  const TemporaryFile file;
  const std::string again =
      "bench all_reduce --local 2 -b 1K -e 4K -n 5 --tolerance 20 --baseline ";
  results_of(file);
  // However busy this machine is: beside other work a call takes 4 ms, not 1 us.
  scale_times(file, 1e6);
  const Outcome faster = rondo(again + file.path());
  EXPECT_EQ(faster.exit_code, 0) << faster.output;
  EXPECT_THAT(faster.output, HasSubstr("# Slower than baseline : 0 OK\n"));
  scale_times(file, 1e-12);
  const Outcome slower = rondo(again + file.path());
  EXPECT_EQ(slower.exit_code, 3) << slower.output;
  EXPECT_THAT(slower.output, Not(HasSubstr("rondo run: "))) << "the lines below have said it";
  EXPECT_THAT(slower.output, HasSubstr("# Slower than baseline : 6 FAILED\n"));
}

TEST(BenchBaseline, OfSomethingElse_IsRefusedBeforeAnythingIsMeasured) {
  const TemporaryFile file;
  results_of(file);
  const auto refuse = [&](const std::string& arguments, const std::string& message) {
    const Outcome outcome =
        rondo("bench " + arguments + " -b 1K -e 4K -n 2 --baseline " + file.path());
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(message));
    EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << outcome.output;
  };
  refuse("all_reduce --local 3", "is of 2 rank(s); this is all_reduce of 3 rank(s)");
  refuse("all_gather --local 2", "has no all_gather");
  const Outcome tcp = rondo(
      "bench all_reduce --local 2 --transport tcp -b 1K -e 4K -n 2 --baseline " + file.path());
  EXPECT_EQ(tcp.exit_code, 1) << tcp.output;
  EXPECT_THAT(tcp.output, HasSubstr("1024 bytes went over shm there and over tcp here"));
  EXPECT_THAT(tcp.output, HasSubstr("\n        1024 ")) << "only a call tells by what it goes";
  EXPECT_THAT(tcp.output, Not(HasSubstr("\n        2048 "))) << "nothing behind the first row";
  // A size that the baseline hasn't comes first, and the baseline is to be replaced.
  const std::string before = file.content();
  const Outcome other = rondo("bench all_reduce --local 2 --transport tcp -b 512 -e 4K -n 2 -J " +
                              file.path() + " --baseline " + file.path());
  EXPECT_EQ(other.exit_code, 1) << other.output;
  EXPECT_THAT(other.output, HasSubstr("all_reduce went over shm there and over tcp here"));
  EXPECT_THAT(other.output, Not(HasSubstr("\n        1024 ")));
  EXPECT_EQ(file.content(), before) << "it stays until it has been compared with";
  auto json = json_of(file);
  json["environment"]["cpu"] = "Another";
  file.put(json.dump());
  scale_times(file, 1e6);  // however busy this machine is
  refuse("all_reduce --local 2", "comes from another machine: its cpu is 'Another'");
  const Outcome any = rondo(
      "bench all_reduce --local 2 -b 1K -e 4K -n 2 --any-machine --tolerance "
      "100000 --baseline " +
      file.path());
  EXPECT_EQ(any.exit_code, 0) << any.output;
}

void expect_one_line_about(const TemporaryFile& baseline) {
  for (const char* ranks : {"", "--local 2 "}) {
    const Outcome outcome =
        rondo(std::string("bench all_reduce ") + ranks + "-e 8 --baseline " + baseline.path());
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("rondo bench: --baseline: "));
    EXPECT_LT(outcome.output.size(), 200U);
  }
}

TEST(BenchBaseline, BrokenFile_IsOneLine) {
  const TemporaryFile file;
  for (const std::string& text : {std::string("{"), std::string(1'000'000, '['), std::string(),
                                  std::string(1'000'000, 'x'), std::string("{\"results\": 1}")}) {
    file.put(text);
    expect_one_line_about(file);
  }
  std::filesystem::resize_file(file.path(), 100'000'000);
  expect_one_line_about(file);
}

TEST(BenchReport, Files_AreATableAndAPicture) {
  const TemporaryFile first;
  const TemporaryFile second;
  const TemporaryFile picture;
  results_of(first);
  results_of(second);
  const Outcome outcome = rondo("bench report " + first.path() + " " + second.path() +
                                " --bound 12.5 --title 'two & two' --svg " + picture.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("# Bus bandwidth in GB/s"), HasSubstr("\n        1024"),
                    HasSubstr("# Percent: of the bound, 12.5 GB/s")));
  EXPECT_THAT(picture.content(), AllOf(HasSubstr("<svg "), HasSubstr("two &amp; two"),
                                       HasSubstr("bound, 12.5 GB/s"), HasSubstr("</svg>\n")));
}

TEST(BenchReport, PictureWhereTheTableGoes_StandsBeforeIt) {
  const TemporaryFile results;
  const TemporaryFile both;
  results_of(results);
  const Outcome outcome =
      shell("$RONDO bench report " + results.path() + " --svg /dev/stdout > " + both.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(both.content(),
              AllOf(testing::StartsWith("<svg "), HasSubstr("</svg>\n# Bus bandwidth in GB/s")));
}

TEST(BenchReport, WhatCannotBeReadOrWritten_IsOneLine) {
  const TemporaryFile good;
  const TemporaryFile broken;
  results_of(good);
  broken.put("{\"environment\": {}");
  const std::vector<std::string> impossible = {"/no/such/file.json",
                                               broken.path(),
                                               "/tmp",
                                               "/dev/zero",
                                               good.path() + " --svg /no/such/folder/a.svg",
                                               good.path() + " --svg /tmp",
                                               good.path() + " --svg /dev/full"};
  for (const std::string& arguments : impossible) {
    const Outcome outcome = rondo("bench report " + arguments);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
    EXPECT_THAT(outcome.output, testing::StartsWith("rondo bench report: "));
    EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << outcome.output;
  }
  EXPECT_EQ(rondo("bench report " + good.path() + " --bound -1").exit_code, 2);
  EXPECT_EQ(rondo("bench report " + good.path() + " --bound nan").exit_code, 2);
}

TEST(BenchSubcommands, Mistakes_AreOneLineAndExitCode2) {
  expect_usage_error("bench report", "rondo bench report: files is required");
  expect_usage_error("bench report a.json --svgg x", "unknown flag '--svgg'; did you mean --svg?");
  expect_usage_error("bench compare all_reduce", "sizes is required");
  expect_usage_error("bench compare all_too_all 8", "unknown collective 'all_too_all', allowed");
  expect_usage_error("bench compare all_reduce 8 --peers 'ompi opmi'",
                     "unknown peer 'opmi', allowed: ompi, mpich, gloo, bound, sockets, line");
  expect_usage_error("bench compare all_reduce 8 --peers ''", "--peers: expected at least one");
  expect_usage_error("bench compare all_reduce 8x", "'8x' is not a size");
  expect_usage_error("bench compare all_reduce 8 2", "BYTES 2: all_reduce of 2 ranks is measured");
  expect_usage_error("bench compare all_gather 12 --ranks 4",
                     "BYTES 12: all_gather of 4 ranks is measured from 16 bytes on");
  expect_usage_error("bench compare all_reduce 8 --transport inproc", "allowed: shm, tcp");
  expect_usage_error("bench compare all_reduce 8 --late 3 --in-a-row",
                     "--late excludes --in-a-row");
  expect_usage_error("bench all_reduce -G 3", "-G 3 isn't supported");
  expect_usage_error("bench all_reduce -r 7x", "-r: '7x' is no rank");
  expect_usage_error("bench all_reduce --tolerance 3", "--baseline");
  expect_usage_error("bench all_reduce --tolerance nan --baseline x", "--tolerance: ");
  expect_usage_error("bench compare all_reduce 8 --tolerance nan --baseline x",
                     "--tolerance: expected a number from 0 to 100, got 'nan'");
  expect_usage_error("bench compare all_reduce 8 --tolerance 101 --baseline x", "from 0 to 100");
  expect_usage_error("bench compare all_reduce 8 --seconds nan",
                     "--seconds: expected a number from 0.01 to 3600, got 'nan'");
}

TEST(BenchSubcommands, Help_HasExamples) {
  for (const std::string command : {"report", "compare"}) {
    const Outcome outcome = rondo("bench " + command + " --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("rondo bench " + command + " "));
  }
  EXPECT_THAT(rondo("bench --help").output,
              AllOf(HasSubstr("all_to_all"), HasSubstr("compare"), HasSubstr("report"),
                    HasSubstr("Flags of nccl-tests that have no use here")));
}

TEST(BenchCompare, BrokenBaseline_IsToldBeforeAnythingIsBuilt) {
  const TemporaryFile file;
  file.put("{}");
  const Outcome outcome = rondo("bench compare all_reduce 8 --baseline " + file.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("rondo bench compare: --baseline: "),
                                    HasSubstr("the file has no 'ratios'")));
}

}  // namespace
}  // namespace rondo::tool
