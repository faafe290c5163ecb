#include "tests/collectives/communicator/random_step.h"

#include <iterator>
#include <numeric>
#include <sstream>

namespace rondo::testing {
namespace {

constexpr DataType kTypes[] = {DataType::kF32, DataType::kF64,  DataType::kI32, DataType::kU64,
                               DataType::kF16, DataType::kBF16, DataType::kI8,  DataType::kU8,
                               DataType::kU32, DataType::kI64};
constexpr ReduceOp kOps[] = {ReduceOp::kSum,  ReduceOp::kMax,    ReduceOp::kMin,   ReduceOp::kAvg,
                             ReduceOp::kProd, ReduceOp::kBitXor, ReduceOp::kBitAnd};
constexpr std::size_t kOpsOfFloats = 5;
/// Parts have fewer than two to this power elements, each power as often as every other.
constexpr std::size_t kLargestPower = 16;

bool has_counts(Collective collective) {
  switch (collective) {
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll: return true;
    default: return false;
  }
}

bool is_float(DataType dtype) {
  return dtype == DataType::kF32 || dtype == DataType::kF64 || dtype == DataType::kF16 ||
         dtype == DataType::kBF16;
}

}  // namespace

std::size_t Step::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t Step::first_of(int rank) const {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
}

std::size_t Step::between(int from, int to) const {
  return counts[static_cast<std::size_t>(from + 2 * to) % counts.size()];
}

Step draw_step(std::uint64_t seed, std::uint64_t number, int ranks) {
  Draws draws(seed, number, kEveryRank);
  Step step;
  step.first_index = number * 10'000'019;
  step.collective = static_cast<Collective>(draws.below(9));
  step.uneven = has_counts(step.collective) && draws.once_in(2);
  step.dtype = kTypes[draws.below(std::size(kTypes))];
  step.op = kOps[draws.below(is_float(step.dtype) ? kOpsOfFloats : std::size(kOps))];
  step.in_place = draws.once_in(2);
  step.registered = draws.once_in(2);
  step.way = static_cast<Step::Way>(draws.below(3));
  const std::size_t limit = std::size_t{1} << draws.below(kLargestPower + 1);
  const std::size_t count = draws.below(limit);
  step.root = static_cast<int>(draws.below(static_cast<std::size_t>(ranks)));
  for (int rank = 0; rank < ranks; ++rank)
    step.counts.push_back(step.uneven ? draws.below(limit) : count);
  return step;
}

std::string to_string(const Step& step) {
  std::ostringstream text;
  text << to_string(step.collective) << (step.uneven ? "_v of" : " of");
  for (const std::size_t count : step.counts) text << ' ' << count;
  text << ' ' << to_string(step.dtype) << ' ' << to_string(step.op) << ", root " << step.root
       << (step.in_place ? ", in place" : "") << (step.registered ? ", registered" : "");
  return text.str();
}

}  // namespace rondo::testing
