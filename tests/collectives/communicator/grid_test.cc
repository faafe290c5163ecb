// Every collective over every transport: worlds 1..9, counts around the world's size, types and
// ops, in place and out of place, on a pairwise grid (each pair of settings of any two axes occurs;
// the full product is `scripts/test --all`).

#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

struct Setting {
  int world = 1;
  std::string transport;
  std::size_t count = 0;
  DataType dtype = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
  bool in_place = true;
  bool registered = true;
};

std::vector<std::size_t> counts_for(int world) {
  const auto n = static_cast<std::size_t>(world);
  return {0, 1, n - 1, n, n + 1, 1009, 1'000'003};
}

constexpr DataType kTypes[] = {DataType::kF32, DataType::kF64, DataType::kI32, DataType::kI64};
constexpr ReduceOp kOps[] = {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMin, ReduceOp::kMax,
                             ReduceOp::kAvg};

/// Orthogonal columns over (count, type, op, buffers): of any two, each pair of settings occurs
/// within 7 * 7 rows.
std::vector<Setting> settings_for(int world, const std::string& transport) {
  const bool all = std::getenv("RONDO_TEST_ALL") != nullptr;
  std::vector<Setting> list;
  const auto counts = counts_for(world);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    for (std::size_t column = 0; column < (all ? 20U : 7U); ++column) {
      Setting setting{.world = world, .transport = transport, .count = counts[row]};
      const std::size_t type = all ? column % 4 : (column + static_cast<std::size_t>(world)) % 4;
      const std::size_t op = all ? column / 4 : (row + column) % 5;
      setting.dtype = kTypes[type];
      setting.op = kOps[op];
      setting.in_place = (row + 2 * column) % 3 != 0;
      setting.registered = (2 * row + column) % 2 == 0;
      // The large count is the slow one: two columns of it are enough to see every transport's
      // segments and windows.
      if (!all && setting.count > 100'000 && column >= 2) continue;
      list.push_back(setting);
    }
  }
  return list;
}

/// Memory of one rank, registered or from the heap.
template <typename T>
class Elements {
 public:
  Elements(std::size_t count, bool registered) {
    if (registered) {
      registered_ = std::make_unique<RegisteredMemory>(std::max<std::size_t>(1, count * sizeof(T)));
      data_ = static_cast<T*>(registered_->data());
    } else {
      heap_.resize(std::max<std::size_t>(1, count));
      data_ = heap_.data();
    }
  }
  T* data() { return data_; }
  Buffer buffer(std::size_t offset, std::size_t count) {
    return {data_ + offset, count, data_type_of<T>(), Device::host()};
  }

 private:
  std::unique_ptr<RegisteredMemory> registered_;
  std::vector<T> heap_;
  T* data_ = nullptr;
};

/// All ranks' results, to be compared bit by bit.
class Results {
 public:
  explicit Results(int world) : bytes_(static_cast<std::size_t>(world)) {}
  template <typename T>
  void keep(int rank, const T* data, std::size_t count) {
    const auto* bytes = reinterpret_cast<const char*>(data);
    bytes_[static_cast<std::size_t>(rank)].assign(bytes, bytes + count * sizeof(T));
  }
  bool all_equal() const {
    return std::all_of(bytes_.begin(), bytes_.end(),
                       [this](const auto& bytes) { return bytes == bytes_.front(); });
  }
  const std::vector<std::string>& bytes() const { return bytes_; }

 private:
  std::vector<std::string> bytes_;
};

template <typename T>
void all_reduce_once(Communicator& rank, const Setting& s, Results& results) {
  Elements<T> input(s.count, s.registered);
  Elements<T> output(s.count, s.registered);
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  std::copy(mine.begin(), mine.end(), input.data());
  T* result = s.in_place ? input.data() : output.data();
  if (s.in_place) {
    rank.all_reduce(input.buffer(0, s.count), s.op);
  } else {
    rank.all_reduce(input.buffer(0, s.count), output.buffer(0, s.count), s.op);
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), input.data())) << "input was written to";
  }
  EXPECT_EQ(first_wrong(result, s.count, s.world, s.op), -1)
      << "count " << s.count << " " << to_string(s.dtype) << " " << to_string(s.op);
  results.keep(rank.rank(), result, s.count);
}

template <typename T>
void reduce_scatter_once(Communicator& rank, const Setting& s) {
  const std::size_t total = s.count * static_cast<std::size_t>(s.world);
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  Elements<T> input(total, s.registered);
  Elements<T> output(s.count, s.registered);
  const auto mine = values<T>(rank.rank(), total, s.op);
  std::copy(mine.begin(), mine.end(), input.data());
  const Buffer target = s.in_place ? input.buffer(first, s.count) : output.buffer(0, s.count);
  rank.reduce_scatter(input.buffer(0, total), target, s.op);
  EXPECT_EQ(first_wrong(static_cast<T*>(target.pointer), s.count, s.world, s.op, first), -1)
      << "count " << s.count << " " << to_string(s.dtype) << " " << to_string(s.op);
}

template <typename T>
void all_gather_once(Communicator& rank, const Setting& s) {
  const auto n = static_cast<std::size_t>(s.world);
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  Elements<T> input(s.count, s.registered);
  Elements<T> output(s.count * n, s.registered);
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  T* source = s.in_place ? output.data() + first : input.data();
  std::copy(mine.begin(), mine.end(), source);
  const Buffer from = s.in_place ? output.buffer(first, s.count) : input.buffer(0, s.count);
  rank.all_gather(from, output.buffer(0, s.count * n));
  for (std::size_t peer = 0; peer < n; ++peer) {
    const auto want = values<T>(static_cast<int>(peer), s.count, s.op);
    EXPECT_TRUE(std::equal(want.begin(), want.end(), output.data() + peer * s.count))
        << "part " << peer << " at rank " << rank.rank() << ", count " << s.count;
  }
}

template <typename T>
void broadcast_once(Communicator& rank, const Setting& s) {
  Elements<T> data(s.count, s.registered);
  const int root = static_cast<int>(s.count) % s.world;
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  std::copy(mine.begin(), mine.end(), data.data());
  rank.broadcast(data.buffer(0, s.count), root);
  const auto want = values<T>(root, s.count, s.op);
  EXPECT_TRUE(std::equal(want.begin(), want.end(), data.data()))
      << "rank " << rank.rank() << ", root " << root << ", count " << s.count;
}

template <typename T>
void every_collective(Communicator& rank, const Setting& s, Results& results) {
  all_reduce_once<T>(rank, s, results);
  const bool large = s.count > 100'000;
  Setting part = s;
  if (large) part.count /= static_cast<std::size_t>(s.world);
  reduce_scatter_once<T>(rank, part);
  all_gather_once<T>(rank, part);
  broadcast_once<T>(rank, s);
}

void every_collective(Communicator& rank, const Setting& s, Results& results) {
  switch (s.dtype) {
    case DataType::kF32: return every_collective<float>(rank, s, results);
    case DataType::kF64: return every_collective<double>(rank, s, results);
    case DataType::kI32: return every_collective<std::int32_t>(rank, s, results);
    default: return every_collective<std::int64_t>(rank, s, results);
  }
}

class Grid : public ::testing::TestWithParam<std::tuple<std::string, std::string, int>> {};

TEST_P(Grid, EveryCollective_EverySetting_IsRightAndBitEqual) {
  const auto& [transport, algorithm, world] = GetParam();
  const auto settings = settings_for(world, transport);
  std::vector<Results> first(settings.size(), Results(world));
  std::vector<Results> again(settings.size(), Results(world));
  spawn({.size = world, .transport = transport, .algorithm = algorithm}, [&](Communicator& rank) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      every_collective(rank, settings[i], first[i]);
    }
    rank.barrier();
    for (std::size_t i = 0; i < settings.size(); ++i) {
      switch (settings[i].dtype) {
        case DataType::kF32: all_reduce_once<float>(rank, settings[i], again[i]); break;
        case DataType::kF64: all_reduce_once<double>(rank, settings[i], again[i]); break;
        default: break;
      }
    }
  });
  for (std::size_t i = 0; i < settings.size(); ++i) {
    EXPECT_TRUE(first[i].all_equal()) << "ranks differ in setting " << i;
    if (again[i].bytes().front().empty()) continue;
    EXPECT_EQ(first[i].bytes(), again[i].bytes()) << "a second run differs in setting " << i;
  }
}

std::string name_of(const ::testing::TestParamInfo<Grid::ParamType>& info) {
  const auto& [transport, algorithm, world] = info.param;
  return transport + "_" + algorithm + "_" + std::to_string(world);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Grid,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values("ring", "direct"),
                                            ::testing::Range(1, 10)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OneShot, Grid,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values("one_shot"),
                                            ::testing::Values(2, 3, 5)),
                         name_of);

}  // namespace
}  // namespace rondo::testing
