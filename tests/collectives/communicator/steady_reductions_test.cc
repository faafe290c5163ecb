// What reductions of further kinds cost that were made before: by a function of the program,
// premultiplied, with bits that follow from the inputs alone, and in a wire format. No allocation
// and no lock either.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/steady_cost.h"

namespace rondo::testing {
namespace {

/// Elements of each rank's part of a long call, and of a short one.
constexpr std::size_t kPart = 20'000;
constexpr std::size_t kFew = 2;

void add(void* left, const void* right, std::size_t count, DataType /*dtype*/, void* /*context*/) {
  for (std::size_t i = 0; i < count; ++i)
    static_cast<float*>(left)[i] += static_cast<const float*>(right)[i];
}

const Reduction kKinds[] = {ReduceOp::kSum, ReduceOp::kAvg, Reduction::premultiplied_sum(0.25),
                            Reduction::custom({.function = add}),
                            Reduction::custom({.function = add, .commutative = true})};

/// Everything that reduces, of one kind after the other.
class ReductionRound {
 public:
  explicit ReductionRound(Communicator& rank)
      : rank_(rank),
        ranks_(static_cast<std::size_t>(rank.size())),
        whole_(kPart * ranks_, 0.5F),
        part_(kPart),
        counts_(ranks_, kPart) {
    for (const Reduction& kind : kKinds)
      prepared_.push_back(rank.prepare(Call::all_reduce(part(kPart), kind)));
    works_.reserve(2);
  }

  void all_kinds() {
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      reduce(kKinds[i]);
      prepared_[i].run();
      works_.push_back(rank_.start(Call::all_reduce(part(kFew), kKinds[i])));
      works_.push_back(rank_.start(Call::reduce_scatter(whole(kPart), part(kPart), kKinds[i])));
      for (Work& work : works_) work.wait();
      works_.clear();
    }
  }
  /// Where they are rounded to it; ends with whether they were.
  void in_format(std::string_view format) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg}) {
      rank_.all_reduce(whole(kPart), op);
      rank_.reduce_scatter(whole(kPart), part(kPart), op);
    }
    rank_.all_gather(part(kPart), whole(kPart));
    EXPECT_TRUE(rank_.last_call().wire_format == format);
  }

 private:
  Buffer part(std::size_t count) { return {part_.data(), count}; }
  Buffer whole(std::size_t count) { return {whole_.data(), count * ranks_}; }
  void reduce(const Reduction& kind) {
    for (const std::size_t count : {kFew, kPart}) {
      rank_.all_reduce(part(count), kind);
      rank_.reduce(whole(count), whole(count), 1, kind);
      rank_.reduce_scatter(whole(count), part(count), kind);
    }
    rank_.reduce_scatter_v(whole(kPart), part(kPart), counts_, kind);
  }

  Communicator& rank_;
  std::size_t ranks_;
  std::vector<float> whole_, part_;
  std::vector<std::size_t> counts_;
  std::vector<Prepared> prepared_;
  std::vector<Work> works_;
};

void expect_nothing(const Cost& cost) {
  EXPECT_EQ(cost.allocations, 0U);
  EXPECT_EQ(cost.locks, 0U);
}

class SteadyReductions : public ::testing::TestWithParam<std::string> {};

TEST_P(SteadyReductions, OfAnyKind_AllocateAndLockNothing) {
  expect_nothing(cost_of<ReductionRound>({.size = 3, .transport = GetParam()},
                                         [](ReductionRound& round) { round.all_kinds(); }));
}

TEST_P(SteadyReductions, InRankOrder_AllocateAndLockNothing) {
  expect_nothing(
      cost_of<ReductionRound>({.size = 3, .transport = GetParam(), .deterministic = true},
                              [](ReductionRound& round) { round.all_kinds(); }));
}

INSTANTIATE_TEST_SUITE_P(Transports, SteadyReductions, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameters) { return parameters.param; });

TEST(SteadyWireFormats, WithAndWithoutFeedback_AllocateAndLockNothing) {
  for (const char* format : {"bf16", "f16", "f8e4m3", "f8e5m2", "int8"}) {
    for (const char* feedback : {"on", "off"}) {
      SCOPED_TRACE(std::string(format) + ", feedback " + feedback);
      expect_nothing(cost_of<ReductionRound>(
          {.size = 3, .transport = "tcp", .wire_format = format, .error_feedback = feedback},
          [format](ReductionRound& round) { round.in_format(format); }));
    }
  }
}

}  // namespace
}  // namespace rondo::testing
