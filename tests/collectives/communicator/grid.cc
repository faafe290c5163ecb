#include "tests/collectives/communicator/grid.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "core/dtype.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/rooted.h"
#include "tests/collectives/communicator/values.h"
#include "tests/test_share.h"

namespace rondo::testing {
namespace {

/// Worlds take turns: an even number of ranks has the first integer of each size, with a sign or
/// without, an odd one the other.
constexpr DataType kTypes[2][7] = {{DataType::kF32, DataType::kF64, DataType::kU32, DataType::kI64,
                                    DataType::kF16, DataType::kBF16, DataType::kU8},
                                   {DataType::kF32, DataType::kF64, DataType::kI32, DataType::kU64,
                                    DataType::kF16, DataType::kBF16, DataType::kI8}};
constexpr DataType kIntegers[2][3] = {{DataType::kU32, DataType::kI64, DataType::kU8},
                                      {DataType::kI32, DataType::kU64, DataType::kI8}};
constexpr ReduceOp kArithmetic[] = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kMax,
                                    ReduceOp::kAvg};
constexpr ReduceOp kBitwise[] = {ReduceOp::kBitAnd, ReduceOp::kBitOr, ReduceOp::kBitXor};
constexpr std::size_t kLargeCount = 100'000;

std::vector<std::size_t> counts_for(int world) {
  const auto n = static_cast<std::size_t>(world);
  return {0, 1, n - 1, n, n + 1, 1009, 1'000'003};
}

/// What a failure says of the setting.
std::string text_of(const Communicator& rank, const Setting& s) {
  return "rank " + std::to_string(rank.rank()) + " of " + std::to_string(s.world) + ", count " +
         std::to_string(s.count) + " " + to_string(s.dtype) + " " + to_string(s.op);
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::string all_reduce_once(Communicator& rank, const Setting& s) {
  const auto world = static_cast<std::size_t>(s.world);
  const auto own = static_cast<std::size_t>(rank.rank());
  Memory<T> input(rank.device(), s.count, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  input.write(0, mine);
  Memory<T>& target = s.in_place ? input : output;
  rank.all_reduce(input.buffer(0, s.count), target.buffer(0, s.count), s.op);
  if (!s.in_place) {
    EXPECT_TRUE(input.read(0, s.count) == mine) << "input was written to";
  }
  const auto result = target.read(0, s.count);
  // Of a large result each rank looks at its share: the grids compare all ranks' bytes.
  const std::size_t first = s.count > kLargeCount ? s.count / world * own : 0;
  const std::size_t last =
      s.count > kLargeCount && own + 1 < world ? first + s.count / world : s.count;
  EXPECT_EQ(first_wrong(result.data() + first, last - first, s.world, s.op, first), -1)
      << text_of(rank, s);
  return bytes_of(result);
}

template <typename T>
void reduce_scatter_once(Communicator& rank, const Setting& s) {
  const std::size_t total = s.count * static_cast<std::size_t>(s.world);
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  Memory<T> input(rank.device(), total, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  input.write(0, values<T>(rank.rank(), total, s.op));
  const Buffer target = s.in_place ? input.buffer(first, s.count) : output.buffer(0, s.count);
  rank.reduce_scatter(input.buffer(0, total), target, s.op);
  const auto result = s.in_place ? input.read(first, s.count) : output.read(0, s.count);
  EXPECT_EQ(first_wrong(result.data(), s.count, s.world, s.op, first), -1) << text_of(rank, s);
}

template <typename T>
void all_gather_once(Communicator& rank, const Setting& s) {
  const auto n = static_cast<std::size_t>(s.world);
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  Memory<T> input(rank.device(), s.count, s.registered);
  Memory<T> output(rank.device(), s.count * n, s.registered);
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  s.in_place ? output.write(first, mine) : input.write(0, mine);
  const Buffer from = s.in_place ? output.buffer(first, s.count) : input.buffer(0, s.count);
  rank.all_gather(from, output.buffer(0, s.count * n));
  for (std::size_t peer = 0; peer < n; ++peer) {
    EXPECT_TRUE(output.read(peer * s.count, s.count) ==
                values<T>(static_cast<int>(peer), s.count, s.op))
        << "part " << peer << " at " << text_of(rank, s);
  }
}

template <typename T>
void broadcast_once(Communicator& rank, const Setting& s) {
  Memory<T> data(rank.device(), s.count, s.registered);
  const int root = static_cast<int>(s.count) % s.world;
  data.write(0, values<T>(rank.rank(), s.count, s.op));
  rank.broadcast(data.buffer(0, s.count), root);
  EXPECT_TRUE(data.read(0, s.count) == values<T>(root, s.count, s.op))
      << "root " << root << ", " << text_of(rank, s);
}

template <typename T>
std::string all_once(Communicator& rank, const Setting& s) {
  std::string sums = all_reduce_once<T>(rank, s);
  Setting part = s;
  if (s.count > kLargeCount) part.count /= static_cast<std::size_t>(s.world);
  reduce_scatter_once<T>(rank, part);
  all_gather_once<T>(rank, part);
  broadcast_once<T>(rank, s);
  rooted_once<T>(rank, part, text_of(rank, part));
  return sums;
}

/// What elements are, and what is done to them.
struct Combination {
  DataType dtype = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
};

std::vector<Combination> all_combinations() {
  std::vector<Combination> list;
  for (int type = 0; type <= static_cast<int>(DataType::kF64); ++type) {
    const auto dtype = static_cast<DataType>(type);
    for (const ReduceOp op : kArithmetic) list.push_back({dtype, op});
    if (!is_integer(dtype)) continue;
    for (const ReduceOp op : kBitwise) list.push_back({dtype, op});
  }
  return list;
}

/// One row of two squares: over the rows each of this world's types meets each op that it has, and
/// in each row all of them and all ops occur.
std::vector<Combination> row_of_combinations(int world, std::size_t row) {
  std::vector<Combination> list;
  const std::size_t turn = static_cast<std::size_t>(world);
  const auto& types = kTypes[turn % 2];
  const auto& integers = kIntegers[turn % 2];
  for (std::size_t column = 0; column < std::size(types); ++column) {
    list.push_back({types[(column + turn) % std::size(types)],
                    kArithmetic[(row + column) % std::size(kArithmetic)]});
  }
  for (std::size_t column = 0; column < std::size(integers); ++column) {
    list.push_back({integers[column], kBitwise[(row + column) % std::size(kBitwise)]});
  }
  return list;
}

/// `call` with a value of the C++ type of `dtype`'s elements.
template <typename Call>
std::string with_element(DataType dtype, const Call& call) {
  switch (dtype) {
    case DataType::kF32: return call(float{});
    case DataType::kF64: return call(double{});
    case DataType::kF16: return call(kernels::Half{});
    case DataType::kBF16: return call(kernels::Bfloat{});
    case DataType::kI8: return call(std::int8_t{});
    case DataType::kU8: return call(std::uint8_t{});
    case DataType::kI32: return call(std::int32_t{});
    case DataType::kU32: return call(std::uint32_t{});
    case DataType::kI64: return call(std::int64_t{});
    case DataType::kU64: return call(std::uint64_t{});
  }
  return "unknown type";
}

}  // namespace

std::vector<Setting> settings_for(int world) {
  const bool all = std::getenv("RONDO_TEST_ALL") != nullptr;
  const TestShare share = TestShare::wanted();
  std::vector<Setting> list;
  const auto counts = counts_for(world);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const auto combinations = all ? all_combinations() : row_of_combinations(world, row);
    for (std::size_t column = 0; column < combinations.size(); ++column) {
      // The large count is the slow one: one column of it is enough to see every transport's
      // segments and windows, another for each world.
      const bool large = counts[row] > kLargeCount;
      if (!all && large && column != static_cast<std::size_t>(world) % 7) continue;
      if (!large && !share.has(row + column + static_cast<std::size_t>(world))) continue;
      Setting& setting = list.emplace_back(Setting{.world = world, .count = counts[row]});
      setting.dtype = combinations[column].dtype;
      setting.op = combinations[column].op;
      setting.in_place = (row + 2 * column) % 3 != 0;
      setting.registered = (2 * row + column) % 2 == 0;
    }
  }
  return list;
}

std::string every_collective(Communicator& rank, const Setting& setting) {
  return with_element(setting.dtype,
                      [&](auto element) { return all_once<decltype(element)>(rank, setting); });
}

std::string all_reduce_again(Communicator& rank, const Setting& setting) {
  return with_element(setting.dtype, [&](auto element) {
    return all_reduce_once<decltype(element)>(rank, setting);
  });
}

}  // namespace rondo::testing
