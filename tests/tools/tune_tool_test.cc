// `rondo tune` from end to end: a world is measured, its file goes round, and what it predicts and
// chooses is near what is measured then.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/test_share.h"
#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Of `rondo tune --check`: 0 where it isn't there.
struct Summary {
  /// How many times as long, or as short, as predicted: the median.
  double factor = 0;
  double worst_choice = 0;
};

double number_behind(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? 0 : std::strtod(text.c_str() + at + words.size(), nullptr);
}

/// Of the lines of the first look, which have their errors in percent of what was measured.
double median_factor(const std::string& text) {
  const std::regex line("\\n[a-z_]+ +[0-9.]+ [KM]?i?B.* (-?[0-9]+)% ");
  const std::string first_look = text.substr(0, text.find("median error"));
  std::vector<double> factors;
  for (std::sregex_iterator found(first_look.begin(), first_look.end(), line), end; found != end;
       ++found) {
    const double ratio = 1 + std::stod((*found)[1]) / 100;
    factors.push_back(std::max(ratio, 1 / std::max(ratio, 1e-3)));
  }
  if (factors.empty()) return 0;
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::ranges::nth_element(factors, middle);
  return *middle;
}

struct LocalWorld {
  std::string transport;
  int ranks = 0;
  std::size_t number = 0;

  std::string flags() const {
    return " --local " + std::to_string(ranks) + " --transport " + transport + " ";
  }
};

class MeasuredWorld : public ::testing::TestWithParam<LocalWorld> {
 protected:
  void SetUp() override {
    if (!rondo::testing::TestShare::wanted().has(GetParam().number))
      GTEST_SKIP() << "in another run's share (RONDO_TEST_SHARE)";
    if (!files_.contains(GetParam().number)) measure();
  }
  void measure() {
    auto& file = files_[GetParam().number];
    if (file == nullptr) file = std::make_unique<TemporaryFile>();
    const Outcome outcome = rondo("tune" + GetParam().flags() + "--out " + path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    ASSERT_THAT(outcome.output, HasSubstr(path() + ": " + std::to_string(GetParam().ranks) +
                                          " ranks; use it with RONDO_TUNING=" + path()));
  }
  /// Of sizes between those that are measured.
  Summary checked() const {
    const Outcome outcome = rondo("tune" + GetParam().flags() + "--check --tuning " + path() +
                                  " -b 3K -e 1M -f 4 -n 20 all_reduce all_gather broadcast");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return {median_factor(outcome.output), number_behind(outcome.output, "the worst takes ")};
  }
  static void TearDownTestSuite() { files_.clear(); }

  static const std::string& path() { return files_.at(GetParam().number)->path(); }

 private:
  /// By world, each measured once.
  static std::map<std::size_t, std::unique_ptr<TemporaryFile>> files_;
};

std::map<std::size_t, std::unique_ptr<TemporaryFile>> MeasuredWorld::files_;

/// The numbers are a machine's, which others may be busy on: what is wrong by a factor shows, at
/// the third try, too.
TEST_P(MeasuredWorld, PredictsAndChoosesNearlyWhatIsMeasured) {
  Summary summary;
  for (int attempt = 0; attempt < 3; ++attempt) {
    summary = checked();
    ASSERT_GT(summary.worst_choice, 0);
    ASSERT_GT(summary.factor, 0);
    if (summary.factor < 3 && summary.worst_choice < 2.5) break;
    measure();
  }
  EXPECT_LT(summary.factor, 3);
  EXPECT_LT(summary.worst_choice, 2.5);
}

/// Two ranks that are told to go by the ring with 1 KiB, where one exchange is enough.
std::string checked_by_a_file_that_likes_the_ring() {
  std::string measured;
  for (const char* algorithm :
       {"ring", "direct", "one_shot", "recursive_doubling", "halving_doubling", "neighbour_ring",
        "bidirectional_ring", "double_binary_tree", "hierarchical", "weighted_direct"}) {
    measured += measured.empty() ? "" : ", ";
    measured += R"({"collective": "all_reduce", "algorithm": ")" + std::string(algorithm) +
                R"(", "times": [{"bytes": 4, "us": )" +
                (std::string_view(algorithm) == "ring" ? "1" : "1e6") +
                R"(, "simulated_us": 1000}]})";
  }
  const TemporaryFile file;
  file.put(R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 2}]}, "measured": [)" + measured +
           "]}");
  return rondo("tune --local 2 --transport shm --check --tuning " + file.path() +
               " -b 1K -e 1K -n 100")
      .output;
}

TEST(CheckedChoices, OneThatIsWrong_IsSoWhenItIsMeasuredOnceMore) {
  std::string output;
  for (int attempt = 0; attempt < 3; ++attempt) {  // another program may have the cores
    output = checked_by_a_file_that_likes_the_ring();
    if (output.find("1 is so again") != std::string::npos) break;
  }
  EXPECT_THAT(output, HasSubstr("choices within 10% of the fastest: 0 of 1"));
  EXPECT_THAT(output, HasSubstr("of the 1 beyond 10%, measured once more, 1 is so again"));
}

TEST(CheckedChoices, TuningThatIsGiven_CountsWhateverTheVariableSays) {
  const std::string check =
      "RONDO_TUNING=/no/such/file $RONDO tune --local 2 --check -b 64 -e 64 -n 1";
  EXPECT_THAT(shell(check).output, HasSubstr("/no/such/file (RONDO_TUNING)"));
  const Outcome outcome = shell(check + " --tuning off");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("choices within 10% of the fastest"));
}

TEST(CheckedChoices, OnRegisteredMemory_StandBesideItsOwnPredictions) {
  const auto times = [](const std::string& algorithm, const std::string& memory, const char* us) {
    return R"({"collective": "reduce", "algorithm": ")" + algorithm + R"(", "memory": ")" + memory +
           R"(", "times": [{"bytes": 65536, "us": )" + us + R"(, "simulated_us": 1}]})";
  };
  std::string measured =
      times("tree", "ordinary", "1e6") + "," + times("tree", "registered", "1e5");
  for (const char* const other : {"direct", "linear", "hierarchical"})
    measured += "," + times(other, "ordinary", "1e7");
  const TemporaryFile file;
  file.put(R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 2}]}, "measured": [)" + measured +
           "]}");
  const auto predicted_us = [&](const std::string& command, const std::string& behind) {
    const Outcome outcome = rondo(command + file.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    const std::regex line("tree +" + behind + "([0-9.]+) s ");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(outcome.output, found, line)) << outcome.output;
    return found.empty() ? 0 : std::stod(found[1]);
  };
  const std::string check = "tune --local 2 --transport shm --check reduce -b 64K -e 64K -n 1 ";
  const std::string plan = "plan reduce --algo tree --bytes 64K ";
  for (const auto& [command, behind] :
       {std::pair(check, "[0-9.]+ [um]?s +"), std::pair(plan, "")}) {
    const double ordinary = predicted_us(command + "--buffers malloc --tuning ", behind);
    const double registered = predicted_us(command + "--buffers registered --tuning ", behind);
    EXPECT_NEAR(ordinary / registered, 10, 0.2) << command;
  }
  EXPECT_THAT(rondo(check + "--buffers pinned").output,
              HasSubstr("unknown kind of buffers 'pinned'"));
  EXPECT_THAT(rondo(plan + "--buffers pinned").output,
              HasSubstr("unknown kind of buffers 'pinned'"));
  EXPECT_THAT(rondo("tune --local 2 --buffers registered").output,
              HasSubstr("--buffers is for --check"));
}

TEST_P(MeasuredWorld, IsPlannedForByItsFile) {
  const Outcome outcome = rondo("plan all_reduce --tuning " + path() + " --bytes 64K");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr(std::to_string(GetParam().ranks) + " ranks"), HasSubstr("us")));
}

TEST_P(MeasuredWorld, IsWhatARunGoesBy) {
  const TemporaryFile results;
  const auto predicted_us = [&](const std::string& tuning) {
    const Outcome outcome = shell("RONDO_TUNING=" + tuning + " $RONDO bench all_reduce" +
                                  GetParam().flags() + "-b 64K -e 64K -n 3 -J " + results.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return nlohmann::json::parse(results.content()).at("results").at(0).at("predicted_us");
  };
  const double by_file = predicted_us(path());
  EXPECT_GT(by_file, 0);
  EXPECT_NE(by_file, predicted_us("off").get<double>());
}

INSTANTIATE_TEST_SUITE_P(Worlds, MeasuredWorld,
                         ::testing::Values(LocalWorld{"shm", 2, 0}, LocalWorld{"tcp", 4, 1},
                                           LocalWorld{"shm", 4, 2}, LocalWorld{"tcp", 2, 3}),
                         [](const auto& parameters) {
                           return parameters.param.transport + "_" +
                                  std::to_string(parameters.param.ranks);
                         });

}  // namespace
}  // namespace rondo::tool
