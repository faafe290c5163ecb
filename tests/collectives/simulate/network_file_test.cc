#include "collectives/simulate/network_file.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/fuzz_trials.h"

namespace rondo::simulate {
namespace {

constexpr const char* kTwoKinds = R"({
  "switches": [{"name": "rack", "up_gbit_s": 40}],
  "hosts": [
    {"count": 3, "ranks": 2, "cores": 2, "up_gbit_s": 10, "switch": "rack"},
    {"ranks": 4, "up_gbit_s": 1, "down_gbit_s": 2.5, "memory_gb_s": 20}
  ],
  "inside": {"maps": true, "messages": [{"most_bytes": 1024, "latency_us": 0.2},
                                        {"latency_us": 0.5, "receive_gb_s": 8}]},
  "work": {"read_gb_s": 10, "cache_mib": 16, "beyond_cache": 2.5}
})";

std::string message_of(std::string_view text) {
  const auto network = parse_network(text, "network file x");
  return network.ok() ? "accepted" : network.status().message();
}

TEST(NetworkFile, IsRead) {
  const auto network = parse_network(kTwoKinds, "x");
  ASSERT_TRUE(network.ok()) << network.status().to_string();
  EXPECT_EQ(network->world(), 10);
  EXPECT_EQ(hosts_of_ranks(*network), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 3, 3}));
  EXPECT_DOUBLE_EQ(network->groups[0].up_bytes_per_us, 1250);
  EXPECT_DOUBLE_EQ(network->groups[0].down_bytes_per_us, 1250) << "as up, where left out";
  EXPECT_DOUBLE_EQ(network->groups[1].down_bytes_per_us, 312.5);
  EXPECT_EQ(network->groups[0].switch_index, 0);
  EXPECT_EQ(network->groups[1].switch_index, -1);
  EXPECT_DOUBLE_EQ(network->inside.cost_of(1024).latency_us, 0.2);
  EXPECT_DOUBLE_EQ(network->inside.cost_of(1025).latency_us, 0.5);
  EXPECT_DOUBLE_EQ(network->inside.cost_of(1025).receive_us_per_byte, 1 / 8000.0);
  EXPECT_DOUBLE_EQ(network->work.cache_bytes, 16 * 1024 * 1024);
  EXPECT_LT(layout_of(*network)->links()->of(9), 0.5) << "the slow host's link";
  EXPECT_EQ(layout_without_speeds(*network)->links(), nullptr);
}

TEST(NetworkFile, IsWrittenAsItIsRead) {
  const auto network = parse_network(kTwoKinds, "x");
  ASSERT_TRUE(network.ok());
  const std::string text = to_json(*network);
  const auto again = parse_network(text, "y");
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(to_json(*again), text);
}

TEST(NetworkFile, MistakesAreToldWithTheirPlace) {
  EXPECT_EQ(message_of("{\n \"hosts\": [,]}"), "network file x: not JSON at line 2, column 12");
  EXPECT_EQ(message_of(" \n"), "network file x: empty; expected JSON");
  EXPECT_EQ(
      message_of(R"({"hosts": [{"ranks": 2}], "work": {}, "hosts": [{"ranks": 3}]})"),
      "network file x: an object has the key \"hosts\" for a second time at line 1, column 39");
  EXPECT_EQ(
      message_of(R"({"hosts": [{"ranks": 2}, {"ranks": 2, "cores": 1, "ranks": 3}]})"),
      "network file x: an object has the key \"ranks\" for a second time at line 1, column 51");
  EXPECT_EQ(message_of("[]"), "network file x: the file: expected an object, got a list");
  EXPECT_EQ(message_of("{}"), "network file x: hosts: expected a list of at least one host");
  EXPECT_EQ(message_of(R"({"hosts": [{"ranks": 0}]})"),
            "network file x: hosts[0].ranks: expected a whole number from 1 to 1048576, got 0");
  EXPECT_EQ(message_of("{\"hosts\":\n [{\"ranks\": 1e400}]}"),
            "network file x: a number is out of range at line 2, column 13");
  EXPECT_EQ(message_of(R"({"hosts": [{"ranks": 2, "cpus": 1}]})"),
            "network file x: hosts[0]: unknown key \"cpus\"; allowed: count, ranks, cores, "
            "up_gbit_s, down_gbit_s, memory_gb_s, switch");
  EXPECT_EQ(message_of(R"({"hosts": [{"switch": "a"}]})"),
            "network file x: hosts[0].switch: expected one of the switches (there are none), got "
            "\"a\"");
  EXPECT_EQ(message_of(R"({"hosts": [{"count": 1048576, "ranks": 1048576}]})"),
            "network file x: hosts[0]: 1099511627776 ranks up to here; at most 1048576");
  EXPECT_EQ(message_of(R"({"hosts": [{}], "inside": {"messages": []}})"),
            "network file x: inside.messages: expected at least one cost, got a list");
  EXPECT_EQ(message_of(R"({"hosts": [{}], "work": {"call_us": -1}})"),
            "network file x: work.call_us: expected a number from 0 to 1e+09, got -1");
  EXPECT_EQ(message_of(R"({"switches": [{"name": "a"}, {"name": "a"}], "hosts": [{}]})"),
            "network file x: switches[1].name: there are two of 'a'");
  EXPECT_EQ(message_of(R"({"hosts": [{}, 1, 2], "work": 3})"),
            "network file x: hosts[1]: expected an object, got 1");
  EXPECT_NE(message_of(R"({"hosts": [{}], "between": {"messages": [{"most_bytes": 9},
                           {"most_bytes": 9}, {}]}})")
                .find("between.messages[1]: most_bytes has to grow"),
            std::string::npos);
}

TEST(NetworkFile, SpeedsAreNoneOrSuchAsThereAre) {
  const auto with_speed = [](const std::string& speed) {
    return message_of(R"({"hosts": [{"up_gbit_s": )" + speed + "}]}");
  };
  for (const char* const speed : {"0", "1e-6", "400", "1e6"})
    EXPECT_EQ(with_speed(speed), "accepted") << speed;
  EXPECT_EQ(with_speed("9e-7"),
            "network file x: hosts[0].up_gbit_s: expected 0, or a number from 1e-06 to 1e+06, got "
            "9e-07");
  EXPECT_EQ(with_speed("-1"),
            "network file x: hosts[0].up_gbit_s: expected a number from 0 to 1e+06, got -1");
  for (const char* const key : {"read_gb_s", "write_gb_s", "reduce_gb_s"}) {
    EXPECT_NE(message_of(R"({"hosts": [{}], "work": {")" + std::string(key) + R"(": 1e-300}})")
                  .find(std::string("work.") + key + ": expected 0, or"),
              std::string::npos);
  }
}

TEST(NetworkFile, DepthAndLengthAreLimited) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(message_of(deep), "network file x: nested more than 32 deep");
  std::string garbage;
  garbage.resize(100'000'000, 'x');
  EXPECT_EQ(message_of(garbage), "network file x: 95 MiB long; expected at most 16");
}

TEST(NetworkFile, DamagedFilesAreReadOrRefused) {
  const std::string good = kTwoKinds;
  for (FuzzTrials trials(20'000); trials.next();) {
    std::mt19937& random = trials.random();
    std::string text = good;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
      const std::size_t place = random() % text.size();
      switch (random() % 3) {
        case 0: text[place] = static_cast<char>(random()); break;
        case 1: text.erase(place, 1 + random() % 9); break;
        default: text.insert(place, good.substr(random() % good.size(), random() % 20)); break;
      }
      if (text.empty()) text = "{";
    }
    const auto network = parse_network(text, "x");
    if (!network.ok()) {
      EXPECT_EQ(network.status().message().find('\n'), std::string::npos) << "one line";
      continue;
    }
    EXPECT_GE(network->world(), 1);
    EXPECT_LE(network->world(), kMostRanks);
  }
}

}  // namespace
}  // namespace rondo::simulate
