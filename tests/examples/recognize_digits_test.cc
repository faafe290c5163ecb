// The example as a user meets it: it learns under every launcher, and whatever is wrong with the
// command line or the data is one clear line and an exit code, never a hang.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <regex>

#include "tests/examples/digits_like_file.h"
#include "tests/examples/shell.h"
#include "tests/nn/data/data_files.h"

namespace rondo::examples {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kFailure = 1;
constexpr int kUsageError = 2;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

double held_out_accuracy(const std::string& output) {
  std::smatch found;
  const std::regex pattern("held-out accuracy ([0-9.]+) %");
  return std::regex_search(output, found, pattern) ? std::stod(found[1]) : -1;
}

class RecognizeDigits : public testing::Test {
 protected:
  void SetUp() override { write_digits_like_file(data_); }

  std::string with_data(const std::string& more = "") const {
    return "--data " + data_ + " --epochs 3 " + more;
  }

  nn::TemporaryFolder folder_;
  std::string data_ = folder_.file("digits.csv.gz");
};

TEST_F(RecognizeDigits, EveryWayOfStarting_LearnsAndOneRankReports) {
  std::vector<std::string> commands = {alone(with_data()), alone(with_data("--places 3")),
                                       by_rondo_run(4, with_data())};
  if (have_mpirun()) commands.push_back(by_mpirun(2, with_data()));
  for (const std::string& command : commands) {
    const Outcome outcome = shell(command);
    EXPECT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.output;
    EXPECT_EQ(count_of(outcome.output, "held-out accuracy"), 1U) << outcome.output;
    EXPECT_EQ(count_of(outcome.output, "epoch  3/3"), 1U) << outcome.output;
    EXPECT_GT(held_out_accuracy(outcome.output), 90) << command << "\n" << outcome.output;
  }
}

TEST_F(RecognizeDigits, FourRanks_TellWhatMovedOverWhichTransport) {
  const std::string shared = shell(by_rondo_run(4, with_data())).output;
  EXPECT_THAT(shared, HasSubstr("MB received over shm"));
  EXPECT_THAT(shared, Not(HasSubstr(" 0.0 MB sent")));
  const std::string command = "RONDO_TRANSPORT=tcp " + by_rondo_run(2, with_data());
  EXPECT_THAT(shell(command).output, HasSubstr("MB received over tcp"));
}

TEST_F(RecognizeDigits, HeldOutAccuracy_IsTheSameForAnyNumberOfRanks) {
  // f64 and few steps: the models differ by rounding only, so the counts are equal.
  const std::string arguments = with_data("--precision f64 --steps 20");
  const std::string expected = shell(alone(arguments)).output;
  ASSERT_GT(held_out_accuracy(expected), 0) << expected;
  for (int ranks = 2; ranks <= 4; ++ranks) {
    EXPECT_EQ(held_out_accuracy(shell(by_rondo_run(ranks, arguments)).output),
              held_out_accuracy(expected));
  }
}

TEST_F(RecognizeDigits, MissingFile_IsOneLineOfOneRank) {
  for (const std::string& command :
       {alone("--data nowhere.csv.gz"), by_rondo_run(4, "--data nowhere.csv.gz")}) {
    const Outcome outcome = shell(command);
    EXPECT_EQ(outcome.exit_code, kFailure) << outcome.output;
    EXPECT_EQ(count_of(outcome.output, "nowhere.csv.gz: no such file"), 1U) << outcome.output;
  }
}

TEST_F(RecognizeDigits, SetThatIsNowhere_SaysHowToGetIt) {
  const std::string here = "cd " + folder_.path() + " && RONDO_DATA=" + folder_.path() + " ";
  const Outcome outcome = shell(here + by_rondo_run(2, "--data mnist"));
  EXPECT_EQ(outcome.exit_code, kFailure);
  const std::string advice = "set RONDO_DATA to a folder with your own mnist/train-images";
  EXPECT_EQ(count_of(outcome.output, advice), 1U) << outcome.output;
}

TEST_F(RecognizeDigits, UnknownSet_ListsThoseThereAre) {
  const Outcome outcome = shell(by_rondo_run(2, "--data nosuch"));
  EXPECT_EQ(outcome.exit_code, kFailure);
  EXPECT_EQ(count_of(outcome.output, "there are: digits, mnist"), 1U) << outcome.output;
}

TEST_F(RecognizeDigits, CorruptFile_SaysWhatIsWrong) {
  nn::write_plain(data_, nn::read_plain(data_).substr(0, 5000));
  const Outcome outcome = shell(by_rondo_run(3, with_data()));
  EXPECT_EQ(outcome.exit_code, kFailure);
  EXPECT_EQ(count_of(outcome.output, "valid gzip expected"), 1U) << outcome.output;
}

TEST_F(RecognizeDigits, OneRankWithoutData_EndsAllAndIsNamed) {
  // Only rank 1's own folder has no data.
  const std::string rank_one_elsewhere = "sh -c 'if [ \"$RONDO_RANK\" = 1 ]; then exec " +
                                         alone("--data nowhere.csv.gz --epochs 3") +
                                         "; else exec " + alone(with_data()) + "; fi'";
  const Outcome outcome = shell(std::string(RONDO_TOOL) + " run -n 3 -- " + rank_one_elsewhere);
  EXPECT_EQ(outcome.exit_code, kFailure) << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "rank 1: "), 1U) << outcome.output;
  EXPECT_THAT(outcome.output, Not(HasSubstr("epoch")));
}

/// Rank 2 of three with other arguments than the first two.
std::string rank_two_with(const std::string& other, const std::string& usual) {
  return std::string(RONDO_TOOL) + " run -n 3 -- sh -c 'if [ \"$RONDO_RANK\" = 2 ]; then exec " +
         alone(other) + "; else exec " + alone(usual) + "; fi'";
}

TEST_F(RecognizeDigits, OptionsThatDiffer_AreRefusedWithRanksAndValues) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"--seed 5", "", "--seed must be equal on all ranks: rank 0 has 1, rank 2 has 5"},
      {"--hidden 64,32", "--hidden 64,31", "rank 0 has 64,31, rank 2 has 64,32"},
      {"--learning-rate 0.125", "", "rank 0 has 0.1, rank 2 has 0.125"},
      {"--steps 9", "", "--steps must be equal on all ranks: rank 0 has its default, rank 2 has 9"},
      {"--precision f64", "", "rank 0 has f32, rank 2 has f64"},
      {"--optimizer sgd", "", "rank 0 has momentum, rank 2 has sgd"},
  };
  for (const auto& [other, usual, message] : cases) {
    const Outcome outcome = shell(rank_two_with(with_data(other), with_data(usual)));
    EXPECT_EQ(outcome.exit_code, kUsageError) << outcome.output;
    EXPECT_EQ(count_of(outcome.output, message), 1U) << outcome.output;
    EXPECT_THAT(outcome.output, Not(HasSubstr("epoch")));
  }
}

TEST_F(RecognizeDigits, DataThatDiffers_IsRefused) {
  const std::string other = folder_.file("other.csv.gz");
  const std::string text = nn::digits_text(1797);
  nn::write_gzip(other, text);
  const Outcome outcome = shell(rank_two_with("--data " + other + " --epochs 3", with_data()));
  EXPECT_EQ(outcome.exit_code, kUsageError) << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "--data must be equal on all ranks: rank 0 has 1797"), 1U)
      << outcome.output;
}

TEST_F(RecognizeDigits, SameDataInAnotherPlace_IsTheSame) {
  const std::string copy = folder_.file("copy.csv.gz");
  std::filesystem::copy_file(data_, copy);
  const Outcome outcome = shell(rank_two_with("--data " + copy + " --epochs 3", with_data()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

TEST_F(RecognizeDigits, UnknownFlag_IsAUsageError) {
  const Outcome outcome = shell(by_rondo_run(4, "--epoch 3"));
  EXPECT_EQ(outcome.exit_code, kUsageError) << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "recognize_digits: "), 1U) << outcome.output;
}

TEST_F(RecognizeDigits, HiddenLayersOutOfRange_AreRefused) {
  const std::string many = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
  for (const auto& [value, message] :
       {std::pair<std::string, std::string>{"0", "--hidden: '0' is no width from 1 to 8192"},
        {"64,8193", "--hidden: '8193' is no width from 1 to 8192"},
        {"-3", "--hidden: '-3' is no width from 1 to 8192"},
        {"1000000000000", "--hidden: '1000000000000' is no width from 1 to 8192"},
        {many, "--hidden: 17 layers given, at most 16 expected"}}) {
    const Outcome outcome = shell(by_rondo_run(2, with_data("--steps 1 --hidden " + value)));
    EXPECT_EQ(outcome.exit_code, kUsageError) << outcome.output;
    EXPECT_EQ(count_of(outcome.output, message), 1U) << outcome.output;
  }
}

TEST_F(RecognizeDigits, BatchSmallerThanTheWorld_IsAUsageError) {
  const Outcome outcome = shell(by_rondo_run(4, with_data("--batch 3")));
  EXPECT_EQ(outcome.exit_code, kUsageError) << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "--batch 3: one image for each of the 4 ranks expected"), 1U)
      << outcome.output;
}

TEST_F(RecognizeDigits, BatchLargerThanTheSet_IsAUsageError) {
  const Outcome outcome = shell(alone(with_data("--batch 5000")));
  EXPECT_EQ(outcome.exit_code, kUsageError) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("at most the 1440 images of the set expected"));
}

TEST_F(RecognizeDigits, LossFileInNoFolder_IsAFailure) {
  const Outcome outcome =
      shell(by_rondo_run(2, with_data("--loss-file " + folder_.file("no/such/losses"))));
  EXPECT_EQ(outcome.exit_code, kFailure) << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "can't write "), 1U) << outcome.output;
}

TEST_F(RecognizeDigits, FullDisk_IsAFailureOfTheLossFile) {
  const Outcome outcome = shell(by_rondo_run(2, with_data("--steps 2 --loss-file /dev/full")));
  EXPECT_EQ(outcome.exit_code, kFailure) << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "can't write /dev/full: No space left on device"), 1U)
      << outcome.output;
  EXPECT_EQ(count_of(outcome.output, "held-out accuracy"), 1U) << "what it has learnt is told";
}

TEST_F(RecognizeDigits, FullDisk_IsAFailureOfTheReport) {
  for (const std::string& arguments : {with_data("--steps 2"), std::string("--help")}) {
    const Outcome outcome = shell(alone(arguments + " > /dev/full"));
    EXPECT_EQ(outcome.exit_code, kFailure) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("can't write to standard output"));
  }
}

TEST_F(RecognizeDigits, Help_IsShownOnce) {
  const Outcome outcome = shell(by_rondo_run(3, "--help"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(count_of(outcome.output, "--learning-rate"), 1U) << outcome.output;
}

TEST(RecognizeRealDigits, FourRanks_ReadNinetySixPercentOfUnseenDigits) {
  const Outcome trial = shell(alone("--steps 1"));
  if (trial.output.find("get it with: scripts/data digits") != std::string::npos) {
    GTEST_SKIP() << trial.output;
  }
  // The mean over seeds is above 97 %; one seed may have a bad day.
  const Outcome outcome = shell(by_rondo_run(4, ""));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_GT(held_out_accuracy(outcome.output), 96) << outcome.output;
}

}  // namespace
}  // namespace rondo::examples
