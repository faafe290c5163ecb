// `rondo trace` on files that are made up: what each clock, lateness and link should come to is
// known. And on files that are wrong.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "tests/fuzz_trials.h"
#include "tools/rondo/trace/clock_offsets.h"
#include "tools/rondo/trace/merge.h"
#include "tools/rondo/trace/read_traces.h"
#include "tools/rondo/trace/trace_report.h"
#include "tools/rondo/trace/verdict.h"

namespace rondo::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMs = 1'000'000;

/// Calls of `world` ranks, one every 10 ms, 1 ms long from when the last rank begins.
struct Made {
  int world = 3;
  int calls = 20;
  std::vector<std::int64_t> late_ns = std::vector<std::int64_t>(3, 0);    ///< by rank
  std::vector<std::int64_t> offset_ns = std::vector<std::int64_t>(3, 0);  ///< of its clock
  bool one_clock = true;
  std::string collective = "all_reduce";
  double slow_from = -1;  ///< a rank from which data come at a fifth of the others' rate

  RankTrace trace(int rank) const;
};

RankTrace Made::trace(int rank) const {
  RankTrace trace;
  trace.path = fmt::format("file{}", rank);
  trace.rank = rank;
  trace.world = world;
  trace.job = "c0ffee";
  trace.host = fmt::format("h{}", rank);
  trace.clock = one_clock ? "one" : trace.host;
  const auto own = static_cast<std::size_t>(rank);
  const std::int64_t latest = *std::ranges::max_element(late_ns);
  for (int i = 0; i < calls; ++i) {
    TracedCall call;
    call.collective = collective;
    call.result = "Ok";
    call.count = 1000;
    // Ranks jitter, each otherwise, by a few microseconds.
    const std::int64_t jitter = (i * 7 + rank * 13) % 5 * 1000;
    const std::int64_t start = i * 10 * kMs - offset_ns[own];
    call.entered_ns = call.begun_ns = start + late_ns[own] + jitter;
    call.done_ns = start + latest + kMs + jitter / 2;
    call.wait_ns = latest - late_ns[own];
    call.transfer_ns = call.done_ns - call.begun_ns - call.wait_ns;
    for (int peer = 0; peer < world; ++peer) {
      if (late_ns[static_cast<std::size_t>(peer)] == latest && peer != rank)
        call.waited_longest_for = peer;
    }
    if (slow_from >= 0) {
      call.link_peer = (rank + world - 1) % world;
      call.link_ns = call.link_peer == static_cast<int>(slow_from) ? 900'000 : 180'000;
      call.link_bytes = 1'000'000;
    }
    trace.calls.emplace(i + 1, call);
  }
  return trace;
}

std::vector<RankTrace> traces_of(const Made& made) {
  std::vector<RankTrace> traces;
  for (int rank = 0; rank < made.world; ++rank) traces.push_back(made.trace(rank));
  return traces;
}

std::vector<const RankTrace*> pointers(const std::vector<RankTrace>& traces) {
  std::vector<const RankTrace*> list;
  for (const RankTrace& trace : traces) list.push_back(&trace);
  return list;
}

TEST(ClockOffsets, OfOtherHosts_LieWithinTheirBounds) {
  const std::vector<std::int64_t> offsets = {0, 123'456'789, -987'654'321};
  const auto traces = traces_of({.offset_ns = offsets, .one_clock = false});
  const auto estimated = estimate_offsets(pointers(traces));
  for (std::size_t rank = 1; rank < 3; ++rank) {
    const ClockOffset& offset = estimated.at(traces[rank].clock);
    EXPECT_EQ(offset.kind, ClockOffset::Kind::kBounded);
    EXPECT_LE(offset.within_ns, kMs + 10'000);
    EXPECT_LE(std::abs(offset.ns - offsets[rank]), offset.within_ns) << rank;
    EXPECT_LE(std::abs(offset.ns - offsets[rank]), 20'000) << rank;
  }
  EXPECT_EQ(estimated.at(traces[0].clock).kind, ClockOffset::Kind::kOwn);
}

TEST(ClockOffsets, OfOneHost_AreNone) {
  const auto traces = traces_of({});
  const auto estimated = estimate_offsets(pointers(traces));
  ASSERT_EQ(estimated.size(), 1U);
  EXPECT_EQ(estimated.begin()->second.ns, 0);
}

TEST(ClockOffsets, ABroadcast_TellsOneSideOnly) {
  const auto traces = traces_of({.one_clock = false, .collective = "broadcast"});
  EXPECT_EQ(estimate_offsets(pointers(traces)).at("h1").kind, ClockOffset::Kind::kUnknown);
}

TEST(ClockOffsets, AClockThatWasSet_IsInconsistent) {
  auto traces = traces_of({.one_clock = false});
  for (auto& [sequence, call] : traces[1].calls) {
    if (sequence < 10) continue;
    call.entered_ns += 50 * kMs;
    call.begun_ns += 50 * kMs;
    call.done_ns += 50 * kMs;
  }
  EXPECT_EQ(estimate_offsets(pointers(traces)).at("h1").kind, ClockOffset::Kind::kInconsistent);
}

/// Makes every call of a rank `longer_ns` longer, and so what it tells of clocks less.
void stretch(RankTrace& trace, std::int64_t longer_ns) {
  for (auto& [sequence, call] : trace.calls) call.done_ns += longer_ns;
}

TEST(ClockOffsets, OfSeveralJobs_TheNarrowestCount) {
  const std::vector<std::int64_t> offsets = {0, 123 * kMs, -987 * kMs};
  auto wide = traces_of({.offset_ns = offsets, .one_clock = false});
  stretch(wide[0], 500 * kMs);
  const auto narrow = traces_of({.offset_ns = offsets, .one_clock = false});
  using Jobs = std::vector<std::vector<const RankTrace*>>;
  for (const Jobs& jobs : {Jobs{pointers(wide), {&narrow[0], &narrow[1]}},
                           Jobs{{&narrow[0], &narrow[1]}, pointers(wide)}}) {
    const auto estimated = estimate_offsets(jobs);
    EXPECT_NEAR(static_cast<double>(estimated.at("h1").ns), 123e6, 20'000);
    EXPECT_LE(estimated.at("h1").within_ns, kMs + 10'000);
    EXPECT_GT(estimated.at("h2").within_ns, 100 * kMs) << "only the wide one knows it";
    EXPECT_EQ(estimated.at("h0").kind, ClockOffset::Kind::kOwn);
  }
}

/// The second job's first rank is on another host than the first's.
TEST(ClockOffsets, OfAJobWithAnotherFirstClock_AreAgainstTheSame) {
  const auto traces = traces_of({.offset_ns = {0, 123 * kMs, -987 * kMs}, .one_clock = false});
  for (const std::vector<const RankTrace*>& second :
       {std::vector{&traces[1], &traces[2]}, std::vector{&traces[2], &traces[1]}}) {
    const auto estimated = estimate_offsets({{&traces[0], &traces[1]}, second});
    EXPECT_NEAR(static_cast<double>(estimated.at("h2").ns), -987e6, 40'000);
    EXPECT_EQ(estimated.at("h2").kind, ClockOffset::Kind::kBounded);
    EXPECT_LE(estimated.at("h2").within_ns, 2 * kMs + 20'000);
  }
}

/// Whichever job comes first: what is known of a clock is never another frame's.
TEST(ClockOffsets, OfJobsThatAThirdJoins_AreAllAgainstTheSame) {
  const std::vector<std::int64_t> offsets = {0, 1000 * kMs, -5000 * kMs, 7000 * kMs};
  const Made made{.world = 4, .late_ns = {0, 0, 0, 0}, .offset_ns = offsets, .one_clock = false};
  auto wide = traces_of(made);
  stretch(wide[0], 20 * kMs);
  const auto traces = traces_of(made);
  using Job = std::vector<const RankTrace*>;
  const Job first = {&wide[0], &wide[1]};
  const Job second = {&traces[2], &traces[3]};
  const Job bridge = {&traces[1], &traces[2]};
  for (const std::vector<Job>& jobs :
       {std::vector<Job>{first, second, bridge}, {first, bridge, second}}) {
    const auto estimated = estimate_offsets(jobs);
    for (int host = 1; host < 4; ++host) {
      const ClockOffset& offset = estimated.at("h" + std::to_string(host));
      EXPECT_EQ(offset.kind, ClockOffset::Kind::kBounded);
      EXPECT_NEAR(static_cast<double>(offset.ns),
                  static_cast<double>(offsets[static_cast<std::size_t>(host)]), 25e6)
          << host;
    }
  }
}

TEST(TraceVerdict, ALateRank_IsNamedAsLate) {
  for (const bool one_clock : {true, false}) {
    const auto traces = traces_of({.late_ns = {0, 0, 5 * kMs},
                                   .offset_ns = {0, one_clock ? 0 : 77 * kMs, 0},
                                   .one_clock = one_clock});
    const JobSummary job = summarize(pointers(traces));
    EXPECT_EQ(job.verdict.kind, Slowness::kLate);
    EXPECT_EQ(job.verdict.rank, 2);
    EXPECT_GE(job.ranks[2].late_calls, 19U);
    EXPECT_NE(describe_verdict(job).find("rank 2 was late (compute)"), std::string::npos);
  }
}

/// Rank 2 computes and then sends; rank 1 has waited for that in a receive, and both come late.
TEST(TraceVerdict, ARankThatWaitedInAReceive_IsntBlamed) {
  for (const bool one_clock : {true, false}) {
    auto traces = traces_of({.world = 4,
                             .late_ns = {0, 5 * kMs, 5 * kMs, 0},
                             .offset_ns = {0, one_clock ? 0 : -77 * kMs, 0, 0},
                             .one_clock = one_clock});
    for (const auto& [sequence, call] : traces[1].calls)
      traces[1].messages.push_back({call.entered_ns - 5 * kMs, call.entered_ns - 1000});
    const JobSummary job = summarize(pointers(traces));
    EXPECT_EQ(job.verdict.kind, Slowness::kLate);
    EXPECT_EQ(job.verdict.rank, 2) << describe(job);
    EXPECT_GE(job.ranks[2].late_calls, 19U);
    EXPECT_EQ(job.ranks[1].late_calls, 0U) << "before its first call, too";
  }
}

// Hosts whose clocks nothing compares, 5,000 s apart: the time outside of calls is all there is.
TEST(TraceVerdict, OfUnknownClocks_NobodyIsBlamedForThem) {
  const std::int64_t far = 5'000'000 * kMs;
  for (const char* collective : {"broadcast", "all_to_all_v"}) {
    for (const bool is_late : {false, true}) {
      const auto traces = traces_of({.late_ns = {0, 0, is_late ? 5 * kMs : 0},
                                     .offset_ns = {0, far, -far},
                                     .one_clock = false,
                                     .collective = collective});
      const JobSummary job = summarize(pointers(traces));
      EXPECT_EQ(job.verdict.kind, is_late ? Slowness::kLate : Slowness::kNone)
          << describe_verdict(job);
      EXPECT_LE(job.verdict.seconds, 0.11);
      EXPECT_EQ(job.verdict.rank, is_late ? 2 : -1);
    }
  }
}

TEST(TraceVerdict, OneLongPause_IsToldApart) {
  auto traces = traces_of({.late_ns = {0, 0, kMs / 2}});
  EXPECT_EQ(describe(summarize(pointers(traces))).find("of them before"), std::string::npos);
  TracedCall& call = traces[2].calls.at(7);
  call.entered_ns += 60 * kMs;
  call.begun_ns += 60 * kMs;
  call.done_ns += 60 * kMs;
  traces[2].calls.erase(traces[2].calls.upper_bound(7), traces[2].calls.end());
  const std::string text = describe(summarize(pointers(traces)));
  EXPECT_NE(text.find("ms of them before call 7 (all_reduce)"), std::string::npos) << text;
}

TEST(TraceVerdict, OneFileAlone_DoesntTell) {
  const auto traces = traces_of({});
  EXPECT_NE(describe(summarize({&traces[1]})).find("add the others'"), std::string::npos);
}

TEST(TraceVerdict, ASlowLink_IsNamedAsALink) {
  const auto traces = traces_of({.world = 4,
                                 .late_ns = std::vector<std::int64_t>(4, 0),
                                 .offset_ns = std::vector<std::int64_t>(4, 0),
                                 .slow_from = 1});
  const JobSummary job = summarize(pointers(traces));
  EXPECT_EQ(job.verdict.kind, Slowness::kLink);
  EXPECT_EQ(job.verdict.rank, 1);
  EXPECT_EQ(job.verdict.peer, 2);
  const std::string text = describe(job);
  EXPECT_NE(text.find("the link from rank 1 to rank 2 is slow: 1111.1 MB/s, 5555.6 MB/s"),
            std::string::npos)
      << text;
}

TEST(TraceVerdict, EqualRanks_NobodyStandsOut) {
  const auto traces = traces_of({});
  const JobSummary job = summarize(pointers(traces));
  EXPECT_EQ(job.verdict.kind, Slowness::kNone);
  EXPECT_EQ(job.calls, 20U);
}

TEST(TraceVerdict, DataThatComeLate_AreNamed) {
  auto traces = traces_of({});
  for (const std::size_t rank : {0U, 2U}) {
    for (auto& [sequence, call] : traces[rank].calls) {
      call.waited_longest_for = 1;
      call.wait_ns = 800'000;
      call.transfer_ns = call.done_ns - call.begun_ns - call.wait_ns;
    }
  }
  const JobSummary job = summarize(pointers(traces));
  EXPECT_EQ(job.verdict.kind, Slowness::kData);
  EXPECT_EQ(job.verdict.rank, 1);
}

/// A file as ranks write it, of one call.
std::string file_text(int rank = 0, int world = 2) {
  return fmt::format(
      R"([
{{"name":"rondo","ph":"M","pid":{0},"tid":0,"args":{{"version":1,"rank":{0},"world":{1},"process":7,)"
      R"("host":"h","clock":"c","clock_offset_ns":0,"job":"j","calls":1,"kept":1,"error":""}}}},
{{"name":"barrier","cat":"call","ph":"X","pid":{0},"tid":0,"ts":1.5,"dur":2.25,"args":{{"sequence":1,)"
      R"("count":0,"bytes":0,"type":"f32","op":"none","root":0,"algorithm":"direct",)"
      R"("transport":"shm","result":"Ok","entered_ns":1500,"begun_ns":1500,"first_byte_ns":1600,)"
      R"("last_byte_ns":1700,"done_ns":3750,"wait_ns":2000,"transfer_ns":250,"reduce_ns":0,)"
      R"("waited_longest_for":1,"waited_last_for":1,"link_peer":-1,"link_ns":0,"link_bytes":0}}}}
])",
      rank, world);
}

/// What is said of it; empty: nothing.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_trace("FILE", text));
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(TraceFile, AsItIsWritten_IsRead) {
  const RankTrace trace = parse_trace("FILE", file_text());
  EXPECT_EQ(trace.world, 2);
  ASSERT_EQ(trace.calls.size(), 1U);
  EXPECT_EQ(trace.calls.at(1).wait_ns, 2000);
}

TEST(TraceFile, SendsAndReceives_AreReadApart) {
  const RankTrace trace =
      parse_trace("FILE", replaced(file_text(), "\"sequence\":1", "\"sequence\":0"));
  EXPECT_TRUE(trace.calls.empty());
  ASSERT_EQ(trace.messages.size(), 1U);
  EXPECT_EQ(trace.messages[0].begin_ns, 1500);
  EXPECT_EQ(trace.messages[0].end_ns, 3750);
}

TEST(TraceFile, WhatCantBe_IsRefusedInOneLine) {
  const std::string good = file_text();
  const std::vector<std::string> wrong = {
      "",
      "[]",
      "{}",
      "7",
      "[7]",
      "[[]]",
      "[{}]",
      std::string(1'000'000, '['),
      std::string(1'000'000, '\xff'),
      "[{\"name\":" + std::string(1'000'000, '['),
      good.substr(0, good.size() / 2),
      good + "x",
      replaced(good, "\"version\":1", "\"version\":2"),
      replaced(good, "\"rank\":0", "\"rank\":2"),
      replaced(good, "\"rank\":0", "\"rank\":-1"),
      replaced(good, "\"world\":2", "\"world\":100000000000000000000000"),
      replaced(good, "\"world\":2", "\"world\":1e999"),
      replaced(good, "\"world\":2", "\"world\":0"),
      replaced(good, "\"host\":\"h\"", "\"host\":7"),
      replaced(good, "\"args\"", "\"arcs\""),
      replaced(good, "\"sequence\":1", "\"sequence\":18446744073709551615"),
      replaced(good, "\"done_ns\":3750", "\"done_ns\":1000"),
      replaced(replaced(good, "\"sequence\":1", "\"sequence\":0"), "\"done_ns\":3750",
               "\"done_ns\":1000"),
      replaced(good, "\"wait_ns\":2000", "\"wait_ns\":2001"),
      replaced(good, "\"wait_ns\":2000", "\"wait_ns\":-2000"),
      replaced(good, "\"wait_ns\":2000,", ""),
      replaced(good, "\"ts\":1.5", "\"ts\":\"late\""),
      replaced(good, "\"name\":\"barrier\"", "\"name\":7"),
      replaced(good, "}}\n]", "}},{\"name\":\"rondo\",\"args\":7}]"),
      replaced(good, "\"waited_longest_for\":1", "\"waited_longest_for\":2"),
  };
  for (const std::string& text : wrong) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find("FILE is no trace of Rondo's: "), std::string::npos) << text.substr(0, 200);
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_LT(said.size(), 400U) << said;
  }
}

TEST(TraceFile, ThatIsNoJson_IsToldWhere) {
  EXPECT_EQ(refusal("[\n {]"), "FILE is no trace of Rondo's: not JSON at line 2, column 3");
  EXPECT_EQ(refusal("[{\"ts\": 1e999}]"), "FILE is no trace of Rondo's: a number is out of range");
}

/// A good file with up to four changes: letters, cuts, repetitions, values of another kind or size.
std::string damaged(std::string text, std::mt19937& random) {
  const std::string bytes = "0123456789[]{},:\"-+eE.\\ \n\xc3x";
  const std::vector<std::string> values = {"1152921504606846976",
                                           "-288230376151711744",
                                           "288230376151711744",
                                           "18446744073709551615",
                                           "-1e308",
                                           "1e999",
                                           "null",
                                           "\"\\n\\u001b[2J\"",
                                           "[[[[[[[[]]]]]]]]",
                                           "{\"a\":{\"b\":{}}}"};
  for (std::uint32_t damage = random() % 4; damage != ~0U; --damage) {
    const std::size_t at = random() % text.size();
    const std::size_t colon = text.find(':', at);
    switch (random() % 4) {
      case 0: text[at] = bytes[random() % bytes.size()]; break;
      case 1: text.erase(at, random() % 20); break;
      case 2: text.insert(at, text.substr(random() % text.size(), random() % 20)); break;
      default:
        if (colon == std::string::npos) break;
        text.replace(colon + 1, text.find_first_of(",}", colon) - colon - 1,
                     values[random() % values.size()]);
    }
    if (text.empty()) text = "x";
  }
  return text;
}

/// What is said of a world of two ranks, of which this is the other one's file.
void use(const std::string& text) {
  std::vector<RankTrace> traces;
  traces.push_back(parse_trace("FILE", text));
  traces.push_back(parse_trace("OTHER", file_text(1 - traces.front().rank % 2)));
  traces.back().job = traces.front().job;
  traces.back().world = traces.front().world;
  if (traces.front().rank == traces.back().rank) traces.pop_back();
  const auto jobs = by_job(traces);
  const std::string report = describe(summarize(jobs.front()));
  for (const char letter : report)
    ASSERT_TRUE(letter == '\n' || (letter >= ' ' || letter < 0)) << report;
  EXPECT_TRUE(nlohmann::json::accept(merge(jobs))) << text;
}

TEST(TraceFile, DamagedAnyhow_IsReadOrRefused) {
  const std::string good = file_text();
  FuzzTrials trials(20'000);
  int used = 0;
  while (trials.next()) {
    const std::string text = damaged(good, trials.random());
    const std::string said = refusal(text);
    ASSERT_EQ(said.find('\n'), std::string::npos) << said;
    if (!said.empty()) continue;
    ++used;
    ASSERT_NO_THROW(use(text)) << text;
  }
  EXPECT_GT(used, 100);
}

/// Two ranks at the ends of what instants may be: their differences still have room.
TEST(TraceFile, TimesAtTheEnds_DontOverflow) {
  constexpr std::int64_t kLatestNs = std::int64_t{1} << 58;
  const auto at = [](int rank, std::int64_t begun, const std::string& clock) {
    std::string text = replaced(file_text(rank), R"("clock":"c")", R"("clock":")" + clock + '"');
    text = replaced(text, "\"entered_ns\":1500", fmt::format("\"entered_ns\":{}", begun));
    text = replaced(text, "\"begun_ns\":1500", fmt::format("\"begun_ns\":{}", begun));
    text = replaced(text, "\"done_ns\":3750", fmt::format("\"done_ns\":{}", begun + 2250));
    return text;
  };
  EXPECT_NE(refusal(at(0, kLatestNs, "c")), "") << "it would be done after the last instant";
  const std::vector<RankTrace> traces = {parse_trace("a", at(0, kLatestNs - 2250, "c")),
                                         parse_trace("b", at(1, -kLatestNs, "d"))};
  const JobSummary job = summarize(pointers(traces));
  EXPECT_EQ(job.ranks[1].clock.ns, 2 * kLatestNs - 2250);
  EXPECT_EQ(job.calls, 1U);
}

TEST(TraceFile, WhatIsShown_IsOnOneLine) {
  const std::string text = replaced(file_text(), R"("host":"h")", R"("host":"h\n\u001b[2J")");
  EXPECT_EQ(parse_trace("FILE", text).host, "h??[2J");
}

TEST(TraceFile, HundredMegabytes_AreRefusedAtOnce) {
  std::string text;
  for (const char letter : {'\0', '[', '7'}) {
    text.assign(100'000'000, letter);
    EXPECT_NE(refusal(text), "") << letter;
  }
}

TEST(TraceMerge, TwoFilesOfARank_AreRefused) {
  std::vector<RankTrace> traces = {parse_trace("a", file_text(1)), parse_trace("b", file_text(1))};
  EXPECT_THROW(static_cast<void>(by_job(traces)), std::runtime_error);
  traces = {parse_trace("a", file_text(1)), parse_trace("b", file_text(0, 3))};
  EXPECT_THROW(static_cast<void>(by_job(traces)), std::runtime_error);
}

TEST(TraceMerge, OtherClocks_AreMovedToTheFirst) {
  std::string other = replaced(file_text(1), "\"clock\":\"c\"", "\"clock\":\"d\"");
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"\"entered_ns\":1500", "\"entered_ns\":101500"},
                                          {"\"begun_ns\":1500", "\"begun_ns\":101500"},
                                          {"\"done_ns\":3750", "\"done_ns\":103750"},
                                          {"\"ts\":1.5", "\"ts\":101.5"}})
    other = replaced(other, name, value);
  const std::vector<RankTrace> traces = {parse_trace("a", file_text(0)), parse_trace("b", other)};
  const auto merged = nlohmann::json::parse(merge(by_job(traces)));
  ASSERT_EQ(merged.size(), 5U);
  EXPECT_EQ(merged[3]["args"]["clock_offset_ns"], -100'000);
  EXPECT_EQ(merged[4]["pid"], 1);
  EXPECT_NEAR(merged[4]["ts"].get<double>(), 1.5, 1e-6);
}

/// The first job's call was long on rank 0, the second's is short.
TEST(TraceMerge, OfTwoJobs_TheOneThatKnowsTheClockBetterCounts) {
  const auto file_of = [](int rank, const std::string& job, std::int64_t longer_ns) {
    std::string text = replaced(file_text(rank), R"("job":"j")", R"("job":")" + job + '"');
    text = replaced(text, R"("clock":"c")", fmt::format(R"("clock":"{}")", rank));
    text = replaced(text, R"("done_ns":3750)", fmt::format(R"("done_ns":{})", 3750 + longer_ns));
    return replaced(text, R"("transfer_ns":250)",
                    fmt::format(R"("transfer_ns":{})", 250 + longer_ns));
  };
  const std::vector<RankTrace> traces = {
      parse_trace("a", file_of(0, "j", 1'000'000)), parse_trace("b", file_of(1, "j", 0)),
      parse_trace("c", file_of(0, "k", 0)), parse_trace("d", file_of(1, "k", 0))};
  const auto merged = nlohmann::json::parse(merge(by_job(traces)));
  ASSERT_EQ(merged.size(), 9U);
  for (const std::size_t first_of_rank_1 : {3U, 7U})
    EXPECT_EQ(merged[first_of_rank_1]["args"]["clock_offset_ns"], 0);
}

class TraceFolder : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    for (int rank = 0; rank < 2; ++rank) put(std::to_string(rank), file_text(rank));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const {
    return (folder_ / ("rondo-trace." + name + ".json")).string();
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  void put_merged() const { put("merged", merge(by_job(read_traces({folder_.string()})))); }

  const fs::path folder_ =
      fs::temp_directory_path() / ("rondo_trace_folder." + std::to_string(getpid()));
};

std::string mistake_of(const std::vector<std::string>& paths) {
  try {
    static_cast<void>(read_traces(paths));
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST_F(TraceFolder, MergedTraceInIt_IsPassedOver) {
  put_merged();
  EXPECT_EQ(read_traces({folder_.string()}).size(), 2U);
  put_merged();
  EXPECT_EQ(read_traces({folder_.string()}).size(), 2U) << "a second time";
  for (const std::string rank : {"0", "1"}) fs::remove(path(rank));
  EXPECT_EQ(mistake_of({folder_.string()}),
            folder_.string() +
                " has no files rondo-trace.*.json but merged ones: were the ranks "
                "run with RONDO_TRACE=FOLDER?");
}

TEST_F(TraceFolder, MergedTraceThatIsNamed_IsRefused) {
  fs::remove(path("1"));
  put_merged();
  EXPECT_EQ(mistake_of({path("merged")}),
            path("merged") + " is a merged trace: give the ranks' files")
      << "of one rank, too";
}

TEST_F(TraceFolder, WhatIsMissingOrTooLong_IsRefused) {
  EXPECT_EQ(mistake_of({path("2")}), "can't read " + path("2") + ": No such file or directory");
  EXPECT_EQ(mistake_of({"/dev/zero"}),
            "/dev/zero is no trace of Rondo's: more than 134217728 bytes");
}

TEST(TraceFile, OutOfAPipe_IsRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::string text = file_text();
  ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  EXPECT_EQ(read_trace("/dev/fd/" + std::to_string(ends[0])).calls.size(), 1U);
  close(ends[0]);
}

}  // namespace
}  // namespace rondo::tool
