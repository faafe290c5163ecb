// Networks as they come from damaged files: what is read can be planned for and drawn.

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <random>
#include <string>

#include "rondo/error.h"
#include "rondo/plan.h"
#include "tests/fuzz_trials.h"

namespace rondo {
namespace {

constexpr const char* kNetwork = R"({
  "switches": [{"name": "s", "up_gbit_s": 40}],
  "hosts": [{"count": 2, "ranks": 2, "cores": 1, "up_gbit_s": 10, "switch": "s"},
            {"up_gbit_s": 1, "down_gbit_s": 2.5, "memory_gb_s": 20}],
  "inside": {"maps": true, "gb_s": 8, "messages": [{"most_bytes": 1024, "latency_us": 0.2},
      {"latency_us": 0.5, "send_us": 1, "receive_us": 1, "send_gb_s": 8, "receive_gb_s": 8}]},
  "between": {"messages": [{"latency_us": 9, "receive_gb_s": 6}]},
  "work": {"call_us": 0.1, "read_gb_s": 10, "write_gb_s": 9, "reduce_gb_s": 40, "cache_mib": 0.01,
           "beyond_cache": 2.5}
})";

/// One to three numbers become others, of any size.
std::string changed(std::mt19937& random) {
  const char* const numbers[] = {"0", "1", "1e-300", "1e-7", "1e-6", "1e6", "1e9", "5e-324", "3"};
  std::string text = kNetwork;
  for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
    const std::size_t begin = text.find_first_of("0123456789", random() % text.size());
    if (begin == std::string::npos) continue;
    const std::size_t end = text.find_first_not_of("0123456789.e-", begin);
    text.replace(begin, end - begin, numbers[random() % std::size(numbers)]);
  }
  return text;
}

void expect_answers(const PlanQuestion& question) {
  const PlanReport report = explain_plan(question);
  for (const PlannedAlgorithm& planned : report.candidates) {
    EXPECT_TRUE(std::isfinite(planned.predicted_us)) << planned.name;
    EXPECT_GE(planned.predicted_us, 0);
  }
  for (const PlannedUplink& uplink : report.uplinks)
    EXPECT_TRUE(uplink.busy_share >= 0 && uplink.busy_share < 1.001) << uplink.busy_share;
  EXPECT_EQ(report.reason.find("nan"), std::string::npos) << report.reason;
  EXPECT_EQ(report.reason.find("inf "), std::string::npos) << report.reason;
  const std::string svg = draw_plan(question);
  EXPECT_LT(svg.size(), std::size_t{4} << 20);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Networks, DamagedNumbersAreRefusedOrPlannedFor) {
  int planned = 0;
  for (FuzzTrials trials(300); trials.next();) {
    std::mt19937& random = trials.random();
    const std::string network = changed(random);
    PlanQuestion question{.network = network};
    question.bytes = random() % 2 == 0 ? 8 : std::size_t{4} << random() % 22;
    try {
      expect_answers(question);
      ++planned;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.message();
      EXPECT_EQ(error.message().find("network file: "), 0U) << error.message();
    }
    if (testing::Test::HasFailure()) FAIL() << network;
  }
  EXPECT_GT(planned, 30) << "some of what is changed is a network";
}

}  // namespace
}  // namespace rondo
