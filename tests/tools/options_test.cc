#include "tools/rondo/bench/options.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string_view> kAlgorithms = {"auto", "ring", "direct"};

BenchFlags parsed(std::vector<std::string> words) {
  CLI::App app("test", "bench");
  BenchFlags flags;
  add_bench_flags(app, flags);
  std::reverse(words.begin(), words.end());  // as CLI11 takes a vector
  app.parse(words);
  return flags;
}

std::string mistake_of(const BenchFlags& flags) {
  try {
    parse_bench_flags(flags, kAlgorithms);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(BenchFlags, CommandLineOfNcclTests_IsUnderstood) {
  const BenchFlags flags = parsed({"all_reduce", "-b", "1K", "-e", "4K", "-f", "2", "-n", "7", "-w",
                                   "3", "-c", "0", "-d", "double", "-o", "max"});
  const BenchOptions options = parse_bench_flags(flags, kAlgorithms);
  EXPECT_EQ(options.operation, Operation(Collective::kAllReduce));
  EXPECT_THAT(options.sizes, ElementsAre(1024U, 2048U, 4096U));
  EXPECT_EQ(options.repeats.iterations, 7);
  EXPECT_EQ(options.repeats.warmup, 3);
  EXPECT_FALSE(options.repeats.check);
  EXPECT_THAT(options.types, ElementsAre(DataType::kF64));
  EXPECT_THAT(options.ops, ElementsAre(ReduceOp::kMax));
  EXPECT_TRUE(options.registered);
  EXPECT_TRUE(options.bind);
}

TEST(BenchFlags, OwnFlags_AreUnderstood) {
  const BenchFlags flags =
      parsed({"all_gather", "--transport", "tcp", "--algo=ring", "--buffers", "malloc", "--json",
              "out.json", "--no-bind", "-i", "16", "-b", "16", "-e", "48", "-o", "all"});
  const BenchOptions options = parse_bench_flags(flags, kAlgorithms);
  EXPECT_EQ(options.transport, "tcp");
  EXPECT_EQ(options.algorithm, "ring");
  EXPECT_FALSE(options.registered);
  EXPECT_FALSE(options.bind);
  EXPECT_EQ(options.json_path, "out.json");
  EXPECT_THAT(options.sizes, ElementsAre(16U, 32U, 48U));
  EXPECT_EQ(options.ops.size(), 1U) << "a gather has no op to go through";
}

TEST(BenchFlags, MoreOfNcclTests_IsUnderstood) {
  const BenchFlags flags = parsed(
      {"broadcast", "-m", "5", "-N", "3", "-I", "-t", "2",  "-g", "3",  "-r", "all", "-z",
       "1",         "-p", "1", "-a", "3", "-S", "1",  "-T", "9",  "-R", "0",  "-J",  "out.json"});
  const BenchOptions options = parse_bench_flags(flags, kAlgorithms);
  EXPECT_EQ(options.repeats.calls, 5);
  EXPECT_TRUE(options.repeats.keep_times);
  EXPECT_EQ(options.cycles, 3);
  EXPECT_EQ(options.places, 6);
  EXPECT_TRUE(options.roots.empty()) << "all of them";
  EXPECT_TRUE(options.timestamps);
  EXPECT_EQ(options.timeout_ms, 9000);
  EXPECT_FALSE(options.registered);
  EXPECT_EQ(options.json_path, "out.json");
}

TEST(BenchFlags, FlagsOfNcclTestsThatAskForWhatIsNotHere_AreRefusedWithTheReason) {
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-G", "5"})),
              HasSubstr("-G 5 isn't supported: calls aren't captured into graphs; leave it out"));
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-F", "a.csv"})), HasSubstr("as JSON; use -J"));
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-K", "3"})), HasSubstr("; use -w"));
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-D", "1"})), HasSubstr("set RONDO_DEVICE_PATH"));
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-x", "2"})), HasSubstr("-x 2 isn't supported"));
  for (const char* flag : {"-G", "-C", "-K", "-M", "--memory", "-x", "-D"}) {
    EXPECT_EQ(mistake_of(parsed({"all_reduce", flag, "0"})), "") << flag;
  }
  for (const char* flag : {"-p", "-y", "-z", "-V"}) {
    EXPECT_EQ(mistake_of(parsed({"all_reduce", flag, "1"})), "") << flag;
  }
}

std::vector<std::uint64_t> sizes_by(std::vector<std::string> words) {
  words.insert(words.begin(), "all_reduce");
  return parse_bench_flags(parsed(words), kAlgorithms).sizes;
}

TEST(BenchFlags, FactorAndStep_AreNcclTests) {
  constexpr std::uint64_t kMiB = 1U << 20;
  EXPECT_THAT(sizes_by({"-b", "8", "-e", "16"}), ElementsAre(8U, 16U)) << "ours: a factor of 2";
  EXPECT_THAT(sizes_by({"-b", "8", "-e", "16", "-i", "4"}), ElementsAre(8U, 12U, 16U));
  EXPECT_THAT(sizes_by({"-b", "8", "-e", "72", "-f", "3", "-i", "4"}), ElementsAre(8U, 24U, 72U));
  EXPECT_THAT(sizes_by({"-i", "4", "-f", "1", "-b", "8", "-e", "16"}), ElementsAre(8U, 12U, 16U));
  for (const char* none : {"0", "1"}) {
    EXPECT_THAT(sizes_by({"-b", "1M", "-e", "2.5MB", "-f", none}), ElementsAre(kMiB, 2 * kMiB));
  }
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-f", "1", "-i", "0"})),
              HasSubstr("-i 0: a size would be followed by itself"));
  EXPECT_EQ(mistake_of(parsed({"all_reduce", "-f", "2", "-i", "0"})), "");
}

TEST(BenchFlags, NumbersOfNcclTests_AreTaken) {
  const auto options = [](std::vector<std::string> words) {
    words.insert(words.begin(), "broadcast");
    return parse_bench_flags(parsed(words), kAlgorithms);
  };
  EXPECT_TRUE(options({"-c", "10"}).repeats.check);
  EXPECT_EQ(options({}).repeats.time_of, TimeOf::kSlowestRank);
  EXPECT_EQ(options({"-a", "0"}).repeats.time_of, TimeOf::kFirstRank);
  EXPECT_EQ(options({"-a", "1"}).repeats.time_of, TimeOf::kMean);
  EXPECT_EQ(options({"-a", "2"}).repeats.time_of, TimeOf::kFastestRank);
  EXPECT_TRUE(options({"-R", "2", "--buffers", "malloc"}).registered);
  EXPECT_EQ(options({"-u", "3"}).first_element, 3U);
  EXPECT_EQ(options({"-T", "0"}).timeout_ms, 0);
  EXPECT_TRUE(options({"-r", "-1"}).roots.empty()) << "all of them";
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-n", "0"})), HasSubstr("give 1 or more"));
}

TEST(BenchFlags, PerIteration_TakesANumberOrNone) {
  const auto keeps_times = [](std::vector<std::string> words) {
    return parse_bench_flags(parsed(std::move(words)), kAlgorithms).repeats.keep_times;
  };
  EXPECT_FALSE(keeps_times({"all_reduce"}));
  EXPECT_TRUE(keeps_times({"all_reduce", "-I"}));
  EXPECT_TRUE(keeps_times({"all_reduce", "-I", "1", "-n", "3"}));
  EXPECT_TRUE(keeps_times({"-I", "-n", "3", "all_reduce"}));
  EXPECT_TRUE(keeps_times({"-I", "all_reduce"})) << "what follows is the collective";
  EXPECT_FALSE(keeps_times({"all_reduce", "-I", "0"}));
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-I", "2"})), HasSubstr("expected 1, 0 or nothing"));
}

TEST(BenchFlags, SoakWithoutEnd_HasNothingToCompare) {
  EXPECT_THAT(mistake_of(parsed({"all_reduce", "-N", "0", "--baseline", "a.json"})),
              HasSubstr("-N 0 has no last result to compare"));
  EXPECT_EQ(mistake_of(parsed({"all_reduce", "-N", "0", "--json", "a.json"})), "");
  EXPECT_EQ(mistake_of(parsed({"all_reduce", "-N", "0"})), "");
}

TEST(BenchFlags, Root_IsARankOrAll) {
  EXPECT_THAT(mistake_of({.collective = "broadcast", .root = "-2"}), HasSubstr("-r: '-2' is no"));
  EXPECT_THAT(mistake_of({.collective = "broadcast", .root = "1x"}), HasSubstr("-r: '1x' is no"));
  EXPECT_THAT(mistake_of({.collective = "broadcast", .root = ""}), HasSubstr("-r: '' is no rank"));
  EXPECT_THAT(parse_bench_flags({.collective = "broadcast", .root = "7"}, kAlgorithms).roots,
              ElementsAre(7));
}

TEST(BenchFlags, RootOfWhatHasNone_IsRefusedUnlessItIsTheOnlyOne) {
  for (const std::string collective : {"all_reduce", "all_gather_v", "barrier", "send_receive"}) {
    EXPECT_THAT(parse_bench_flags({.collective = collective}, kAlgorithms).roots, ElementsAre(0));
    for (const std::string root : {"5", "all", "-1"}) {
      EXPECT_EQ(
          mistake_of({.collective = collective, .root = root}),
          fmt::format("-r {}: {} has no root (broadcast, reduce, gather and scatter have one): "
                      "leave out -r",
                      root, collective));
    }
  }
  for (const std::string collective : {"broadcast", "reduce", "gather_v", "scatter"})
    EXPECT_EQ(mistake_of({.collective = collective, .root = "5"}), "");
}

TEST(BenchFlags, BaselineOptions_NeedABaselineAndNumbers) {
  EXPECT_THROW(parsed({"all_reduce", "--tolerance", "5"}), CLI::RequiresError);
  EXPECT_THROW(parsed({"all_reduce", "--any-machine"}), CLI::RequiresError);
  EXPECT_THROW(parsed({"all_reduce", "--baseline", "a", "--tolerance", "-1"}), CLI::ParseError);
  EXPECT_NE(mistake_of({.collective = "all_reduce", .tolerance_percent = std::nan("")}), "");
}

TEST(BenchFlags, OpOfOtherTypes_IsRefusedUnlessItsOwnAreThereToo) {
  EXPECT_THAT(mistake_of({.collective = "all_reduce", .type = "bf16", .op = "bxor"}),
              HasSubstr("-o bxor: elements of bf16 are no integers"));
  EXPECT_EQ(mistake_of({.collective = "all_reduce", .type = "all", .op = "bxor"}), "");
  EXPECT_EQ(mistake_of({.collective = "all_reduce", .type = "f32", .op = "all"}), "");
  EXPECT_EQ(mistake_of({.collective = "all_gather", .type = "f32", .op = "bxor"}), "");
  EXPECT_THAT(mistake_of({.collective = "reduce", .type = "i8", .op = "mulsum"}),
              HasSubstr("-o mulsum: elements of i8 are integers and aren't multiplied"));
  EXPECT_EQ(mistake_of({.collective = "reduce", .type = "all", .op = "mulsum"}), "");
}

TEST(BenchFlags, NumbersOutOfRange_AreRefused) {
  EXPECT_THROW(parsed({"all_reduce", "-n", "-1"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "-c", "-1"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "-a", "4"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "-R", "3"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "-f", "-1"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "--local", "0"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "--frobnicate"}), CLI::ExtrasError);
  EXPECT_THROW(parsed({"all_reduce", "-m", "0"}), CLI::ValidationError);
  EXPECT_THROW(parsed({"all_reduce", "-N", "-1"}), CLI::ValidationError);
  EXPECT_THAT(mistake_of(parsed({})), HasSubstr("collective is required; allowed: all_reduce"));
}

TEST(BenchFlags, UnknownWords_AreAnsweredWithTheKnownOnes) {
  EXPECT_THAT(mistake_of({.collective = "all_too_all"}), HasSubstr("reduce_scatter, broadcast"));
  EXPECT_THAT(mistake_of({.collective = "barrier", .transport = "pigeon"}),
              HasSubstr("allowed: auto, inproc, shm, tcp"));
  EXPECT_THAT(mistake_of({.collective = "all_reduce", .algorithm = "star"}),
              HasSubstr("allowed: auto, ring, direct"));
  EXPECT_THAT(mistake_of({.collective = "all_reduce", .buffers = "gpu"}),
              HasSubstr("allowed: registered, malloc"));
}

TEST(BenchFlags, Barrier_HasOneSize) {
  EXPECT_THAT(parse_bench_flags({.collective = "barrier", .type = "all"}, kAlgorithms).sizes,
              ElementsAre(0U));
}

}  // namespace
}  // namespace rondo::tool
