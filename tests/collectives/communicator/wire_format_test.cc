// f32 data in wire formats over tcp: every format with every algorithm, the bits of all ranks, the
// documented bounds (docs/wire-formats.md), the bytes that travel, and who is left alone.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

/// `unit`: the most that one rounding takes from an element, as a share of it or, where `of_block`,
/// of the largest of its block. `least`: the same of a block's small elements.
struct Format {
  std::string name;
  double unit = 0;
  bool of_block = false;
  double least = 0;
};
const std::vector<Format> kFormats = {{"bf16", 0x1p-8},
                                      {"f16", 0x1p-11},
                                      {"f8e4m3", 0x1p-4, false, 0x1p-17},
                                      {"f8e5m2", 0x1p-3, false, 0x1p-31},
                                      {"int8", 1.0 / 127, true}};

/// More than a segment in each row at the larger worlds, and rows that aren't whole blocks.
constexpr std::size_t kCount = 100'003;
constexpr double kLargestValue = 48.5;

/// At most world + 1 roundings lie between an element and the result.
double bound(const Format& format, int world, double magnitude) {
  const double growth = std::pow(1 + format.unit, world + 1) - 1;
  const double largest = world * kLargestValue;
  return growth * (format.of_block ? largest : magnitude) + (world + 1) * format.least * largest +
         1e-5;
}

/// How far `result` is from the sum or average in fp64, in bounds.
double worst(const Format& format, const std::vector<float>& result, int world, ReduceOp op,
             std::size_t first) {
  double most = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    double sum = 0;
    double magnitude = 0;
    for (int rank = 0; rank < world; ++rank) {
      const double x = value<float>(rank, first + i, op);
      sum += x;
      magnitude += std::abs(x);
    }
    const double divisor = op == ReduceOp::kAvg ? world : 1;
    const double error = std::abs(double{result[i]} - sum / divisor);
    most = std::max(most, error / (bound(format, world, magnitude) / divisor));
  }
  return most;
}

bool equal_bits(const std::vector<std::vector<float>>& results) {
  for (const auto& result : results) {
    if (std::memcmp(result.data(), results[0].data(), result.size() * sizeof(float)) != 0)
      return false;
  }
  return true;
}

struct Case {
  Format format;
  std::string algorithm;
};
std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return info.param.format.name + "_" + info.param.algorithm;
}

World world_of(const Case& c, int size, const std::string& feedback) {
  return {.size = size,
          .transport = "tcp",
          .algorithm = c.algorithm,
          .wire_format = c.format.name,
          .error_feedback = feedback};
}

std::vector<std::vector<float>> all_reduced(const Case& c, int world, ReduceOp op) {
  std::vector<std::vector<float>> results(static_cast<std::size_t>(world));
  spawn(world_of(c, world, "off"), [&](Communicator& rank) {
    const auto input = values<float>(rank.rank(), kCount, op);
    std::vector<float> output(kCount);
    if (op == ReduceOp::kAvg) {
      output = input;
      rank.all_reduce(Buffer(output.data(), kCount), op);
    } else {
      rank.all_reduce(ConstBuffer(input.data(), kCount), Buffer(output.data(), kCount), op);
    }
    EXPECT_EQ(rank.last_call().wire_format, c.format.name);
    EXPECT_EQ(rank.last_call().algorithm, c.algorithm);
    results[static_cast<std::size_t>(rank.rank())] = std::move(output);
  });
  return results;
}

class WireAllReduce : public ::testing::TestWithParam<Case> {};

TEST_P(WireAllReduce, AnyWorld_BitsAreEqualAndErrorsWithinTheBound) {
  for (int world = 2; world <= 5; ++world) {
    const ReduceOp op = world % 2 == 0 ? ReduceOp::kSum : ReduceOp::kAvg;
    const auto first = all_reduced(GetParam(), world, op);
    const auto again = all_reduced(GetParam(), world, op);
    EXPECT_TRUE(equal_bits(first)) << "ranks of " << world << " differ";
    EXPECT_TRUE(equal_bits({first[0], again[0]})) << "a second run of " << world << " differs";
    const double share = worst(GetParam().format, first[0], world, op, 0);
    EXPECT_LE(share, 1) << "world " << world;
    EXPECT_GT(share, 1e-3) << "nothing was rounded, world " << world;
  }
}

/// Each rank takes turns of its own among its buffers: what ranks lost differs.
TEST_P(WireAllReduce, FeedbackOfBuffersThatDiffer_BitsAreEqual) {
  constexpr int kWorld = 5;
  constexpr std::size_t kFew = 3001;
  constexpr int kCalls = 6;
  std::vector<std::vector<std::vector<float>>> results(kCalls,
                                                       std::vector<std::vector<float>>(kWorld));
  spawn(world_of(GetParam(), kWorld, "on"), [&](Communicator& rank) {
    const auto own = static_cast<std::size_t>(rank.rank());
    std::vector<std::vector<float>> buffers(own + 1);
    for (std::size_t call = 0; call < kCalls; ++call) {
      auto& buffer = buffers[call % buffers.size()];
      buffer.resize(kFew);
      for (std::size_t i = 0; i < kFew; ++i)
        buffer[i] = value<float>(rank.rank(), i + call, ReduceOp::kSum);
      rank.all_reduce(Buffer(buffer.data(), kFew));
      results[call][own] = buffer;
    }
  });
  for (const auto& result : results) EXPECT_TRUE(equal_bits(result));
}

std::vector<Case> cases(const std::vector<std::string>& algorithms) {
  std::vector<Case> list;
  for (const Format& format : kFormats) {
    for (const std::string& algorithm : algorithms) list.push_back({format, algorithm});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Formats, WireAllReduce,
                         ::testing::ValuesIn(cases({"ring", "direct", "recursive_doubling",
                                                    "halving_doubling", "hierarchical",
                                                    "double_binary_tree"})),
                         name_of);

class WireScatterAndGather : public ::testing::TestWithParam<Case> {};

TEST_P(WireScatterAndGather, Parts_AreWithinTheBound) {
  constexpr std::size_t kPart = 20'001;
  const Case& c = GetParam();
  for (int world = 2; world <= 5; ++world) {
    const std::size_t total = kPart * static_cast<std::size_t>(world);
    std::vector<std::vector<float>> gathered(static_cast<std::size_t>(world));
    spawn(world_of(c, world, "off"), [&](Communicator& rank) {
      const auto own = static_cast<std::size_t>(rank.rank());
      const auto input = values<float>(rank.rank(), total, ReduceOp::kSum);
      std::vector<float> part(kPart);
      rank.reduce_scatter(ConstBuffer(input.data(), total), Buffer(part.data(), kPart));
      EXPECT_EQ(rank.last_call().wire_format, c.format.name);
      EXPECT_LE(worst(c.format, part, world, ReduceOp::kSum, own * kPart), 1);
      std::vector<float>& all = gathered[own];
      all.resize(total);
      std::memcpy(all.data() + own * kPart, part.data(), kPart * sizeof(float));
      rank.all_gather(ConstBuffer(all.data() + own * kPart, kPart), Buffer(all.data(), total));
      EXPECT_EQ(rank.last_call().wire_format, c.format.name);
      EXPECT_LE(worst(c.format, all, world, ReduceOp::kSum, 0), 1);
    });
    EXPECT_TRUE(equal_bits(gathered)) << "ranks of " << world << " differ";
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, WireScatterAndGather,
                         ::testing::ValuesIn(cases({"ring", "direct", "bruck", "pat",
                                                    "hierarchical", "neighbour_ring"})),
                         name_of);

/// Bytes that rank 0 of two sends for one call.
double sent_bytes(const std::string& format, const Call& call) {
  double bytes = 0;
  const World world{.size = 2, .transport = "tcp", .algorithm = "ring", .wire_format = format};
  spawn(world, [&](Communicator& rank) {
    std::vector<float> input(kCount * 2, 1.25F);
    std::vector<float> output(kCount * 2);
    Call own = call;
    own.input.pointer = input.data();
    own.output.pointer = output.data();
    rank.prepare(own).run();
    if (rank.rank() == 0) bytes = static_cast<double>(rank.traffic()[0].sent_bytes);
  });
  return bytes;
}

TEST(WireFormat, BytesSent_AreTheFormats) {
  float* const none = nullptr;
  const Call calls[] = {Call::all_reduce(ConstBuffer(none, kCount), Buffer(none, kCount)),
                        Call::all_gather(ConstBuffer(none, kCount), Buffer(none, 2 * kCount)),
                        Call::reduce_scatter(ConstBuffer(none, 2 * kCount), Buffer(none, kCount))};
  for (const Call& call : calls) {
    const double whole = sent_bytes("none", call);
    EXPECT_GE(whole, kCount * sizeof(float));
    for (const Format& format : kFormats) {
      const double share = sent_bytes(format.name, call) / whole;
      const bool is_half = format.name == "bf16" || format.name == "f16";
      EXPECT_LE(share, is_half ? 0.52 : 0.28) << format.name;
      EXPECT_GE(share, is_half ? 0.48 : 0.24) << format.name;
    }
  }
}

TEST(WireFormat, IntegersExtremaAndSmallCalls_AreLeftAsTheyAre) {
  spawn({.size = 3, .transport = "tcp", .wire_format = "int8"}, [](Communicator& rank) {
    std::vector<std::int32_t> integers(kCount, 1'000'003 + rank.rank());
    rank.all_reduce(Buffer(integers.data(), kCount));
    EXPECT_EQ(integers[9], 3'000'012);
    EXPECT_EQ(rank.last_call().wire_format, "none");
    auto floats = values<float>(rank.rank(), kCount, ReduceOp::kMax);
    rank.all_reduce(Buffer(floats.data(), kCount), ReduceOp::kMax);
    EXPECT_EQ(first_wrong(floats.data(), kCount, 3, ReduceOp::kMax), -1);
    EXPECT_EQ(rank.last_call().wire_format, "none");
    auto doubles = values<double>(rank.rank(), kCount, ReduceOp::kSum);
    rank.all_reduce(Buffer(doubles.data(), kCount));
    EXPECT_EQ(first_wrong(doubles.data(), kCount, 3, ReduceOp::kSum), -1);
    auto root = values<float>(rank.rank(), kCount, ReduceOp::kSum);
    rank.broadcast(Buffer(root.data(), kCount), 1);
    EXPECT_TRUE(root == values<float>(1, kCount, ReduceOp::kSum));
  });
}

TEST(WireFormat, OneShotAndMemory_AreLeftAsTheyAre) {
  const auto expect_exact = [](Communicator& rank) {
    auto few = values<float>(rank.rank(), 40, ReduceOp::kSum);
    rank.all_reduce(Buffer(few.data(), few.size()));
    EXPECT_EQ(first_wrong(few.data(), few.size(), 3, ReduceOp::kSum), -1);
    EXPECT_EQ(rank.last_call().wire_format, "none");
  };
  spawn({.size = 3, .transport = "tcp", .algorithm = "one_shot", .wire_format = "bf16"},
        expect_exact);
  spawn({.size = 3, .transport = "shm", .algorithm = "ring", .wire_format = "bf16"}, expect_exact);
}

TEST(WireFormat, UnknownName_IsRefusedAndListsWhatThereIs) {
  CommunicatorOptions options;
  options.wire_format = "int4";
  try {
    Communicator::create(options);
    FAIL() << "joined";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("none, bf16, f16, f8e4m3, f8e5m2, int8"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace rondo::testing
