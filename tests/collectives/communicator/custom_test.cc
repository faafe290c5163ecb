// Reductions by functions of the program: of every element type, commuting or not, and what they
// throw. The function that doesn't commute composes affine maps: an element is (a, b), half of its
// bits each, and stands for x -> a x + b; it tells any two orders and any missing rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr DataType kTypes[] = {DataType::kI8,  DataType::kU8,  DataType::kI32, DataType::kU32,
                               DataType::kI64, DataType::kU64, DataType::kF16, DataType::kBF16,
                               DataType::kF32, DataType::kF64};

/// The map of `left` after that of `right`, of elements of so many bits.
std::uint64_t composed(std::uint64_t left, std::uint64_t right, std::size_t bits) {
  const std::size_t half = bits / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const std::uint64_t a = (left & mask) * (right & mask);
  const std::uint64_t b = (left & mask) * (right >> half & mask) + (left >> half & mask);
  return (a & mask) | (b & mask) << half;
}

void compose(void* left, const void* right, std::size_t count, DataType dtype, void*) {
  const std::size_t bytes = size_of(dtype);
  auto* sum = static_cast<std::byte*>(left);
  const auto* next = static_cast<const std::byte*>(right);
  for (std::size_t i = 0; i < count * bytes; i += bytes) {
    std::uint64_t l = 0, r = 0;
    std::memcpy(&l, sum + i, bytes);
    std::memcpy(&r, next + i, bytes);
    const std::uint64_t both = composed(l, r, 8 * bytes);
    std::memcpy(sum + i, &both, bytes);
  }
}

const Reduction kCompose = Reduction::custom({.function = compose});

/// Odd factors, so that no product of maps forgets where it came from.
std::uint64_t map_of(int rank, std::size_t index) {
  return mix(index * 977 + static_cast<std::uint64_t>(rank) + 3) | 1;
}

/// Elements of any type, as bytes.
class Maps {
 public:
  Maps(DataType dtype, std::size_t count)
      : dtype_(dtype), count_(count), memory_(std::max<std::size_t>(1, count * size_of(dtype))) {}
  void set(std::size_t index, std::uint64_t value) {
    std::memcpy(at(index), &value, size_of(dtype_));
  }
  std::uint64_t get(std::size_t index) {
    std::uint64_t value = 0;
    std::memcpy(&value, at(index), size_of(dtype_));
    return value;
  }
  Buffer buffer() { return {memory_.data(), count_, dtype_}; }
  Buffer part(std::size_t first, std::size_t count) { return {at(first), count, dtype_}; }
  void fill(int rank) {
    for (std::size_t i = 0; i < count_; ++i) set(i, map_of(rank, i));
  }

 private:
  std::byte* at(std::size_t i) {
    return static_cast<std::byte*>(memory_.data()) + i * size_of(dtype_);
  }
  DataType dtype_;
  std::size_t count_;
  RegisteredMemory memory_;
};

/// Of all ranks' maps at `index`, in rank order.
std::uint64_t whole(DataType dtype, int world, std::size_t index) {
  const std::size_t bits = 8 * size_of(dtype);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::uint64_t sum = map_of(0, index) & mask;
  for (int rank = 1; rank < world; ++rank) sum = composed(sum, map_of(rank, index) & mask, bits);
  return sum;
}

void expect_maps(Maps& maps, DataType dtype, int world, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(maps.get(i), whole(dtype, world, first + i)) << to_string(dtype) << " " << first + i;
  }
}

void compose_once(Communicator& rank, DataType dtype, std::size_t count) {
  const auto world = static_cast<std::size_t>(rank.size());
  const auto own = static_cast<std::size_t>(rank.rank());
  Maps data(dtype, count), output(dtype, count), input(dtype, count * world);
  data.fill(rank.rank());
  rank.all_reduce(data.buffer(), output.buffer(), kCompose);
  expect_maps(output, dtype, rank.size(), 0, count);
  const int root = static_cast<int>(count) % rank.size();
  rank.reduce(data.buffer(), data.buffer(), root, kCompose);
  if (rank.rank() == root) expect_maps(data, dtype, rank.size(), 0, count);
  data.fill(rank.rank());
  rank.all_reduce(data.buffer(), kCompose);
  expect_maps(data, dtype, rank.size(), 0, count);
  input.fill(rank.rank());
  rank.reduce_scatter(input.buffer(), output.buffer(), kCompose);
  expect_maps(output, dtype, rank.size(), own * count, count);
  rank.reduce_scatter(input.buffer(), input.part(own * count, count), kCompose);
  Maps part(dtype, count);
  if (count > 0) {
    std::memcpy(part.buffer().pointer, input.part(own * count, count).pointer,
                count * size_of(dtype));
  }
  expect_maps(part, dtype, rank.size(), own * count, count);
}

struct Case {
  std::string transport;
  std::string algorithm;
  int world = 1;
};

class Custom : public ::testing::TestWithParam<Case> {
 protected:
  World world() const {
    const Case& c = GetParam();
    return {.size = c.world, .transport = c.transport, .algorithm = c.algorithm};
  }
};

TEST_P(Custom, FunctionThatDoesNotCommute_CombinesInRankOrderWhateverIsForced) {
  spawn(world(), [](Communicator& rank) {
    for (const DataType dtype : kTypes) {
      for (const std::size_t count : {0U, 1U, 1000U}) compose_once(rank, dtype, count);
    }
    compose_once(rank, DataType::kBF16, 100'003);
    EXPECT_THAT(std::string(rank.last_call().algorithm),
                AnyOf("direct", "one_shot", "linear", "identity"));
  });
}

void add_floats(void* left, const void* right, std::size_t count, DataType, void* context) {
  auto* sum = static_cast<float*>(left);
  const auto* next = static_cast<const float*>(right);
  for (std::size_t i = 0; i < count; ++i) sum[i] += next[i];
  static_cast<std::atomic<int>*>(context)->fetch_add(1);
}

TEST_P(Custom, FunctionThatCommutes_TakesAnyAlgorithmAndHasTheBitsOfTheBuiltInOp) {
  std::atomic<int> calls = 0;
  spawn(world(), [&calls](Communicator& rank) {
    const Reduction add =
        Reduction::custom({.function = add_floats, .context = &calls, .commutative = true});
    for (const std::size_t count : {1U, 10'000U}) {
      auto mine = values<float>(rank.rank(), count, ReduceOp::kSum);
      auto sums = mine;
      rank.all_reduce({sums.data(), count});
      const std::string algorithm(rank.last_call().algorithm);
      rank.all_reduce({mine.data(), count}, add);
      EXPECT_EQ(rank.last_call().algorithm, algorithm);
      EXPECT_EQ(mine, sums) << count;
    }
  });
  EXPECT_TRUE(calls > 0 || world().size == 1);
}

std::vector<Case> cases() {
  std::vector<Case> list = {{"inproc", "auto", 1}};
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const char* algorithm : {"auto", "ring", "direct", "one_shot", "recursive_doubling",
                                  "halving_doubling", "bidirectional_ring", "double_binary_tree",
                                  "hierarchical", "neighbour_ring", "pat", "tree", "linear"}) {
      list.push_back({transport, algorithm, 3});
    }
    list.push_back({transport, "auto", 2});
    list.push_back({transport, "ring", 5});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Worlds, Custom, ::testing::ValuesIn(cases()), [](const auto& parameter) {
  const Case& c = parameter.param;
  return c.transport + "_" + c.algorithm + "_" + std::to_string(c.world);
});

/// Throws once it has been called as often as its context says.
void fail_later(void*, const void*, std::size_t, DataType, void* context) {
  if (--*static_cast<int*>(context) < 0) throw std::runtime_error("the 8th element is odd");
}

/// Of a collective that combines on rank 1, whatever the algorithm.
Call call_of(Collective collective, const Communicator& rank, std::vector<float>& data,
             const Reduction& how) {
  const std::size_t part_count = data.size() / static_cast<std::size_t>(rank.size());
  const Buffer whole(data.data(), data.size());
  const Buffer part(data.data() + part_count * static_cast<std::size_t>(rank.rank()), part_count);
  if (collective == Collective::kReduce) return Call::reduce(whole, whole, 1, how);
  if (collective == Collective::kReduceScatter) return Call::reduce_scatter(whole, part, how);
  return Call::all_reduce(whole, how);
}

void make_now(Communicator& rank, const Call& call) {
  switch (call.collective) {
    case Collective::kReduce: return rank.reduce(call.input, call.output, call.root, call.op);
    case Collective::kReduceScatter: return rank.reduce_scatter(call.input, call.output, call.op);
    default: return rank.all_reduce(call.output, call.op);
  }
}

struct ThrowingCase {
  Collective collective;
  Case world;
};

class Throwing : public ::testing::TestWithParam<ThrowingCase> {};

/// By a function that throws on rank 1.
void reduce_until_it_throws(Communicator& rank, std::size_t count, bool started) {
  const auto& [collective, world] = Throwing::GetParam();
  std::vector<float> data(count, 1.F);
  int most_calls = rank.rank() == 1 ? 2 : 1'000'000'000;
  const Reduction how = Reduction::custom(
      {.function = fail_later, .context = &most_calls, .commutative = world.algorithm == "ring"});
  const Call reduction = call_of(collective, rank, data, how);
  for (int call = 0; call < 100; ++call) {
    started ? rank.start(reduction).wait() : make_now(rank, reduction);
  }
  rank.barrier();  // who only sends has perhaps heard nothing yet
}

TEST_P(Throwing, OnOneRank_EveryRankFailsWithItsTextAndItsName) {
  const Case& c = GetParam().world;
  for (const bool started : {false, true}) {
    for (const std::size_t count : {3U, 300'000U}) {
      auto ranks = make_world({.size = c.world,
                               .transport = c.transport,
                               .algorithm = c.algorithm,
                               .timeout_ms = 20'000});
      std::vector<int> culprits(ranks.size(), -2);
      const auto errors = run_ranks(ranks, [&](Communicator& rank) {
        try {
          reduce_until_it_throws(rank, count, started);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::kCancelled);
          culprits[static_cast<std::size_t>(rank.rank())] = error.culprit();
          throw;
        }
      });
      EXPECT_THAT(errors, Each(HasSubstr("the custom reduction threw: the 8th element is odd")));
      EXPECT_THAT(culprits, Each(1));
      for (const std::size_t rank : {0U, 2U}) {
        EXPECT_THAT(errors[rank], HasSubstr("rank 1 gave up"));
      }
    }
  }
}

std::vector<ThrowingCase> throwing_cases() {
  std::vector<ThrowingCase> list;
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduce, Collective::kReduceScatter}) {
    for (const char* transport : {"inproc", "shm", "tcp"}) {
      for (const char* algorithm : {"auto", "direct", "ring"})
        list.push_back({collective, {transport, algorithm, 3}});
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Worlds, Throwing, ::testing::ValuesIn(throwing_cases()),
                         [](const auto& parameter) {
                           const ThrowingCase& c = parameter.param;
                           return std::string(to_string(c.collective)) + "_" + c.world.transport +
                                  "_" + c.world.algorithm;
                         });

void call_back(void*, const void*, std::size_t, DataType, void* context) {
  static_cast<Communicator*>(context)->barrier();
}

TEST(CustomFunctions, OneThatUsesItsCommunicator_IsRefusedNotStuck) {
  for (const bool started : {false, true}) {
    auto ranks = make_world({.size = 2, .transport = "shm", .timeout_ms = 20'000});
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      std::vector<float> data(100, 1.F);
      const Call call = Call::all_reduce(
          {data.data(), data.size()}, Reduction::custom({.function = call_back, .context = &rank}));
      started ? rank.start(call).wait() : rank.prepare(call).run();
    });
    EXPECT_THAT(errors, Each(HasSubstr("nor can a custom reduction")));
  }
}

TEST(CustomFunctions, None_IsRefusedBeforeAnythingIsSent) {
  spawn({.size = 2}, [](Communicator& rank) {
    float one = 1;
    EXPECT_THROW(rank.all_reduce({&one, 1}, Reduction::custom({})), Error);
    rank.all_reduce({&one, 1});
    EXPECT_EQ(one, 2);
  });
}

TEST(CustomFunctions, APeerThatSumsOrSaysOtherwise_IsAMismatchThatNamesBoth) {
  const Reduction ordered = Reduction::custom({.function = compose});
  const Reduction commuting = Reduction::custom({.function = compose, .commutative = true});
  for (const Reduction& other : {Reduction(ReduceOp::kSum), commuting}) {
    auto ranks = make_world({.size = 2, .transport = "shm", .timeout_ms = 20'000});
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      std::vector<float> data(64, 1.F);
      rank.all_reduce({data.data(), data.size()}, rank.rank() == 0 ? ordered : other);
    });
    const char* theirs =
        other.kind() == Reduction::Kind::kCustom ? "custom function that commutes" : "f32, sum)";
    EXPECT_THAT(errors, ::testing::Contains(::testing::AllOf(
                            HasSubstr("custom function in rank order"), HasSubstr(theirs))));
  }
}

TEST(CustomFunctions, TwoCallsOfOneShape_KeepTheirOwnFunctions) {
  spawn({.size = 3, .transport = "inproc"}, [](Communicator& rank) {
    const auto keep_left = [](void*, const void*, std::size_t, DataType, void*) {};
    const auto keep_right = [](void* left, const void* right, std::size_t count, DataType type,
                               void*) { std::memcpy(left, right, count * size_of(type)); };
    std::vector<float> first(500, static_cast<float>(rank.rank())), last(first);
    std::vector<Work> works;
    works.push_back(rank.start(
        Call::all_reduce({first.data(), 500}, Reduction::custom({.function = keep_left}))));
    works.push_back(rank.start(
        Call::all_reduce({last.data(), 500}, Reduction::custom({.function = keep_right}))));
    wait_all(works);
    EXPECT_THAT(first, Each(0.F));
    EXPECT_THAT(last, Each(2.F));
  });
}

}  // namespace
}  // namespace rondo::testing
