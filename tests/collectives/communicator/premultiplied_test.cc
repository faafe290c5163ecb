// Premultiplied sums: factors and inputs are such that every product and sum is exact in every type
// and order, so a factor that was left out, or applied twice, shows as another number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

double factor_of(int rank) { return std::ldexp(rank % 2 == 0 ? 1.0 : -1.0, rank % 4 - 1); }

template <typename T>
T element(int rank, std::size_t i) {
  return T(0.5F * static_cast<float>((i * 7 + static_cast<std::size_t>(rank) * 3) % 9));
}

template <typename T>
std::vector<T> inputs(int rank, std::size_t count) {
  std::vector<T> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(element<T>(rank, i));
  return list;
}

template <typename T>
std::vector<T> sums(int world, std::size_t first, std::size_t count) {
  std::vector<T> list;
  for (std::size_t i = first; i < first + count; ++i) {
    double sum = 0;
    for (int rank = 0; rank < world; ++rank) {
      sum += factor_of(rank) * static_cast<double>(+element<T>(rank, i));
    }
    list.push_back(T(static_cast<float>(sum)));
  }
  return list;
}

struct Shape {
  std::size_t count = 0;
  bool in_place = false;
  bool registered = false;
};

template <typename T>
void all_reduce_once(Communicator& rank, const Shape& s) {
  Memory<T> input(rank.device(), s.count, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  const auto mine = inputs<T>(rank.rank(), s.count);
  input.write(0, mine);
  Memory<T>& target = s.in_place ? input : output;
  rank.all_reduce(input.buffer(0, s.count), target.buffer(0, s.count),
                  Reduction::premultiplied_sum(factor_of(rank.rank())));
  EXPECT_TRUE(target.read(0, s.count) == sums<T>(rank.size(), 0, s.count)) << s.count;
  if (!s.in_place) {
    EXPECT_TRUE(input.read(0, s.count) == mine) << "input was written to";
  }
}

template <typename T>
void reduce_scatter_once(Communicator& rank, const Shape& s) {
  const std::size_t total = s.count * static_cast<std::size_t>(rank.size());
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  Memory<T> input(rank.device(), total, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  input.write(0, inputs<T>(rank.rank(), total));
  const Buffer target = s.in_place ? input.buffer(first, s.count) : output.buffer(0, s.count);
  rank.reduce_scatter(input.buffer(0, total), target,
                      Reduction::premultiplied_sum(factor_of(rank.rank())));
  const auto result = s.in_place ? input.read(first, s.count) : output.read(0, s.count);
  EXPECT_TRUE(result == sums<T>(rank.size(), first, s.count)) << s.count;
}

template <typename T>
void reduce_once(Communicator& rank, const Shape& s) {
  const int root = static_cast<int>(s.count + 1) % rank.size();
  Memory<T> input(rank.device(), s.count, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  const auto mine = inputs<T>(rank.rank(), s.count);
  input.write(0, mine);
  Memory<T>& target = s.in_place ? input : output;
  rank.reduce(input.buffer(0, s.count), target.buffer(0, s.count), root,
              Reduction::premultiplied_sum(factor_of(rank.rank())));
  if (rank.rank() == root) {
    EXPECT_TRUE(target.read(0, s.count) == sums<T>(rank.size(), 0, s.count)) << s.count;
  } else {
    EXPECT_TRUE(input.read(0, s.count) == mine) << "input was written to";
  }
}

template <typename T>
void every_shape(Communicator& rank) {
  for (const std::size_t count : {0U, 1U, 7U, 100'003U, 640U}) {
    for (const bool in_place : {false, true}) {
      const Shape shape{.count = count, .in_place = in_place, .registered = count % 2 == 0};
      all_reduce_once<T>(rank, shape);
      reduce_scatter_once<T>(rank, shape);
      reduce_once<T>(rank, shape);
    }
  }
}

struct Case {
  std::string transport;
  std::string algorithm;
  int world = 1;
  Device device = Device::host();
};

class PremultipliedSum : public ::testing::TestWithParam<Case> {};

TEST_P(PremultipliedSum, EveryTypeInPlaceAndNot_HasEachFactorOnce) {
  const Case& c = GetParam();
  const World places{
      .size = c.world, .transport = c.transport, .algorithm = c.algorithm, .device = c.device};
  spawn(places, [](Communicator& rank) {
    every_shape<float>(rank);
    every_shape<double>(rank);
    every_shape<kernels::Half>(rank);
    every_shape<kernels::Bfloat>(rank);
  });
}

std::vector<Case> cases() {
  std::vector<Case> list = {{"inproc", "auto", 1},
                            {"inproc", "auto", 1, Device::emulated(0)},
                            {"shm", "auto", 3, Device::emulated(0)}};
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const char* algorithm : {"ring", "direct", "one_shot", "recursive_doubling",
                                  "halving_doubling", "bidirectional_ring", "double_binary_tree",
                                  "hierarchical", "neighbour_ring", "pat", "tree", "linear"}) {
      list.push_back({transport, algorithm, 3});
    }
    list.push_back({transport, "auto", 2});
    list.push_back({transport, "auto", 5});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Worlds, PremultipliedSum, ::testing::ValuesIn(cases()),
                         [](const auto& parameter) {
                           const Case& c = parameter.param;
                           return std::string(to_string(c.device.kind)) + "_" + c.transport + "_" +
                                  c.algorithm + "_" + std::to_string(c.world);
                         });

TEST(PremultipliedSums, FactorsThatRound_GiveEveryRankTheSameBits) {
  std::vector<std::vector<float>> results(3);
  spawn({.size = 3, .transport = "shm", .algorithm = "recursive_doubling"},
        [&](Communicator& rank) {
          std::vector<float> data(1000);
          for (std::size_t i = 0; i < data.size(); ++i) {
            data[i] = 0.1F * static_cast<float>(i % 91) + static_cast<float>(rank.rank());
          }
          rank.all_reduce({data.data(), data.size()},
                          Reduction::premultiplied_sum(1.0 / (3 + rank.rank())));
          results[static_cast<std::size_t>(rank.rank())] = data;
        });
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(PremultipliedSums, StartedAndPreparedCalls_KeepTheirOwnFactor) {
  spawn({.size = 3, .transport = "shm"}, [](Communicator& rank) {
    std::vector<std::vector<float>> data(40);
    std::vector<Work> works;
    for (std::size_t call = 0; call < data.size(); ++call) {
      data[call].assign(10 + 100 * call, 1.F);
      const double factor = static_cast<double>(call) + rank.rank();
      works.push_back(rank.start(Call::all_reduce({data[call].data(), data[call].size()},
                                                  Reduction::premultiplied_sum(factor))));
    }
    wait_all(works);
    for (std::size_t call = 0; call < data.size(); ++call) {
      EXPECT_THAT(data[call], ::testing::Each(3 * static_cast<float>(call) + 3));
    }
    std::vector<double> again(100, 1.0);
    Prepared twice = rank.prepare(
        Call::all_reduce({again.data(), again.size()}, Reduction::premultiplied_sum(0.5)));
    twice.run();
    twice.start().wait();
    EXPECT_THAT(again, ::testing::Each(1.5 * 1.5));
  });
}

TEST(PremultipliedSums, ReduceScatterOfUnevenParts_HasEachFactorOnce) {
  spawn({.size = 3, .transport = "tcp"}, [](Communicator& rank) {
    const std::vector<std::size_t> counts = {5, 0, 1000};
    const std::size_t own = counts[static_cast<std::size_t>(rank.rank())];
    std::vector<float> input(1005, 1.F), output(own);
    rank.reduce_scatter_v({input.data(), input.size()}, {output.data(), own}, counts,
                          Reduction::premultiplied_sum(rank.rank() + 1));
    EXPECT_THAT(output, ::testing::Each(6.F));
  });
}

TEST(PremultipliedSums, Integers_AreRefusedBeforeAnythingIsSent) {
  spawn({.size = 2, .transport = "inproc"}, [](Communicator& rank) {
    int one = 1;
    try {
      rank.all_reduce({&one, 1}, Reduction::premultiplied_sum(2));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.what(), HasSubstr("a premultiplied sum is of floats"));
      EXPECT_THAT(error.what(), HasSubstr("i32"));
    }
    rank.all_reduce({&one, 1});
    EXPECT_EQ(one, 2);
  });
}

TEST(PremultipliedSums, APeerThatSums_IsAMismatchThatNamesBoth) {
  auto ranks = make_world({.size = 2, .transport = "shm", .timeout_ms = 20'000});
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    std::vector<float> data(64, 1.F);
    const Reduction how =
        rank.rank() == 0 ? Reduction::premultiplied_sum(1) : Reduction(ReduceOp::kSum);
    rank.all_reduce({data.data(), data.size()}, how);
  });
  EXPECT_THAT(errors, ::testing::Contains(::testing::AllOf(HasSubstr("f32, premultiplied sum)"),
                                                           HasSubstr("f32, sum)"))));
}

}  // namespace
}  // namespace rondo::testing
