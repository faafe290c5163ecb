// Deterministic mode: whatever is forced (algorithm, segments, transport), every reduction has the
// bits of one expression, ((x0 + x1) + x2) ..., rounded once at its end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "rondo/schedules.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

using kernels::Bfloat;
using kernels::Half;

constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProd};

/// `ranks`, in the order in which they are combined.
template <typename T>
T combined(const std::vector<int>& ranks, std::size_t index, ReduceOp op) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  auto total = static_cast<Wide>(+value<T>(ranks[0], index, op));
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const auto next = static_cast<Wide>(+value<T>(ranks[i], index, op));
    total = op == ReduceOp::kProd ? total * next : total + next;
  }
  if (op == ReduceOp::kAvg) total /= static_cast<Wide>(ranks.size());
  return T(total);
}

template <typename T>
std::vector<T> combined_from(int first_rank, int world, std::size_t first, std::size_t count,
                             ReduceOp op) {
  std::vector<int> ranks;
  for (int i = 0; i < world; ++i) ranks.push_back((first_rank + i) % world);
  std::vector<T> list;
  for (std::size_t i = first; i < first + count; ++i) list.push_back(combined<T>(ranks, i, op));
  return list;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <typename T>
void expect_reductions(Communicator& rank, std::size_t count, ReduceOp op) {
  const int world = rank.size();
  const std::size_t own = count * static_cast<std::size_t>(rank.rank());
  const auto whole = values<T>(rank.rank(), count * static_cast<std::size_t>(world), op);
  Memory<T> all(rank.device(), whole.size(), count % 2 == 0), part(rank.device(), count, true);
  all.write(0, whole);
  part.write(0, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(count)});
  rank.all_reduce(part.buffer(0, count), op);
  const auto want = combined_from<T>(0, world, 0, count, op);
  EXPECT_TRUE(same_bits(part.read(0, count), want)) << "all_reduce, " << to_string(op);
  const int root = static_cast<int>(count) % world;
  rank.reduce(all.buffer(0, count), part.buffer(0, count), root, op);
  EXPECT_TRUE(rank.rank() != root || same_bits(part.read(0, count), want)) << "reduce";
  rank.reduce_scatter(all.buffer(0, whole.size()), part.buffer(0, count), op);
  EXPECT_TRUE(same_bits(part.read(0, count), combined_from<T>(0, world, own, count, op)))
      << "reduce_scatter, " << to_string(op);
}

template <typename T>
void expect_uneven(Communicator& rank) {
  std::vector<std::size_t> counts;
  std::size_t total = 0, first = 0;
  for (int i = 0; i < rank.size(); ++i) {
    if (i == rank.rank()) first = total;
    counts.push_back(static_cast<std::size_t>(1000 * i + 3));
    total += counts.back();
  }
  const std::size_t own = counts[static_cast<std::size_t>(rank.rank())];
  Memory<T> all(rank.device(), total, false), part(rank.device(), own, false);
  all.write(0, values<T>(rank.rank(), total, ReduceOp::kSum));
  rank.reduce_scatter_v(all.buffer(0, total), part.buffer(0, own), counts);
  EXPECT_TRUE(
      same_bits(part.read(0, own), combined_from<T>(0, rank.size(), first, own, ReduceOp::kSum)));
}

struct Case {
  std::string transport;
  std::string algorithm;
  std::size_t segment_bytes = 64;
};

class Deterministic : public ::testing::TestWithParam<Case> {};

TEST_P(Deterministic, EveryReduction_HasTheBitsOfTheRanksOrder) {
  const Case& c = GetParam();
  const World places{.size = 5,
                     .transport = c.transport,
                     .algorithm = c.algorithm,
                     .deterministic = true,
                     .segment_bytes = c.segment_bytes};
  spawn(places, [](Communicator& rank) {
    for (const ReduceOp op : kOps) {
      expect_reductions<float>(rank, 1, op);
      expect_reductions<float>(rank, 20'003, op);
      expect_reductions<double>(rank, 1000, op);
      expect_reductions<Half>(rank, 1, op);
      expect_reductions<Half>(rank, 5000, op);
      expect_reductions<Bfloat>(rank, 5001, op);
    }
    expect_uneven<float>(rank);
    expect_uneven<Bfloat>(rank);
  });
}

/// "auto", and every algorithm that a reduction has.
std::set<std::string> forced_names() {
  std::set<std::string> names = {"auto"};
  for (const AlgorithmInfo& algorithm : built_in_algorithms()) {
    if (algorithm.collective.find("reduce") != std::string::npos) names.insert(algorithm.name);
  }
  return names;
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const std::string& algorithm : forced_names()) {
      for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}, std::size_t{1} << 20}) {
        list.push_back({transport, algorithm, bytes});
      }
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Worlds, Deterministic, ::testing::ValuesIn(cases()),
                         [](const auto& parameter) {
                           const Case& c = parameter.param;
                           return c.transport + "_" + c.algorithm + "_" +
                                  std::to_string(c.segment_bytes);
                         });

/// What an algorithm makes of halves that stores partial sums on the way.
template <typename T>
T rounded_each_time(int world, std::size_t index) {
  T total = value<T>(0, index, ReduceOp::kSum);
  for (int rank = 1; rank < world; ++rank) {
    total = T(+total + +value<T>(rank, index, ReduceOp::kSum));
  }
  return total;
}

template <typename T>
std::vector<T> rounded_each_time(int world, std::size_t first, std::size_t count) {
  std::vector<T> list;
  for (std::size_t i = first; i < count; ++i) list.push_back(rounded_each_time<T>(world, i));
  return list;
}

/// Or the tests above would show nothing.
TEST(DeterministicMode, AnotherOrderOrMoreRoundings_HaveOtherBits) {
  const auto in_order = [](auto element, int first_rank) {
    return combined_from<decltype(element)>(first_rank, 5, 0, 1000, ReduceOp::kSum);
  };
  EXPECT_FALSE(same_bits(in_order(float{}, 0), in_order(float{}, 1)));
  EXPECT_FALSE(same_bits(in_order(double{}, 0), in_order(double{}, 1)));
  EXPECT_FALSE(same_bits(in_order(Half{}, 0), rounded_each_time<Half>(5, 0, 1000)));
  EXPECT_FALSE(same_bits(in_order(Bfloat{}, 0), rounded_each_time<Bfloat>(5, 0, 1000)));
}

TEST(DeterministicMode, ForcedAlgorithmOfAnotherOrder_IsPassedOverForReductionsAlone) {
  const auto algorithm_of = [](const char* forced, bool deterministic,
                               const std::function<void(Communicator&)>& call) {
    std::string name;
    spawn({.size = 3, .algorithm = forced, .deterministic = deterministic},
          [&](Communicator& rank) {
            call(rank);
            if (rank.rank() == 0) name = rank.last_call().algorithm;
          });
    return name;
  };
  const auto all_reduce = [](Communicator& rank) {
    std::vector<float> data(30'000, 1.F);
    rank.all_reduce({data.data(), data.size()});
  };
  const auto all_gather = [](Communicator& rank) {
    std::vector<float> data(30'000, 1.F);
    rank.all_gather({data.data() + 10'000 * rank.rank(), 10'000}, {data.data(), data.size()});
  };
  EXPECT_EQ(algorithm_of("ring", false, all_reduce), "ring");
  EXPECT_NE(algorithm_of("ring", true, all_reduce), "ring");
  EXPECT_EQ(algorithm_of("one_shot", true, all_reduce), "one_shot");
  EXPECT_EQ(algorithm_of("ring", true, all_gather), "ring");
}

TEST(DeterministicMode, SegmentsThatDoNotFit_AreRefused) {
  for (const std::size_t bytes : {std::size_t{32}, std::size_t{100}, std::size_t{1} << 31}) {
    try {
      make_world({.segment_bytes = bytes});
      ADD_FAILURE() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("multiple of 64 bytes"));
    }
  }
}

}  // namespace
}  // namespace rondo::testing
