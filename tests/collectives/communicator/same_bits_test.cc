// Reductions without deterministic mode: an algorithm has an order of its own, which is the same
// wherever its bytes go. So its results have the same bits over every transport, and those of an
// all_reduce on every rank.

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rondo/schedules.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

using kernels::Bfloat;
using kernels::Half;

/// A call, and the bits of what one rank has of it.
struct Outcome {
  std::string call;
  std::vector<std::byte> bits;
};

/// Every type and size by one algorithm.
class Reductions {
 public:
  Reductions(Communicator& rank, const AlgorithmInfo& algorithm)
      : rank_(rank), algorithm_(algorithm) {}

  /// Two of each, of which the second finds its plan.
  template <typename T>
  void run(std::size_t count) {
    const auto ranks = static_cast<std::size_t>(rank_.size());
    const bool scatters = algorithm_.collective == "reduce_scatter";
    const std::size_t inputs = scatters ? count * ranks : count;
    Memory<T> input(rank_.device(), inputs, count % 2 == 0);
    Memory<T> output(rank_.device(), count, count % 2 == 0);
    const auto given = values<T>(rank_.rank(), inputs, ReduceOp::kSum);
    for (int turn = 0; turn < 2; ++turn) {
      input.write(0, given);
      rank_.run(call(input.buffer(0, inputs), output.buffer(0, count)));
    }
    EXPECT_EQ(rank_.last_call().algorithm, algorithm_.name);
    Memory<T>& result = algorithm_.collective == "all_reduce" ? input : output;
    keep(result.read(0, has_result() ? count : 0));
  }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  static constexpr int kRoot = 2;

  bool has_result() const { return algorithm_.collective != "reduce" || rank_.rank() == kRoot; }
  Call call(const Buffer& input, const Buffer& output) const {
    if (algorithm_.collective == "all_reduce") return Call::all_reduce(input);
    if (algorithm_.collective == "reduce") return Call::reduce(input, output, kRoot);
    return Call::reduce_scatter(input, output);
  }
  template <typename T>
  void keep(const std::vector<T>& result) {
    const auto bytes = std::as_bytes(std::span(result));
    outcomes_.push_back({algorithm_.collective + " of " + std::to_string(result.size()) + " " +
                             std::string(to_string(kernels::type_of<T>())) + " by " +
                             algorithm_.name,
                         {bytes.begin(), bytes.end()}});
  }

  Communicator& rank_;
  const AlgorithmInfo& algorithm_;
  std::vector<Outcome> outcomes_;
};

struct Case {
  const char* name;
  int world;
  std::size_t segment_bytes;
  std::vector<std::size_t> counts;
};

class SameBits : public ::testing::TestWithParam<Case> {};

/// By rank.
std::vector<std::vector<Outcome>> outcomes_over(const std::string& transport,
                                                const AlgorithmInfo& algorithm) {
  const auto& [name, world, segment_bytes, counts] = SameBits::GetParam();
  std::vector<std::vector<Outcome>> outcomes(static_cast<std::size_t>(world));
  const World places{.size = world,
                     .transport = transport,
                     .algorithm = algorithm.name,
                     .segment_bytes = segment_bytes};
  spawn(places, [&](Communicator& rank) {
    Reductions reductions(rank, algorithm);
    for (const std::size_t count : counts) {
      reductions.run<float>(count);
      reductions.run<Bfloat>(count);
      if (segment_bytes == 0) continue;
      reductions.run<double>(count);
      reductions.run<Half>(count);
    }
    outcomes[static_cast<std::size_t>(rank.rank())] = reductions.outcomes();
  });
  return outcomes;
}

void expect_same_bits(const std::vector<Outcome>& outcomes, const std::vector<Outcome>& expected) {
  ASSERT_EQ(outcomes.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(outcomes[i].bits == expected[i].bits) << expected[i].call;
}

TEST_P(SameBits, OfOneAlgorithm_OnEveryRankAndTransport) {
  for (const AlgorithmInfo& algorithm : built_in_algorithms()) {
    if (algorithm.collective.find("reduce") == std::string::npos) continue;
    const auto inside = outcomes_over("inproc", algorithm);
    if (algorithm.collective == "all_reduce")
      for (const auto& of_rank : inside) expect_same_bits(of_rank, inside.front());
    for (const std::string transport : {"shm", "tcp"}) {
      const auto outcomes = outcomes_over(transport, algorithm);
      for (std::size_t rank = 0; rank < inside.size(); ++rank) {
        SCOPED_TRACE("rank " + std::to_string(rank) + " over " + transport);
        expect_same_bits(outcomes[rank], inside[rank]);
      }
    }
  }
}

/// Where segments are each transport's own, a ring's rows are longer than one within a host.
const Case kCases[] = {{"4096_byte_segments_of_5", 5, 4096, {7, 10'001, 20'002}},
                       {"default_segments_of_4", 4, 0, {7, 100'001}},
                       {"default_segments_of_8", 8, 0, {7, 200'001}}};

INSTANTIATE_TEST_SUITE_P(Worlds, SameBits, ::testing::ValuesIn(kCases),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace rondo::testing
