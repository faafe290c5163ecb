// Calls as values through C's interface: of every kind, with equal parts and with others, by each
// of the ways that a rondo_call can go, the bits of C++'s same call.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "tests/bindings/c/out_of_band.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr int kRanks = 3;
constexpr int kRoot = 1;
constexpr int kTag = 7;

void check(rondo_status status) { ASSERT_EQ(status, RONDO_OK) << rondo_last_error()->message; }

void start(rondo_communicator* handle, const rondo_call& call) {
  rondo_work* work = nullptr;
  check(rondo_start(handle, &call, &work));
  check(rondo_work_wait(work));
  check(rondo_work_release(work));
}

/// Of one value.
rondo_call call_of(rondo_kind kind, const double& input, double& output) {
  rondo_call call = RONDO_CALL_INIT;
  call.kind = kind;
  call.type = RONDO_F64;
  call.input = &input;
  call.output = &output;
  call.input_count = call.output_count = 1;
  return call;
}

using Counts = std::vector<std::size_t>;
using Values = std::vector<double>;

/// What one rank gives to a call, as C has it.
struct Case {
  std::string name;
  rondo_kind kind = RONDO_BARRIER;
  std::size_t input = 0;
  std::size_t output = 0;
  Counts input_counts{};
  Counts output_counts{};
};

/// Of what a rank sends to each of the others: no two alike, and not the same both ways.
std::size_t sent(int from, int to) { return static_cast<std::size_t>(2 * from + to) % 5 + 1; }

std::vector<Case> cases_of(int rank) {
  const Counts counts{3, 1, 2};
  const std::size_t own = counts[static_cast<std::size_t>(rank)];
  Counts out, in;
  for (int peer = 0; peer < kRanks; ++peer) {
    out.push_back(sent(rank, peer));
    in.push_back(sent(peer, rank));
  }
  const auto sum = [](const Counts& list) {
    std::size_t all = 0;
    for (const std::size_t count : list) all += count;
    return all;
  };
  return {{"all_reduce", RONDO_ALL_REDUCE, 5, 5},
          {"all_gather", RONDO_ALL_GATHER, 2, 6},
          {"reduce_scatter", RONDO_REDUCE_SCATTER, 6, 2},
          {"broadcast", RONDO_BROADCAST, 4, 4},
          {"reduce", RONDO_REDUCE, 5, 5},
          {"gather", RONDO_GATHER, 2, 6},
          {"scatter", RONDO_SCATTER, 6, 2},
          {"all_to_all", RONDO_ALL_TO_ALL, 6, 6},
          {"barrier", RONDO_BARRIER},
          {"all_gather_v", RONDO_ALL_GATHER, own, 6, {}, counts},
          {"reduce_scatter_v", RONDO_REDUCE_SCATTER, 6, own, counts, {}},
          {"gather_v", RONDO_GATHER, own, 6, {}, counts},
          {"scatter_v", RONDO_SCATTER, 6, own, counts, {}},
          {"all_to_all_v", RONDO_ALL_TO_ALL, sum(out), sum(in), out, in}};
}

/// What lies in a rank's buffers when its call begins.
Values values(std::size_t count, int rank, int round) {
  Values list(count);
  for (std::size_t i = 0; i < count; ++i)
    list[i] = 0.1 * (rank + 1) + 1.7 * static_cast<double>(i) + 0.01 * round;
  return list;
}

Values by_cxx(Communicator& rank, const Case& given, int round, Values output) {
  Values input = values(given.input, rank.rank(), round);
  Call call{.collective = static_cast<Collective>(given.kind)};
  call.output = Buffer(output.data(), output.size());
  call.input = given.kind == RONDO_BROADCAST ? ConstBuffer(call.output)
                                             : ConstBuffer(input.data(), input.size());
  call.op = ReduceOp::kMax;
  call.root = kRoot;
  call.uneven = !given.input_counts.empty() || !given.output_counts.empty();
  call.input_counts = given.input_counts;
  call.output_counts = given.output_counts;
  rank.start(call).wait();
  return output;
}

/// One rank's C handle, and buffers that keep their places from call to call.
class CRank {
 public:
  explicit CRank(Communicator& rank) : rank_(rank.rank()) {
    check(rondo_create_by_all_gather(gather, &rank, rank_, kRanks, nullptr, &handle_));
  }
  ~CRank() { rondo_destroy(handle_); }
  CRank(const CRank&) = delete;
  CRank& operator=(const CRank&) = delete;

  enum class Way { kRun, kRunWithin, kStart, kStartAgain };

  Values run(const Case& given, Way way, int round, const Values& output) {
    input_ = values(given.input, rank_, round);
    output_ = output;
    rondo_call call = RONDO_CALL_INIT;
    call.kind = given.kind;
    call.type = RONDO_F64;
    call.op = RONDO_MAX;
    call.root = kRoot;
    call.input = input_.data();
    call.output = output_.data();
    call.input_count = input_.size();
    call.output_count = output_.size();
    call.input_counts = given.input_counts.empty() ? nullptr : given.input_counts.data();
    call.output_counts = given.output_counts.empty() ? nullptr : given.output_counts.data();
    if (way == Way::kRunWithin) call.timeout_ms = 60'000;
    if (way == Way::kRun || way == Way::kRunWithin) {
      check(rondo_run(handle_, &call));
    } else {
      start(handle_, call);
      if (way == Way::kStartAgain) start(handle_, call);
    }
    return output_;
  }

  void message(double& value, bool starts, int timeout_ms) {
    rondo_call call = call_of(rank_ == 0 ? RONDO_SEND : RONDO_RECEIVE, value, value);
    call.root = 1 - rank_;
    call.tag = kTag;
    call.timeout_ms = timeout_ms;
    starts ? start(handle_, call) : check(rondo_run(handle_, &call));
  }
  void barrier() { start(handle_, RONDO_CALL_INIT); }

 private:
  int rank_;
  rondo_communicator* handle_ = nullptr;
  Values input_, output_;
};

void expect_the_same(Communicator& rank, CRank& own, const Case& given, CRank::Way way, int round) {
  const Values output = values(given.output, rank.rank() + kRanks, round);
  const Values expected = by_cxx(rank, given, round, output);
  const Values got = own.run(given, way, round, output);
  EXPECT_EQ(got, expected) << given.name << ", rank " << rank.rank() << ", way "
                           << static_cast<int>(way) << ", round " << round;
  // Where a rank's output is the call's, it isn't what lay there.
  if (rank.rank() == kRoot && given.output > 0 && given.kind != RONDO_BROADCAST) {
    EXPECT_NE(got, output) << given.name;
  }
}

TEST(CValues, OfEveryKind_HaveTheBitsOfCxx) {
  spawn({.size = kRanks}, [](Communicator& rank) {
    CRank own(rank);
    for (const auto way :
         {CRank::Way::kRun, CRank::Way::kRunWithin, CRank::Way::kStart, CRank::Way::kStartAgain}) {
      for (int round = 0; round < 3; ++round) {
        for (const Case& given : cases_of(rank.rank()))
          expect_the_same(rank, own, given, way, round);
      }
    }
  });
}

/// Collectives follow in what messages were read into.
TEST(CValues, Messages_Arrive) {
  spawn({.size = kRanks}, [](Communicator& rank) {
    CRank own(rank);
    for (int round = 0; round < 6; ++round) {
      double value = rank.rank() == 0 ? 2.5 + round : 0;
      if (rank.rank() < 2) {
        own.message(value, round % 2 == 1, round % 3 == 2 ? 60'000 : 0);
        EXPECT_EQ(value, 2.5 + round);
      }
      own.barrier();
    }
  });
}

TEST(CValues, ChangedInOneField_AreReadAgain) {
  spawn({.size = 1}, [](Communicator& rank) {
    rondo_communicator* handle = nullptr;
    check(rondo_create_by_all_gather(gather, &rank, 0, 1, nullptr, &handle));
    double input = 1.25, other = 2.75, output = 0;
    rondo_call call = call_of(RONDO_ALL_REDUCE, input, output);
    const auto result = [&] {
      start(handle, call);
      return output;
    };
    EXPECT_EQ(result(), 1.25);
    input = 1.5;
    EXPECT_EQ(result(), 1.5);
    call.input = &other;
    EXPECT_EQ(result(), 2.75);
    call.op = RONDO_PREMULTIPLIED_SUM;
    call.factor = 2;
    EXPECT_EQ(result(), 5.5);
    call.factor = 4;
    EXPECT_EQ(result(), 11);
    call.type = RONDO_I64;
    rondo_work* work = nullptr;
    EXPECT_EQ(rondo_start(handle, &call, &work), RONDO_INVALID_ARGUMENT);
    call.type = RONDO_F64;
    EXPECT_EQ(result(), 11);
    check(rondo_destroy(handle));
  });
}

/// What a struct points to may have changed where the struct hasn't.
TEST(CValues, WithOtherCountsInTheSamePlace_AreReadAgain) {
  spawn({.size = 1}, [](Communicator& rank) {
    rondo_communicator* handle = nullptr;
    check(rondo_create_by_all_gather(gather, &rank, 0, 1, nullptr, &handle));
    double input = 1.25, output = 0;
    std::size_t count = 1;
    rondo_call call = call_of(RONDO_ALL_GATHER, input, output);
    call.output_counts = &count;
    start(handle, call);
    EXPECT_EQ(output, 1.25);
    count = 2;
    rondo_work* work = nullptr;
    EXPECT_EQ(rondo_start(handle, &call, &work), RONDO_INVALID_ARGUMENT);
    check(rondo_destroy(handle));
  });
}

/// The same struct on a communicator of another device says that its memory is that device's.
TEST(CValues, OnAnotherDevice_AreReadAgain) {
  spawn({.size = 1}, [](Communicator& rank) {
    rondo_config config = RONDO_CONFIG_INIT;
    config.device.kind = RONDO_DEVICE_EMULATED;
    rondo_communicator *host = nullptr, *device = nullptr;
    check(rondo_create_by_all_gather(gather, &rank, 0, 1, nullptr, &host));
    check(rondo_create_by_all_gather(gather, &rank, 0, 1, &config, &device));
    double value = 1.25;
    const rondo_call call = call_of(RONDO_ALL_REDUCE, value, value);
    start(host, call);
    rondo_work* work = nullptr;
    EXPECT_EQ(rondo_start(device, &call, &work), RONDO_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(rondo_last_error()->message, "emulated"), nullptr)
        << rondo_last_error()->message;
    check(rondo_destroy(device));
    check(rondo_destroy(host));
  });
}

}  // namespace
}  // namespace rondo::testing
