#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rondo/error.h"
#include "rondo/plan.h"

namespace rondo {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

const PlannedAlgorithm& candidate(const PlanReport& report, const std::string& name) {
  const auto found = std::find_if(report.candidates.begin(), report.candidates.end(),
                                  [&](const PlannedAlgorithm& each) { return each.name == name; });
  EXPECT_NE(found, report.candidates.end()) << name;
  return *found;
}

std::string message_of(const PlanQuestion& question) {
  try {
    explain_plan(question);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.message();
  }
  return "accepted";
}

TEST(Explain, StepsAndBytesAreTheAlgorithms) {
  const PlanReport report = explain_plan({.bytes = 8 * kMebibyte, .hosts = 4, .ranks_per_host = 2});
  EXPECT_EQ(report.ranks, 8);
  EXPECT_EQ(report.hosts, 4);
  const PlannedAlgorithm& ring = candidate(report, "ring");
  EXPECT_EQ(ring.steps, 14U);
  EXPECT_EQ(ring.most_rank_bytes, 14 * kMebibyte);
  EXPECT_EQ(ring.most_link_bytes, 14 * kMebibyte) << "one of a host's two ranks sends to others";
  const PlannedAlgorithm& direct = candidate(report, "direct");
  EXPECT_EQ(direct.steps, 2U);
  EXPECT_EQ(direct.most_link_bytes, 2 * 2 * 6 * kMebibyte) << "both do, to six others, twice";
  const PlannedAlgorithm& hierarchical = candidate(report, "hierarchical");
  EXPECT_EQ(hierarchical.most_link_bytes, 12 * kMebibyte) << "2 (h-1)/h of the data";
}

TEST(Explain, LinksCarryWhatTheScheduleSends) {
  PlanQuestion question{.bytes = 1 << 20, .hosts = 2, .ranks_per_host = 2, .algorithm = "ring"};
  const PlanReport report = explain_plan(question);
  std::uint64_t inside = 0;
  std::uint64_t between = 0;
  for (const PlannedLink& link : report.links) {
    EXPECT_EQ(link.to, (link.from + 1) % 4) << "a ring";
    EXPECT_EQ(link.between_hosts, link.from % 2 == 1);
    EXPECT_EQ(link.bytes, (std::uint64_t{1} << 20) / 4 * 6) << "2 (n-1) / n of the data";
    (link.between_hosts ? between : inside) += static_cast<std::uint64_t>(link.alike);
  }
  EXPECT_EQ(inside, 2U);
  EXPECT_EQ(between, 2U);
}

/// What links between ranks of different hosts carry, of hosts that are all looked at.
struct HostBytes {
  std::uint64_t up = 0, down = 0;
};

std::vector<HostBytes> bytes_of_hosts(const PlanReport& report, const std::vector<int>& host_of) {
  std::vector<HostBytes> hosts(static_cast<std::size_t>(report.hosts));
  for (const PlannedLink& link : report.links) {
    EXPECT_EQ(link.alike, 1);
    if (!link.between_hosts) continue;
    const auto host = [&](int rank) {
      return static_cast<std::size_t>(host_of[static_cast<std::size_t>(rank)]);
    };
    hosts[host(link.from)].up += link.bytes;
    hosts[host(link.to)].down += link.bytes;
  }
  return hosts;
}

/// Hosts that differ, so that nothing stands for anything else: each rank's links are counted.
TEST(Explain, UplinksCarryWhatTheirRanksLinksDo) {
  const std::string network = R"({
    "switches": [{"name": "left", "up_gbit_s": 7}, {"name": "right", "up_gbit_s": 9}],
    "hosts": [{"ranks": 2, "up_gbit_s": 10, "switch": "left"},
              {"ranks": 1, "up_gbit_s": 5, "down_gbit_s": 3, "switch": "left"},
              {"ranks": 3, "up_gbit_s": 2, "switch": "right"}]})";
  const std::vector<int> host_of{0, 0, 1, 2, 2, 2};
  for (const char* algorithm : {"ring", "direct", "recursive_doubling", "hierarchical"}) {
    PlanQuestion question{.bytes = 6 << 10, .network = network, .algorithm = algorithm};
    const PlanReport report = explain_plan(question);
    const std::vector<HostBytes> hosts = bytes_of_hosts(report, host_of);
    ASSERT_EQ(report.uplinks.size(), 5U) << "three hosts, two switches";
    for (std::size_t i = 0; i < 3; ++i) {
      const PlannedUplink& uplink = report.uplinks[i];
      EXPECT_EQ(uplink.name, "host " + std::to_string(i));
      EXPECT_FALSE(uplink.of_switch);
      EXPECT_EQ(uplink.up_bytes, hosts[i].up) << algorithm;
      EXPECT_EQ(uplink.down_bytes, hosts[i].down) << algorithm;
    }
    // The right one's hosts are one, whose link's bytes all pass the switch, both ways.
    const PlannedUplink &left = report.uplinks[3], &right = report.uplinks[4];
    EXPECT_EQ(left.name + right.name, "leftright");
    EXPECT_TRUE(left.of_switch && right.of_switch);
    EXPECT_EQ(right.up_bytes, hosts[2].up);
    EXPECT_EQ(right.down_bytes, hosts[2].down);
    EXPECT_EQ(left.up_bytes, right.down_bytes);
    EXPECT_EQ(left.down_bytes, right.up_bytes);
    EXPECT_NEAR(
        report.uplinks[1].busy_share * report.candidates[0].predicted_us,
        std::max(static_cast<double>(hosts[1].up) / 625, static_cast<double>(hosts[1].down) / 375),
        1e-6)
        << "bytes by bytes per us of its 5 and 3 Gbit/s";
  }
}

/// Of hosts and switches that are alike one stands for all, and each has as much.
TEST(Explain, UplinksOfHostsThatAreAlikeHaveTheirShare) {
  const std::string network = R"({
    "switches": [{"name": "a", "up_gbit_s": 7}, {"name": "b", "up_gbit_s": 7}],
    "hosts": [{"count": 2, "ranks": 2, "up_gbit_s": 10, "switch": "a"},
              {"count": 2, "ranks": 2, "up_gbit_s": 10, "switch": "b"}]})";
  const PlanReport report =
      explain_plan({.bytes = 1 << 20, .network = network, .algorithm = "ring"});
  double hosts = 0, switches = 0;
  for (const PlannedUplink& uplink : report.uplinks) {
    EXPECT_EQ(uplink.up_bytes, uplink.down_bytes) << "a ring gives as much as it gets";
    (uplink.of_switch ? switches : hosts) +=
        static_cast<double>(uplink.up_bytes) * static_cast<double>(uplink.alike);
  }
  const double of_a_link = 2.0 * 7 / 8 * (1 << 20);
  EXPECT_EQ(hosts, 4 * of_a_link) << "four of a ring's links lead from one host to the next";
  EXPECT_EQ(switches, 2 * of_a_link) << "and two of these from one switch to the other";
  EXPECT_TRUE(explain_plan({.bytes = 1 << 20, .ranks_per_host = 4}).uplinks.empty());
}

TEST(Explain, TheChosenIsACandidateAndTheReasonNamesAnother) {
  for (const std::size_t bytes : {std::size_t{8}, 64 * kMebibyte}) {
    const PlanReport report = explain_plan({.bytes = bytes, .ranks_per_host = 4});
    candidate(report, report.algorithm);
    EXPECT_TRUE(std::is_sorted(report.candidates.begin(), report.candidates.end(),
                               [](const PlannedAlgorithm& a, const PlannedAlgorithm& b) {
                                 return a.predicted_us < b.predicted_us;
                               }));
    const bool is_first = report.candidates.front().name == report.algorithm;
    const std::string& other = report.candidates[is_first ? 1 : 0].name;
    EXPECT_NE(report.reason.find(other), std::string::npos) << report.reason;
  }
}

/// Eight ranks of a host, whose messages cost their sender so much.
PlanReport tuned_plan(Collective collective, std::size_t bytes, const std::string& send_us) {
  const std::string tuning = R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 8}],
      "inside": {"maps": true, "messages": [{"latency_us": 0.1, "send_us": )" +
                             send_us + R"(, "receive_us": 0}]},
      "work": {"read_gb_s": 10, "write_gb_s": 10, "reduce_gb_s": 20}}})";
  return explain_plan({.collective = collective, .bytes = bytes, .hosts = 0, .tuning = tuning});
}

/// Choices are simulated in longer pieces than the longer of these rows are moved in: messages that
/// cost their sender much count as many as they are.
TEST(Explain, TheChosenIsTheFastestWhereMessagesCostMuch) {
  for (const Collective collective : {Collective::kBroadcast, Collective::kAllGather}) {
    for (const std::size_t bytes : {8 * kMebibyte, 256 * kMebibyte}) {
      const PlanReport report = tuned_plan(collective, bytes, "5");
      EXPECT_LE(candidate(report, report.algorithm).predicted_us,
                1.005 * report.candidates.front().predicted_us)
          << report.candidates.front().name << " is faster than " << report.algorithm;
    }
  }
}

PlanReport plan_of_hosts(Collective collective, std::size_t bytes, const std::string& hosts) {
  return explain_plan(
      {.collective = collective,
       .bytes = bytes,
       .hosts = 0,
       .tuning = R"({"rondo_tuning": 1, "network": {"hosts": [{)" + hosts + "}]}}"});
}

TEST(Explain, AChoiceInPiecesThatAreLongerIsSaidToBe) {
  const PlanReport report =
      plan_of_hosts(Collective::kAllReduce, 32 * kMebibyte,
                    R"("count": 8, "ranks": 8, "up_gbit_s": 10, "down_gbit_s": 10)");
  EXPECT_NE(report.candidates.front().name, report.algorithm);
  EXPECT_EQ(report.reason, "the least predicted time in longer pieces, which are chosen by");
}

TEST(Explain, AFasterOneThatTakesTooLongToSimulateIsSaidTo) {
  const PlanReport report =
      plan_of_hosts(Collective::kReduce, 3 * kMebibyte / 2,
                    R"("count": 13, "ranks": 4, "up_gbit_s": 100, "down_gbit_s": 100)");
  EXPECT_EQ(report.candidates.front().name, "direct");
  EXPECT_EQ(report.reason,
            "the least predicted time of those that take a tenth of a second to simulate, at most; "
            "direct takes longer");
}

TEST(Explain, ATieIsSaidToBeOne) {
  const PlanReport report = tuned_plan(Collective::kAllGather, 8 * kMebibyte, "0");
  const PlannedAlgorithm &first = report.candidates[0], &second = report.candidates[1];
  EXPECT_LT(second.predicted_us, 1.005 * first.predicted_us);
  const std::string& other = first.name == report.algorithm ? second.name : first.name;
  EXPECT_EQ(report.reason, "no other is predicted to take less: " + other + " would take as long");
}

/// As a communicator of it has them: each host its own.
TEST(Explain, ATuningsOwnWorldHasItsHostsConstantsHoweverItIsAskedFor) {
  PlanQuestion question{.bytes = kMebibyte, .hosts = 0};
  question.tuning = R"({"rondo_tuning": 1, "network": {
      "hosts": [{"ranks": 4, "cores": 8}, {"ranks": 4, "cores": 1}]}})";
  const std::string measured = network_of_plan(question);
  const PlanReport report = explain_plan(question);
  question.hosts = 2;
  question.ranks_per_host = 4;
  EXPECT_EQ(network_of_plan(question), measured);
  const PlanReport asked = explain_plan(question);
  EXPECT_EQ(asked.algorithm, report.algorithm);
  EXPECT_EQ(asked.reason, report.reason);
  question.hosts = 3;
  EXPECT_EQ(network_of_plan(question).find(R"("cores": 1)"), std::string::npos)
      << "other hosts are as the first";
}

/// Links that differ are the simulation's to know: only what measures them chooses by formulas.
TEST(Explain, ATuningWhoseLinksDifferIsChosenBy) {
  const PlanReport report = explain_plan({.bytes = kMebibyte, .hosts = 0, .tuning = R"({
      "rondo_tuning": 1, "network": {"hosts": [{"count": 3, "up_gbit_s": 10}, {"up_gbit_s": 1}]}})"});
  for (const PlannedAlgorithm& each : report.candidates) EXPECT_EQ(each.formula_us, 0) << each.name;
  EXPECT_LE(candidate(report, report.algorithm).predicted_us,
            1.005 * report.candidates.front().predicted_us);
  EXPECT_EQ(report.reason.find("formula"), std::string::npos) << report.reason;
}

/// Two hosts joined by a thousand bytes a microsecond, whose ring took `measured_us` where ten are
/// simulated.
PlanQuestion corrected_ring(const char* measured_us) {
  PlanQuestion question{.bytes = 64 << 10, .hosts = 0, .algorithm = "ring"};
  question.tuning = std::string(R"({"rondo_tuning": 1,
      "network": {"hosts": [{"count": 2, "up_gbit_s": 8}]},
      "measured": [{"collective": "all_reduce", "algorithm": "ring",
                    "times": [{"bytes": 1024, "simulated_us": 10, "us": )") +
                    measured_us + "}]}]}";
  return question;
}

TEST(Explain, ADrawingIsAsLongAsItIsPredictedToBe) {
  const double simulated = explain_plan(corrected_ring("10")).candidates.front().predicted_us;
  for (const auto& [measured_us, correction] : {std::pair("30", 3.0), std::pair("5", 0.5)}) {
    const PlanQuestion question = corrected_ring(measured_us);
    const double predicted = explain_plan(question).candidates.front().predicted_us;
    EXPECT_NEAR(predicted, correction * simulated, 1e-9 * predicted);
    const std::string svg = draw_plan(question);
    EXPECT_NE(svg.find(fmt::format("{:.3g} us predicted", predicted)), std::string::npos);
    EXPECT_NE(svg.find(fmt::format(" to {:.3f} us", predicted)), std::string::npos)
        << "the last one's work";
  }
}

TEST(Explain, ALinkIsBusyInThePredictedTime_AndAtMostAllOfIt) {
  const PlanReport slower = explain_plan(corrected_ring("30"));
  ASSERT_FALSE(slower.uplinks.empty());
  const PlannedUplink& uplink = slower.uplinks.front();
  EXPECT_NEAR(uplink.busy_share * slower.candidates.front().predicted_us,
              static_cast<double>(uplink.up_bytes) / 1000, 1e-6);
  EXPECT_EQ(explain_plan(corrected_ring("0.1")).uplinks.front().busy_share, 1);
}

TEST(Explain, WhatIsForcedIsAllThatIsPriced) {
  const PlanReport report = explain_plan({.bytes = kMebibyte, .algorithm = "ring"});
  EXPECT_EQ(report.algorithm, "ring");
  EXPECT_EQ(report.reason, "it is asked for");
  EXPECT_EQ(report.candidates.size(), 1U);
}

TEST(Explain, WhatIsForcedAndCantBe_IsSaid) {
  const PlanReport none = explain_plan(
      {.collective = Collective::kBroadcast, .ranks_per_host = 4, .algorithm = "bruck"});
  EXPECT_NE(none.algorithm, "bruck");
  EXPECT_THAT(none.reason, testing::StartsWith("there is no bruck of broadcast, so it is chosen "
                                               "among the others: "));
  EXPECT_GT(none.candidates.size(), 1U);
  const PlanReport disordered =
      explain_plan({.ranks_per_host = 4, .algorithm = "ring", .deterministic = true});
  EXPECT_NE(disordered.algorithm, "ring");
  EXPECT_THAT(disordered.reason, testing::StartsWith("ring doesn't keep the order of ranks, so"));
}

TEST(Explain, AnOrderOfRanksLeavesOnlyWhatKeepsIt) {
  const PlanReport report =
      explain_plan({.bytes = kMebibyte, .ranks_per_host = 4, .deterministic = true});
  EXPECT_TRUE(std::none_of(report.candidates.begin(), report.candidates.end(),
                           [](const PlannedAlgorithm& each) { return each.name == "ring"; }));
}

TEST(Explain, ASlowerNetworkTakesLonger) {
  const char* const fast = R"({"hosts": [{"count": 4, "up_gbit_s": 10}]})";
  const char* const slow = R"({"hosts": [{"count": 3, "up_gbit_s": 10}, {"up_gbit_s": 2}]})";
  const PlanQuestion question{.bytes = 64 * kMebibyte, .network = fast, .algorithm = "ring"};
  PlanQuestion slower = question;
  slower.network = slow;
  const double ratio = explain_plan(slower).candidates.front().predicted_us /
                       explain_plan(question).candidates.front().predicted_us;
  EXPECT_GT(ratio, 4);
  EXPECT_LT(ratio, 5.1);
}

TEST(Explain, QuestionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(message_of({.hosts = 0}),
            "0 hosts of 2 ranks: expected at least one of each, and at most 1048576 ranks");
  EXPECT_EQ(message_of({.collective = Collective::kBroadcast, .root = 2}),
            "root 2 is no rank of a world of 2 (0 to 1)");
  EXPECT_EQ(message_of({.network = "{"}).find("network file: not JSON at line 1"), 0U);
  EXPECT_EQ(message_of({.network = "{", .network_name = "x"}).find("x: not JSON at line 1"), 0U);
  EXPECT_EQ(message_of({.algorithm = "r\ng"}).find("there is no algorithm 'r?g'"), 0U);
  EXPECT_EQ(message_of({.algorithm = "rings"}).find("there is no algorithm 'rings'; there are: "),
            0U);
  EXPECT_THROW(describe_plan({}, 2), Error);
  EXPECT_THROW(describe_plan({}, -1), Error);
  EXPECT_THROW(draw_plan({.hosts = 65}), Error);
}

TEST(Explain, AWorldBesideANetworkHasToBeTheSame) {
  const std::string network = R"({"hosts": [{"count": 2, "ranks": 4}]})";
  EXPECT_EQ(explain_plan({.network = network}).ranks, 8) << "it isn't said";
  EXPECT_EQ(message_of({.hosts = 2, .ranks_per_host = 4, .network = network}), "accepted");
  EXPECT_EQ(message_of({.hosts = 0, .ranks_per_host = 0, .network = network}), "accepted");
  EXPECT_EQ(message_of({.hosts = 4, .ranks_per_host = 2, .network = network, .network_name = "x"}),
            "4 hosts of 2 ranks: x describes 8 ranks on 2 hosts; expected the same, or 0 and 0");
}

TEST(Explain, MoreBytesThanATebibyteAreRefused) {
  constexpr std::size_t kTebibyte = std::size_t{1} << 40;
  EXPECT_EQ(message_of({.bytes = kTebibyte + 1}),
            "all_reduce of 1099511627777 bytes on a rank: expected at most 1099511627776 (1 TiB)");
  EXPECT_EQ(message_of({.bytes = static_cast<std::size_t>(-1)}).find("all_reduce of 184467"), 0U);
  EXPECT_THROW(draw_plan({.bytes = kTebibyte + 1}), Error);
  EXPECT_THROW(describe_plan({.bytes = kTebibyte + 1}, 0), Error);
}

/// Where half an element would be left over nothing is said of fewer bytes than were asked about.
TEST(Explain, BytesThatAreNoWholeElementsAreRefused) {
  EXPECT_EQ(message_of({.bytes = 1'000'001}),
            "all_reduce of 1000001 bytes on a rank: expected whole elements of f32, 4 bytes each");
  EXPECT_EQ(
      message_of({.collective = Collective::kAllToAll, .bytes = 1'000'004, .type = DataType::kF64}),
      "all_to_all of 1000004 bytes on a rank: expected whole elements of f64, 8 bytes each");
  EXPECT_EQ(message_of({.bytes = 1'000'001, .type = DataType::kU8}), "accepted");
  EXPECT_EQ(message_of({.collective = Collective::kBarrier, .bytes = 1'000'001}), "accepted");
  EXPECT_THROW(draw_plan({.bytes = 3}), Error);
  EXPECT_THROW(describe_plan({.bytes = 3}, 0), Error);
  EXPECT_THROW(schedule_of_plan({.bytes = 3}), Error);
}

/// In longer segments, which take as long as many short ones.
TEST(Explain, TimesOfLargeDataGrowWithTheirBytes) {
  const auto ring_us = [](std::size_t bytes) {
    const PlanReport report = explain_plan({.bytes = bytes, .algorithm = "ring"});
    EXPECT_EQ(report.candidates.front().left_out, "");
    return report.candidates.front().predicted_us;
  };
  EXPECT_NEAR(ring_us(std::size_t{1} << 40) / ring_us(std::size_t{1} << 35), 32, 1);
}

TEST(Explain, WhereNothingTakesTimeTheReasonSaysSo) {
  const PlanReport report = explain_plan({.network = R"({
      "hosts": [{"ranks": 3}], "inside": {"maps": true, "messages": [
          {"latency_us": 0, "send_us": 0, "receive_us": 0, "send_gb_s": 0, "receive_gb_s": 0}]},
      "work": {"call_us": 0, "read_gb_s": 0, "write_gb_s": 0, "reduce_gb_s": 0}})"});
  EXPECT_EQ(report.candidates.front().predicted_us, 0);
  EXPECT_EQ(report.reason,
            "the least time by the cost formula; by the simulation it takes no time on this "
            "network");
}

TEST(Explain, ADrawingHasARowForEachRankAndALineForEachMessage) {
  const std::string svg =
      draw_plan({.bytes = 4096, .hosts = 3, .ranks_per_host = 1, .algorithm = "ring"});
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(svg.find("<svg "), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(">rank 0</text>") + count(">rank 1</text>") + count(">rank 2</text>"), 3U);
  EXPECT_EQ(count("<title>rank 0 to rank 1, "), 4U) << "2 (p-1) messages to the next";
  EXPECT_EQ(count("<title>rank 0 to rank 2, "), 0U);
  EXPECT_EQ(count("<line") + count("<rect"), count("/>") + count("</line>") + count("</rect>"));
}

TEST(Explain, ADrawingOfLargeDataIsOneThatCanBeLookedAt) {
  for (const Collective collective : {Collective::kAllReduce, Collective::kBroadcast}) {
    const std::string svg = draw_plan(
        {.collective = collective, .bytes = std::size_t{1} << 40, .hosts = 2, .ranks_per_host = 2});
    EXPECT_LT(svg.size(), std::size_t{4} << 20);
    EXPECT_GT(svg.size(), std::size_t{100} << 10) << "it isn't coarser than it has to be";
  }
}

TEST(Explain, StepsAreTheScheduleOfTheRank) {
  const PlanQuestion question{.bytes = 4096, .hosts = 3, .ranks_per_host = 1, .algorithm = "ring"};
  EXPECT_NE(describe_plan(question, 1), describe_plan(question, 2));
  EXPECT_NE(describe_plan(question, 1).find("rank 2"), std::string::npos);
}

TEST(Explain, TheNetworkIsAFileToBeginWith) {
  PlanQuestion question{.bytes = kMebibyte, .hosts = 2, .ranks_per_host = 3, .algorithm = "ring"};
  const double before = explain_plan(question).candidates.front().predicted_us;
  question.network = network_of_plan(question);
  question.hosts = 1;
  question.ranks_per_host = 2;
  EXPECT_DOUBLE_EQ(explain_plan(question).candidates.front().predicted_us, before);
}

TEST(Explain, ABarrierMovesNoDataWhateverIsAsked) {
  const PlanReport none = explain_plan({.collective = Collective::kBarrier, .ranks_per_host = 4});
  const PlanReport asked = explain_plan(
      {.collective = Collective::kBarrier, .bytes = 64 * kMebibyte, .ranks_per_host = 4});
  EXPECT_EQ(asked.algorithm, none.algorithm);
  EXPECT_EQ(candidate(asked, asked.algorithm).most_rank_bytes, 0U);
  EXPECT_EQ(candidate(asked, asked.algorithm).predicted_us,
            candidate(none, none.algorithm).predicted_us);
}

TEST(Explain, LargeWorldsSayWhatTheyLeaveOut) {
  const PlanReport report = explain_plan({.collective = Collective::kAllReduce,
                                          .bytes = kMebibyte,
                                          .hosts = 4096,
                                          .ranks_per_host = 1,
                                          .algorithm = "halving_doubling"});
  EXPECT_NE(report.candidates.front().left_out.find("million steps"), std::string::npos);
}

TEST(Explain, LargeWorldsOfRowsOfTwoSizesHaveBounds) {
  PlanQuestion question{.bytes = 16 * kMebibyte + 4, .hosts = 1, .algorithm = "ring"};
  question.ranks_per_host = 8192;
  const PlannedAlgorithm ring = explain_plan(question).candidates.front();
  ASSERT_EQ(ring.left_out, "");
  EXPECT_TRUE(ring.bounded);
  EXPECT_LT(ring.least_us, ring.predicted_us);
  EXPECT_GT(ring.least_us, 0.99 * ring.predicted_us);
  EXPECT_EQ(ring.steps, 2U * 8191);
  question.bytes = 16 * kMebibyte;
  const PlannedAlgorithm even = explain_plan(question).candidates.front();
  EXPECT_FALSE(even.bounded);
  EXPECT_EQ(even.least_us, even.predicted_us);
  EXPECT_DOUBLE_EQ(even.least_us, ring.least_us);
}

TEST(Explain, TreesOfSixtyFiveThousandRanksArePriced) {
  PlanQuestion question{.bytes = 64 * kMebibyte, .hosts = 1, .algorithm = "double_binary_tree"};
  question.ranks_per_host = 65'536;
  const PlanReport report = explain_plan(question);
  EXPECT_EQ(report.candidates.front().left_out, "");
  EXPECT_EQ(report.candidates.front().least_us, report.candidates.front().predicted_us);
  std::uint64_t links = 0;
  for (const PlannedLink& link : report.links) links += static_cast<std::uint64_t>(link.alike);
  EXPECT_EQ(links, 4U * 65'535) << "each tree's edges, both ways";
}

/// A row for each pair of ranks is memory: it isn't even asked for.
TEST(Explain, WorldsOfTooManyRowsAreLeftOut) {
  const PlanReport report = explain_plan({.collective = Collective::kAllToAll,
                                          .bytes = kMebibyte,
                                          .hosts = 2048,
                                          .ranks_per_host = 8});
  EXPECT_EQ(report.candidates.size(), 3U);
  for (const PlannedAlgorithm& each : report.candidates)
    EXPECT_EQ(each.left_out, "too many rows to look at: 268 million") << each.name;
  EXPECT_EQ(report.reason, "the least time by the cost formula; too large to simulate");
}

TEST(Explain, ATypeThatIsNoneIsRefused) {
  PlanQuestion question{.bytes = kMebibyte};
  question.type = static_cast<DataType>(10);
  EXPECT_THROW(explain_plan(question), Error);
}

TEST(Explain, WorldsWhoseRowsHaveNoNumbersAreRefused) {
  PlanQuestion question{.collective = Collective::kAllToAll, .bytes = kMebibyte, .hosts = 65'536};
  question.ranks_per_host = 1;
  try {
    explain_plan(question);
    FAIL() << "2^32 rows";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(error.message().find("all_to_all of 65536 ranks"), std::string::npos);
  }
  EXPECT_THROW(describe_plan(question, 0), Error);
}

}  // namespace
}  // namespace rondo
