// Tuning files: read, written, refused; corrections between what was measured.

#include "collectives/select/tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "tests/fuzz_trials.h"

namespace rondo::select {
namespace {

using schedule::Collective;

constexpr const char* kTuning = R"({
  "rondo_tuning": 1,
  "transport": "shm",
  "hosts": ["a", "b"],
  "network": {"hosts": [{"count": 2, "ranks": 3, "cores": 2}], "work": {"read_gb_s": 10}},
  "measured": [
    {"collective": "all_reduce", "algorithm": "ring",
     "times": [{"bytes": 1024, "us": 3.5, "simulated_us": 7},
               {"bytes": 16384, "us": 16.25, "simulated_us": 8.125}]},
    {"collective": "barrier", "algorithm": "direct",
     "times": [{"bytes": 0, "us": 1.5, "simulated_us": 1}]}
  ]
})";

std::string message_of(std::string_view text) {
  const auto tuning = parse_tuning(text, "tuning file x");
  return tuning.ok() ? "accepted" : tuning.status().message();
}

std::string replaced(std::string text, std::string_view old, std::string_view other) {
  return text.replace(text.find(old), old.size(), other);
}

TEST(Tuning, IsRead_AndWrittenAsItIsRead) {
  const auto tuning = parse_tuning(kTuning, "x");
  ASSERT_TRUE(tuning.ok()) << tuning.status().to_string();
  EXPECT_EQ(tuning->transport, "shm");
  EXPECT_EQ(tuning->hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tuning->network.world(), 6);
  EXPECT_DOUBLE_EQ(tuning->network.work.read_us_per_byte, 1e-4);
  EXPECT_EQ(tuning->private_read_bytes, 0U) << "files of before don't have it";
  ASSERT_EQ(tuning->measured.size(), 2U);
  EXPECT_EQ(tuning->measured[1].collective, Collective::kBarrier);
  const std::string text = to_json(*tuning);
  const auto again = parse_tuning(text, "y");
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(to_json(*again), text);
}

TEST(Tuning, TheTypicalOfASize_IsInTheMiddleOfThoseNearTheFastest) {
  Tuning tuning;
  const auto add = [&tuning](const char* name, double us, MemoryKind memory) {
    tuning.measured.push_back({.collective = Collective::kAllReduce,
                               .algorithm = name,
                               .memory = memory,
                               .points = {{.bytes = 4096, .us = us, .simulated_us = 1}}});
  };
  const MemoryKind ordinary = MemoryKind::kOrdinary;
  EXPECT_FALSE(tuning.typical(Collective::kAllReduce, 4096, ordinary).has_value());
  add("ring", 15.1, MemoryKind::kOrdinary);  // half as long again, and more
  add("direct", 14, MemoryKind::kOrdinary);
  add("one_shot", 11, MemoryKind::kOrdinary);
  add("halving_doubling", 10, MemoryKind::kOrdinary);
  add("recursive_doubling", 1, MemoryKind::kRegistered);
  const auto typical = tuning.typical(Collective::kAllReduce, 4096, ordinary);
  ASSERT_TRUE(typical.has_value());
  EXPECT_EQ(typical->algorithm, "one_shot");
  EXPECT_EQ(typical->us, 11);
  EXPECT_EQ(tuning.typical(Collective::kAllReduce, 4096, MemoryKind::kRegistered)->us, 1);
  EXPECT_FALSE(tuning.typical(Collective::kAllReduce, 4092, ordinary).has_value())
      << "exactly that";
  EXPECT_FALSE(tuning.typical(Collective::kAllGather, 4096, ordinary).has_value());
}

TEST(Tuning, PrivateReads_AreKept) {
  const auto tuning = parse_tuning(
      replaced(kTuning, "\"hosts\":", "\"private_read_bytes\": 131072, \"hosts\":"), "x");
  ASSERT_TRUE(tuning.ok()) << tuning.status().to_string();
  EXPECT_EQ(tuning->private_read_bytes, 131072U);
  EXPECT_EQ(parse_tuning(to_json(*tuning), "y")->private_read_bytes, 131072U);
}

TEST(Tuning, CorrectsBetweenWhatWasMeasured) {
  const auto tuning = parse_tuning(kTuning, "x");
  ASSERT_TRUE(tuning.ok());
  const auto of = [&](std::size_t bytes) {
    return tuning->correction(Collective::kAllReduce, "ring", bytes);
  };
  EXPECT_DOUBLE_EQ(of(0), 0.5) << "as at the smallest";
  EXPECT_DOUBLE_EQ(of(1024), 0.5);
  EXPECT_NEAR(of(4096), 1, 1e-12) << "half way from 1 KiB to 16 KiB, from 1/2 to 2";
  EXPECT_NEAR(of(2048), std::sqrt(0.5), 1e-12);
  EXPECT_DOUBLE_EQ(of(16384), 2);
  EXPECT_DOUBLE_EQ(of(std::size_t{1} << 40), 2) << "as at the largest";
  EXPECT_DOUBLE_EQ(tuning->correction(Collective::kBarrier, "direct", 0), 1.5);
  EXPECT_DOUBLE_EQ(tuning->correction(Collective::kAllReduce, "tree", 1024), 1);
}

constexpr const char* kRegisteredRing = R"("measured": [
    {"collective": "all_reduce", "algorithm": "ring", "memory": "registered",
     "times": [{"bytes": 4096, "us": 2, "simulated_us": 8}]},)";

TEST(Tuning, RegisteredMemory_HasTimesOfItsOwn) {
  const auto tuning = parse_tuning(replaced(kTuning, "\"measured\": [", kRegisteredRing), "x");
  ASSERT_TRUE(tuning.ok()) << tuning.status().to_string();
  const auto of = [&](Collective collective, std::string_view algorithm, MemoryKind memory) {
    return tuning->correction(collective, algorithm, 2048, memory);
  };
  EXPECT_DOUBLE_EQ(of(Collective::kAllReduce, "ring", MemoryKind::kRegistered), 0.25);
  EXPECT_NEAR(of(Collective::kAllReduce, "ring", MemoryKind::kOrdinary), std::sqrt(0.5), 1e-12);
  EXPECT_DOUBLE_EQ(of(Collective::kBarrier, "direct", MemoryKind::kRegistered), 1.5)
      << "as on ordinary memory, where nothing else was measured";
  for (const std::size_t bytes : {1024U, 2047U, 8194U, 16384U}) {
    EXPECT_FALSE(tuning->is_known(Collective::kAllReduce, "ring", bytes, MemoryKind::kRegistered))
        << bytes;
    EXPECT_GT(tuning->correction(Collective::kAllReduce, "ring", bytes, MemoryKind::kRegistered),
              0.49)
        << "as on ordinary memory";
  }
  for (const std::size_t bytes : {2048U, 4096U, 8192U})
    EXPECT_TRUE(tuning->is_known(Collective::kAllReduce, "ring", bytes, MemoryKind::kRegistered));
  const std::string text = to_json(*tuning);
  EXPECT_EQ(to_json(*parse_tuning(text, "y")), text);
  EXPECT_NE(text.find("\"memory\": \"registered\""), std::string::npos);
  EXPECT_EQ(text.find("ordinary"), std::string::npos) << "as in files of before";
}

TEST(Tuning, MemoryThatNobodyKnows_AndTheSameTwice_AreToldWithTheirPlace) {
  const std::string once = replaced(kTuning, "\"measured\": [", kRegisteredRing);
  EXPECT_EQ(message_of(replaced(once, "\"registered\"", "\"pinned\"")),
            "tuning file x: measured[0].memory: expected \"ordinary\" or \"registered\", got "
            "\"pinned\"");
  EXPECT_EQ(message_of(replaced(once, "\"registered\"", "\"ordinary\"")),
            "tuning file x: measured[1]: all_reduce by ring is there for a second time");
  EXPECT_EQ(message_of(replaced(once, "\"measured\": [", kRegisteredRing)),
            "tuning file x: measured[1]: all_reduce by ring on registered memory is there for a "
            "second time");
}

/// No bytes and one have the same logarithm here.
TEST(Tuning, CorrectsTheSmallestSizesAsTheyWereMeasured) {
  const auto tuning = parse_tuning(replaced(kTuning, "\"times\": [",
                                            R"("times": [{"bytes": 0, "us": 4, "simulated_us": 1},
                                       {"bytes": 1, "us": 3, "simulated_us": 1}, )"),
                                   "x");
  ASSERT_TRUE(tuning.ok()) << tuning.status().to_string();
  EXPECT_DOUBLE_EQ(tuning->correction(Collective::kAllReduce, "ring", 0), 4);
  EXPECT_DOUBLE_EQ(tuning->correction(Collective::kAllReduce, "ring", 1), 3);
  EXPECT_NEAR(tuning->correction(Collective::kAllReduce, "ring", 32), std::sqrt(1.5), 1e-12)
      << "half way from 1 byte to 1 KiB, from 3 to 1/2";
}

TEST(Tuning, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(message_of("{}"),
            "tuning file x: rondo_tuning: expected 1, the version of tuning files that this Rondo "
            "reads, got nothing");
  EXPECT_EQ(message_of(replaced(kTuning, "\"rondo_tuning\": 1", "\"rondo_tuning\": 2")),
            "tuning file x: rondo_tuning: expected 1, the version of tuning files that this Rondo "
            "reads, got 2");
  EXPECT_EQ(message_of(R"({"rondo_tuning": 1})"),
            "tuning file x: network: expected a network, got nothing");
  EXPECT_EQ(message_of(replaced(kTuning, "\"all_reduce\"", "\"all_reduces\"")),
            "tuning file x: measured[0].collective: expected a collective (all_reduce, all_gather, "
            "...), got \"all_reduces\"");
  EXPECT_EQ(
      message_of(replaced(kTuning, "\"us\": 3.5", "\"us\": -1")),
      "tuning file x: measured[0].times[0].us: expected a number from 0.001 to 1e+09, got -1");
  EXPECT_EQ(message_of(replaced(kTuning, "\"hosts\":", "\"private_read_bytes\": -4, \"hosts\":")),
            "tuning file x: private_read_bytes: expected a whole number from 0 to "
            "9223372036854775807, got -4");
  EXPECT_EQ(message_of(replaced(kTuning, "16384", "1024")),
            "tuning file x: measured[0].times[1]: bytes have to grow from one to the next");
  EXPECT_EQ(message_of(replaced(kTuning, "\"shm\"", R"("a\nb\u001b[31m")")),
            "tuning file x: transport: expected one of inproc, shm, tcp, mixed, got "
            R"("a\nb\u001b[31m")");
  EXPECT_EQ(
      message_of(replaced(kTuning, "\"measured\": [",
                          R"("measured": [{"collective": "all_reduce", "algorithm": "ring"},)")),
      "tuning file x: measured[1]: all_reduce by ring is there for a second time");
  EXPECT_EQ(message_of(replaced(kTuning, "\"ranks\": 3", "\"rank\": 3")),
            "tuning file x: network.hosts[0]: unknown key \"rank\"; allowed: count, ranks, cores, "
            "up_gbit_s, down_gbit_s, memory_gb_s, switch");
}

TEST(Tuning, NamesThatNobodyKnowsAreToldWithTheirPlace) {
  EXPECT_EQ(message_of(replaced(kTuning, "\"shm\"", "\"carrier pigeon\"")),
            "tuning file x: transport: expected one of inproc, shm, tcp, mixed, got \"carrier "
            "pigeon\"");
  EXPECT_EQ(message_of(replaced(kTuning, "\"direct\"", "\"ring\"")),
            "tuning file x: measured[1].algorithm: expected an algorithm of barrier "
            "(dissemination, direct), got \"ring\"")
      << "another collective's";
  EXPECT_EQ(message_of(replaced(kTuning, "\"algorithm\": \"direct\",", "")),
            "tuning file x: measured[1].algorithm: expected an algorithm of barrier "
            "(dissemination, direct), got nothing");
  EXPECT_EQ(message_of(replaced(kTuning, "\"ring\"", "\"foo\""))
                .find("tuning file x: measured[0].algorithm: expected an algorithm of all_reduce "
                      "(ring, "),
            0U);
}

TEST(Tuning, HostsAreThoseOfTheNetwork) {
  const auto with_hosts = [](std::string_view names) {
    return message_of(replaced(kTuning, "[\"a\", \"b\"]", names));
  };
  const std::string refused = "tuning file x: hosts: expected the names of the network's 2 hosts, ";
  EXPECT_EQ(with_hosts("[]"), refused + "got 0");
  EXPECT_EQ(with_hosts("[\"a\"]"), refused + "got 1");
  EXPECT_EQ(with_hosts(R"(["a", "b", "c"])"), refused + "got 3");
  EXPECT_EQ(
      with_hosts(R"(["a", ""])"),
      "tuning file x: hosts[1]: expected a name, of one line and at most 256 bytes, got \"\"");
  EXPECT_EQ(
      message_of(replaced(kTuning, R"("ranks": 3, "cores": 2)", R"("ranks": 3}, {"ranks": 1)")),
      "tuning file x: hosts: expected the names of the network's 3 hosts, got 2")
      << "of all groups";
  EXPECT_EQ(message_of(replaced(kTuning, R"("hosts": ["a", "b"],)", "")), "accepted")
      << "they may be left out";
}

/// Each transport that worlds have, and files that say neither it nor hosts.
TEST(Tuning, WhatIsWrittenIsRead) {
  for (const std::string transport : {"", "inproc", "shm", "tcp", "mixed"}) {
    for (const std::string hosts : {"", R"("hosts": ["a", "b"],)"}) {
      const auto tuning =
          parse_tuning(replaced(replaced(kTuning, "\"shm\"", "\"" + transport + "\""),
                                R"("hosts": ["a", "b"],)", hosts),
                       "x");
      ASSERT_TRUE(tuning.ok()) << tuning.status().to_string();
      EXPECT_EQ(message_of(to_json(*tuning)), "accepted");
    }
  }
}

TEST(Tuning, DamagedFilesAreReadOrRefused) {
  const std::string whole = kTuning;
  for (FuzzTrials trials(300); trials.next();) {
    std::mt19937& random = trials.random();
    std::string text = whole;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const std::size_t place = random() % text.size();
      switch (random() % 4) {
        case 0: text[place] = static_cast<char>(random()); break;
        case 1: text.erase(place, random() % 8); break;
        case 2: text.insert(place, "\\n"); break;  // what a message quotes has line ends then
        default: text.insert(place, whole, random() % whole.size(), random() % 40); break;
      }
    }
    const auto tuning = parse_tuning(text, "x");
    if (tuning.ok()) {
      EXPECT_TRUE(parse_tuning(to_json(*tuning), "y").ok()) << text;
      EXPECT_GT(tuning->correction(Collective::kAllReduce, "ring", random()), 0);
    } else {
      const std::string message = tuning.status().message();
      EXPECT_TRUE(message.starts_with("x: ")) << message;
      EXPECT_EQ(std::ranges::count(message, '\n'), 0) << message;
      EXPECT_LT(message.size(), 1000U) << message;
    }
  }
}

}  // namespace
}  // namespace rondo::select
