#include "tools/rondo/bench/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/ratio_baseline.h"

namespace rondo::tool {
namespace {

using testing::HasSubstr;

const Facts kHere = {{"host", "a"}, {"cpu", "Xeon"}};

BenchResult now_result(double time_us) {
  BenchResult result;
  result.bytes = 1024;
  result.ranks = 2;
  result.transport = "shm";
  result.buffers = "registered";
  result.p50_us = time_us;
  return result;
}

Recorded before_result(double time_us) {
  Recorded result;
  result.collective = "all_reduce";
  result.bytes = 1024;
  result.type = "f32";
  result.redop = "sum";
  result.ranks = 2;
  result.transport = "shm";
  result.wire_format = "none";
  result.buffers = "registered";
  result.library = "rondo";
  result.time_of = "slowest rank";
  result.p50_us = time_us;
  return result;
}

RecordedFile baseline_of(std::vector<Recorded> results) {
  return {"old.json", kHere, std::move(results)};
}

template <class Work>
std::string mistake_of(const Work& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Baseline, SlowerThanTheToleranceAllows_IsCounted) {
  const RecordedFile baseline = baseline_of({before_result(10)});
  for (const auto& [time_us, slower] : {std::pair{10.9, 0}, {11.1, 1}, {3.0, 0}}) {
    const BaselineComparison comparison =
        compare_with(baseline, {{now_result(time_us), std::nullopt}});
    EXPECT_EQ(count_slower(comparison, 10), slower) << time_us;
  }
  const auto comparison = compare_with(baseline, {{now_result(25), std::nullopt}});
  const std::string lines = comparison_lines(baseline, comparison, 10);
  EXPECT_THAT(lines, HasSubstr("2.50 SLOWER\n"));
  EXPECT_THAT(lines, HasSubstr("# Slower than baseline : 1 FAILED\n"));
}

TEST(Baseline, OtherPoints_AreNotCompared) {
  std::vector<Recorded> others(9, before_result(1));
  others[0].bytes = 1025;
  others[1].type = "f64";
  others[2].redop = "max";
  others[3].in_place = true;
  others[4].ranks = 3;
  others[5].buffers = "malloc";
  others[6].library = "ompi";
  others[7].time_of = "fastest rank";
  others[8].calls = 64;
  EXPECT_THAT(mistake_of([&] {
                compare_with(baseline_of(others), {{now_result(25), std::nullopt}});
              }),
              HasSubstr("--baseline old.json has none of the 1 results"));
  others.push_back(before_result(20));
  others.push_back(before_result(30));
  others.push_back(before_result(25));
  const auto comparison = compare_with(baseline_of(others), {{now_result(25), std::nullopt}});
  ASSERT_EQ(comparison.points.size(), 1U);
  EXPECT_DOUBLE_EQ(comparison.points[0].ratio(), 1) << "the median of the cycles";
}

TEST(Baseline, AnotherMachine_IsRefusedUnlessItMayBe) {
  const RecordedFile baseline = baseline_of({before_result(10)});
  const Facts other_cpu = {{"host", "a"}, {"cpu", "EPYC"}};
  EXPECT_EQ(mistake_of([&] { require_comparable(baseline, "all_reduce", 2, kHere, false); }), "");
  EXPECT_EQ(mistake_of([&] { require_comparable(baseline, "all_reduce", 2, other_cpu, false); }),
            "--baseline old.json comes from another machine: its cpu is 'Xeon', here it is 'EPYC'; "
            "--any-machine compares nevertheless");
  EXPECT_EQ(mistake_of([&] { require_comparable(baseline, "all_reduce", 2, other_cpu, true); }),
            "");
  Facts other_host = kHere;
  other_host.front().second = "b";
  EXPECT_THAT(mistake_of([&] { require_comparable(baseline, "all_reduce", 2, other_host, false); }),
              HasSubstr("its host is 'a', here it is 'b'"));
}

TEST(Baseline, OtherRanksCollectiveOrTransport_IsRefused) {
  const RecordedFile baseline = baseline_of({before_result(10)});
  EXPECT_EQ(mistake_of([&] { require_comparable(baseline, "all_reduce", 4, kHere, true); }),
            "--baseline old.json is of 2 rank(s); this is all_reduce of 4 rank(s)");
  EXPECT_EQ(mistake_of([&] { require_comparable(baseline, "gather", 2, kHere, true); }),
            "--baseline old.json has no gather; this is gather of 2 rank(s)");
  BenchResult by_tcp = now_result(10);
  by_tcp.transport = "tcp";
  EXPECT_THAT(mistake_of([&] {
                compare_with(baseline, {{by_tcp, std::nullopt}});
              }),
              HasSubstr("all_reduce of 1024 bytes went over shm there and over tcp here"));
}

TEST(Baseline, TimeThatNoCallTakes_IsNamed) {
  RecordedFile baseline = baseline_of({before_result(10), before_result(0)});
  EXPECT_EQ(
      mistake_of([&] { require_comparable(baseline, "all_reduce", 2, kHere, false); }),
      "--baseline old.json: all_reduce of 1024 bytes took 0 us there (p50_us), and nothing can "
      "be compared with that; expected more than 0: measure it again");
  baseline.results.back().ranks = 3;
  EXPECT_EQ(mistake_of([&] { require_comparable(baseline, "all_reduce", 2, kHere, false); }), "")
      << "of no use here";
}

PeerRatio ratio(const std::string& peer, double value) {
  return {peer, "all_reduce", 1024, "shm", 2, "registered", value};
}

TEST(RatioBaseline, ARatioThatHasFallen_IsCounted) {
  const std::vector<PeerRatio> before = {ratio("ompi", 2), ratio("mpich", 3)};
  const RatioComparison good = compare_ratios("b.json", before, {ratio("ompi", 1.5)}, 30);
  EXPECT_EQ(good.compared, 1);
  EXPECT_EQ(good.lower, 0);
  EXPECT_THAT(good.lines, HasSubstr("# Lower than baseline : 0 of 1 OK"));
  const RatioComparison bad =
      compare_ratios("b.json", before, {ratio("ompi", 1.3), ratio("mpich", 3.1)}, 30);
  EXPECT_EQ(bad.compared, 2);
  EXPECT_EQ(bad.lower, 1);
  EXPECT_THAT(bad.lines, HasSubstr("LOWER"));
}

TEST(RatioBaseline, OtherCalls_AreNotCompared) {
  PeerRatio other = ratio("ompi", 9);
  other.ranks = 4;
  EXPECT_THROW(compare_ratios("b.json", {other, ratio("gloo", 9)}, {ratio("ompi", 1)}, 30),
               FileError);
}

}  // namespace
}  // namespace rondo::tool
