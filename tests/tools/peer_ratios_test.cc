#include "tools/rondo/bench/peer_ratios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/tool_process.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/peer_run.h"
#include "tools/rondo/bench/peer_sources.h"
#include "tools/rondo/bench/ratio_baseline.h"
#include "tools/rondo/bench/recorded.h"

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

PeerTimes times_of(const std::vector<std::string>& lines) {
  PeerTimes times;
  for (const std::string& line : lines) EXPECT_TRUE(times.take(line)) << line;
  return times;
}

const std::vector<std::string> kLines = {"# skipped gloo: Gloo (libgloo-dev) is not installed",
                                         "rondo,all_reduce,1024,2.00,1.9",
                                         "ompi,all_reduce,1024,6.00,1.9",
                                         "bound,all_reduce,1024,1.00,0.9",
                                         "rondo,all_reduce,1024,4.00,1.9",
                                         "ompi,all_reduce,1024,3.00,1.9",
                                         "rondo,all_reduce,1024,1.00,1.9",
                                         "ompi,all_reduce,1024,5.00,1.9",
                                         "mpich,all_reduce,1024,8.00,7.0",
                                         "rondo,all_reduce,64,1.00,1.0"};

TEST(PeerTimes, Rounds_GiveTheirMedian) {
  const PeerTimes times = times_of(kLines);
  EXPECT_DOUBLE_EQ(times.median_us("rondo", 1024), 2);
  EXPECT_DOUBLE_EQ(times.median_us("ompi", 1024), 5);
  EXPECT_EQ(times.median_us("ompi", 64), 0);
  EXPECT_THAT(times.libraries(), ElementsAre("rondo", "ompi", "bound", "mpich"));
  EXPECT_THAT(times.remarks(), ElementsAre(kLines.front()));
}

TEST(PeerTimes, LinesThatAreNone_AreNotTaken) {
  PeerTimes times;
  for (const char* line :
       {"", "rondo", "rondo,all_reduce,8,1", "rondo,all_reduce,8,1,2,3", "rondo,all_reduce,-8,1,1",
        "rondo,all_reduce,8,nan,1", "rondo,all_reduce,8,0,1", "rondo,all_reduce,8 ,1,1", ",,,,",
        "rondo,library", "rondo,library,", ",library,Rondo 0.1.0"}) {
    EXPECT_FALSE(times.take(line)) << line;
  }
}

/// Whatever a library calls itself: with commas, and more than once.
TEST(PeerTimes, Versions_AreWhatLibrariesSay) {
  const PeerTimes times = times_of({"rondo,library,Rondo 0.1.0", "rondo,all_reduce,8,1.00,1",
                                    "ompi,library,Open MPI v4.1.4, x", "ompi,all_reduce,8,1.50,1",
                                    "ompi,library,Open MPI v4.1.4, x", "bound,all_reduce,8,0.5,1"});
  EXPECT_EQ(times.version("ompi"), "Open MPI v4.1.4, x");
  EXPECT_EQ(times.version("bound"), "");
  EXPECT_EQ(times.points(), 3);
  EXPECT_THAT(times.libraries(), ElementsAre("rondo", "ompi", "bound"));
  EXPECT_THAT(ratio_table(times, {}),
              HasSubstr("medians in us\n#   rondo          Rondo 0.1.0\n"
                        "#   ompi           Open MPI v4.1.4, x\n#   size (B)"));
  const auto said = ratios_json({}, times, {}).at("libraries");
  EXPECT_EQ(said.size(), 2U);
  EXPECT_EQ(said.at("ompi"), "Open MPI v4.1.4, x");
}

/// Rounds in which everybody is twice as slow don't blur it: medians would give 2.
TEST(Ratios, AreThoseOfTheSameRound) {
  const PeerTimes times = times_of({"rondo,all_reduce,8,1.00,1", "ompi,all_reduce,8,1.50,1",
                                    "rondo,all_reduce,8,2.00,1", "ompi,all_reduce,8,3.00,1",
                                    "rondo,all_reduce,8,1.00,1", "ompi,all_reduce,8,2.00,1"});
  EXPECT_THAT(times.quotients("ompi", 8), ElementsAre(1.5, 1.5, 2));
  EXPECT_DOUBLE_EQ(ratios_of(times, {})[0].ratio, 1.5);
  EXPECT_THAT(ratio_table(times, {}), HasSubstr("   1.50x   1.50 to  2.00      3      -\n"));
  EXPECT_THAT(times.quotients("mpich", 8), IsEmpty());
}

TEST(Ratios, OfCoresThatWereNearerInOneRound_HaveRowsOfTheirOwn) {
  const PeerTimes times = times_of(
      {"rondo,all_reduce,8,0.10,1", "ompi,all_reduce,8,0.15,1", "line,all_reduce,8,0.023,1",
       "rondo,all_reduce,8,0.40,1", "ompi,all_reduce,8,0.80,1", "line,all_reduce,8,0.310,1",
       "rondo,all_reduce,8,0.20,1", "ompi,all_reduce,8,0.50,1", "line,all_reduce,8,0.150,1"});
  const std::string table = ratio_table(times, {});
  EXPECT_THAT(table, HasSubstr("0.023    1.50x   1.50 to  1.50      1    one\n"));
  EXPECT_THAT(table, HasSubstr("0.150    2.50x   2.50 to  2.50      1   near\n"));
  EXPECT_THAT(table, HasSubstr("0.310    2.00x   2.00 to  2.00      1    far\n"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 5);
}

TEST(Ratios, WhatIsNoLibrary_HasNone) {
  const PeerTimes times = times_of({"rondo,all_reduce,8,1.00,1", "line,all_reduce,8,0.15,0.1",
                                    "bound,all_reduce,8,0.50,0.5", "sockets,all_reduce,8,3.00,3"});
  EXPECT_THAT(ratios_of(times, {}), IsEmpty());
  EXPECT_THAT(times.libraries(), ElementsAre("rondo", "line", "bound", "sockets"));
  const auto results = ratios_json({}, times, {}).at("results");
  EXPECT_EQ(results.size(), 3U);
  for (const auto& each : results) EXPECT_NE(each.at("library"), "line");
}

TEST(Ratios, EveryPeerButTheBound_HasOne) {
  const PeerTimes times = times_of(kLines);
  const std::vector<PeerRatio> ratios = ratios_of(times, {});
  ASSERT_EQ(ratios.size(), 2U);
  EXPECT_EQ(ratios[0].peer, "ompi");
  EXPECT_DOUBLE_EQ(ratios[0].ratio, 3);
  EXPECT_DOUBLE_EQ(ratios[1].ratio, 8);
  const std::string table = ratio_table(times, {});
  EXPECT_THAT(table, HasSubstr("        1024         2.00         5.00         1.00         8.00   "
                               " 3.00x   0.75 to  5.00      3      -"));
  EXPECT_THAT(
      table,
      HasSubstr("          64         1.00            -            -            -        -"));
}

TEST(Ratios, Json_IsABaselineAndCanBeDrawn) {
  const PeerTimes times = times_of(kLines);
  const std::string json = json_text(ratios_json({{"host", "a"}}, times, {}));
  const std::vector<PeerRatio> ratios = ratios_from("a.json", json);
  EXPECT_EQ(compare_ratios("a.json", ratios, ratios_of(times, {}), 0).compared, 2);
  const RecordedFile file = recorded_from("a.json", json);
  ASSERT_EQ(file.results.size(), 5U);
  EXPECT_EQ(file.results[2].library, "ompi");
  EXPECT_EQ(file.results[2].buffers, "malloc");
  EXPECT_DOUBLE_EQ(file.results[2].busbw_gbps, 1024 / 5e3);
}

// A misspelt or missing library must not open a gate.
TEST(Ratios, NothingMeasured_IsNoPassedComparison) {
  const std::vector<PeerRatio> before = ratios_of(times_of(kLines), {});
  EXPECT_THAT([&] { compare_ratios("a.json", before, {}, 30); },
              testing::ThrowsMessage<FileError>(HasSubstr("nothing was measured")));
}

TEST(Ratios, CallsInARow_ArentComparedWithCallsApart) {
  const PeerTimes times = times_of(kLines);
  PeerSetting row;
  row.calls = kCallsInARow;
  const auto before = ratios_from("a.json", json_text(ratios_json({{"host", "a"}}, times, row)));
  EXPECT_EQ(compare_ratios("a.json", before, ratios_of(times, row), 0).compared, 2);
  EXPECT_THAT([&] { compare_ratios("a.json", before, ratios_of(times, {}), 0); },
              testing::ThrowsMessage<FileError>(HasSubstr("a.json has none of these ratios")));
  // Nor does `rondo bench --baseline` take them for calls apart.
  const RecordedFile file = recorded_from("a.json", json_text(ratios_json({}, times, row)));
  EXPECT_EQ(file.results[0].time_of, kCallsInARow);
  EXPECT_THAT(ratio_table(times, row), HasSubstr("buffers, calls in a row; medians"));
}

TEST(Ratios, FilesOfBefore_AreOfCallsApart) {
  const auto ratios = ratios_from("a.json", R"({"ratios": [{"peer": "ompi", "ranks": 2, "bytes": 8,
    "collective": "barrier", "transport": "shm", "buffers": "registered", "ratio": 1.5}]})");
  ASSERT_EQ(ratios.size(), 1U);
  EXPECT_EQ(ratios[0].calls, kCallsApart);
}

RecordedFile drawn_of(const std::string& call, const PeerTimes& times) {
  PeerSetting setting;
  setting.call = call;
  return recorded_from("a.json", json_text(ratios_json({{"host", "a"}}, times, setting)));
}

TEST(Ratios, CallsOfTheLoopsAlone_HaveTheBandwidthOfASend) {
  const PeerTimes times = times_of({"rondo,ping_pong,1024,2.00,1.9", "ompi,ping_pong,1024,4.00,4"});
  for (const std::string call : {"ping_pong", "send", "send_receive"}) {
    const RecordedFile file = drawn_of(call, times);
    EXPECT_EQ(file.results[0].collective, call);
    EXPECT_EQ(file.results[0].redop, "none");
    EXPECT_FALSE(file.results[0].in_place);
    EXPECT_DOUBLE_EQ(file.results[0].busbw_gbps, 1024 / 2e3);
  }
}

TEST(Ratios, PartsOfDifferentSizes_HaveTheBandwidthOfEqualOnes) {
  const PeerTimes times = times_of({"rondo,scatter_v,1024,2.00,1.9", "ompi,scatter_v,1024,4.00,4"});
  const RecordedFile file = drawn_of("scatter_v", times);
  EXPECT_EQ(file.results[1].collective, "scatter_v");
  EXPECT_EQ(file.results[1].root, 0);
  EXPECT_DOUBLE_EQ(file.results[1].busbw_gbps, 1024 / 4e3 / 2);
}

std::string executable(const TemporaryFile& file, const std::string& text) {
  file.put("#!/bin/sh\n" + text);
  chmod(file.path().c_str(), 0700);
  return file.path();
}

TEST(RunPeers, Script_GetsItsArgumentsAndGivesItsLines) {
  const TemporaryFile file;
  std::vector<std::string> lines;
  run_peers(executable(file,
                       "echo \"$@\"; test -x \"$RONDO_PEERS_TOOL\" && echo tool\n"
                       "test -d \"$RONDO_PEERS_LIBRARY\" && echo library\n"),
            {"--raw", "a b"}, [&](std::string_view line) { lines.emplace_back(line); });
  EXPECT_THAT(lines, ElementsAre("--raw a b", "tool", "library"));
}

TEST(LoopsCompile, WhatIsMissing_IsNamedWithItsPackage) {
  const auto missing_in = [](const std::string& include, const char* path) -> std::string {
    const std::string before = std::getenv("PATH");
    setenv("PATH", path, 1);
    std::string missing;
    try {
      check_loops_compile(include);
    } catch (const std::runtime_error& error) {
      missing = error.what();
    }
    setenv("PATH", before.c_str(), 1);
    return missing;
  };
  const std::string headers = RONDO_INCLUDE;
  EXPECT_EQ(missing_in("/nowhere/include", "/nowhere"),
            "the loops are compiled on the machine that is measured; missing: Rondo's headers in "
            "/nowhere/include (package librondo-dev, or RONDO_PEERS_INCLUDE names their folder) "
            "and a C++ compiler, c++, in PATH (package g++)");
  EXPECT_THAT(missing_in(headers, "/nowhere:/nowhere/too"), HasSubstr("missing: a C++ compiler"));
  EXPECT_THAT(missing_in("/nowhere", std::getenv("PATH")), HasSubstr("(package librondo-dev, "));
  EXPECT_EQ(missing_in(headers, std::getenv("PATH")), "");
}

/// What names the folder of caches, for as long as it lives: nothing but what is set meanwhile.
class CacheVariables {
 public:
  CacheVariables() {
    for (const char* name : {"RONDO_PEERS_BUILD", "RONDO_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
      const char* const before = std::getenv(name);
      before_.emplace_back(name, before == nullptr ? "" : before);
      unsetenv(name);
    }
  }
  ~CacheVariables() {
    for (const auto& [name, before] : before_)
      before.empty() ? unsetenv(name) : setenv(name, before.c_str(), 1);
  }
  CacheVariables(const CacheVariables&) = delete;
  CacheVariables& operator=(const CacheVariables&) = delete;

 private:
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST(PeersBuild, OfAnInstalledRondo_LiesInTheFirstFolderThatIsNamed) {
  const CacheVariables none;
  const auto build = [] { return peers_build("/usr/share/rondo/peers/ratios").string(); };
  EXPECT_THAT(build, testing::ThrowsMessage<std::runtime_error>(
                         HasSubstr("RONDO_CACHE_DIR, XDG_CACHE_HOME or HOME names it, and none")))
      << "no folder of wherever it is started";
  setenv("HOME", "/some/home", 1);
  EXPECT_THAT(build(), StartsWith("/some/home/.cache/rondo/peers/"));
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_THAT(build(), StartsWith("/caches/rondo/peers/"));
  setenv("RONDO_CACHE_DIR", "/here", 1);
  EXPECT_THAT(build(), StartsWith("/here/peers/"));
  setenv("RONDO_PEERS_BUILD", "/loops", 1);
  EXPECT_EQ(build(), "/loops");
}

TEST(RunPeers, LinesThatAreNotTaken_EndTheScript) {
  const TemporaryFile file;
  const auto refuse = [](std::string_view) { throw std::runtime_error("no"); };
  EXPECT_THROW(run_peers(executable(file, "echo line; exec tail -f /dev/null\n"), {}, refuse),
               std::runtime_error);
}

TEST(RunPeers, ScriptThatFails_IsAnError) {
  const TemporaryFile file;
  const auto mistake_of = [](const std::string& script) -> std::string {
    try {
      run_peers(script, {}, [](std::string_view) {});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(mistake_of(executable(file, "exit 7\n")), HasSubstr("failed (exit code 7)"));
  EXPECT_THAT(mistake_of(executable(file, "kill -9 $$\n")), HasSubstr("failed (signal 9)"));
  EXPECT_THAT(mistake_of("/no/such/script"), HasSubstr("can't run /no/such/script: No such file"));
}

}  // namespace
}  // namespace rondo::tool
