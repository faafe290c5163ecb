#include "collectives/verify/value.h"

#include <algorithm>

namespace rondo::verify {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

/// SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014): a fixed, well-mixed bijection.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

Value contribution(schedule::Rank rank, std::uint32_t row) {
  const std::uint64_t name = (std::uint64_t{static_cast<std::uint32_t>(rank)} << 32) | row;
  Value value;
  value.sum = mix(name) % (kPrime - 1) + 1;
  value.tree = mix(~name);
  value.first = value.last = rank;
  return value;
}

Value contribution(const schedule::Rotation& rotation, schedule::Rank rank, std::uint32_t row) {
  Value value =
      contribution(rotation.turned(rank, -rotation.row_turn(row)), rotation.base_row(row));
  value.first = value.last = rank;
  return value;
}

Value turned(const Value& value, const schedule::Rotation& rotation, std::uint32_t row, int steps) {
  const bool is_whole = value.first == 0 && value.last == rotation.world() - 1;
  if (steps == 0 || is_whole) return value;
  const bool is_input = value.is_in_rank_order() && value.first == value.last;
  const schedule::Rank rank = is_input ? rotation.turned(value.first, steps) : Value::kNone;
  Value result = value;
  if (!rotation.turns_rows()) {
    const Value same = is_input ? contribution(rank, row) : Value{.unknown = true};
    result.unknown = same.unknown;
    result.sum = same.sum;
    result.tree = same.tree;
  }
  result.first = result.last = rank;
  return result;
}

std::uint64_t field_add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

Value combine(const Value& a, const Value& b) {
  Value value;
  value.sum = field_add(a.sum, b.sum);
  value.tree = mix(mix(std::min(a.tree, b.tree)) + std::max(a.tree, b.tree));
  value.sweeps = std::max(a.sweeps, b.sweeps);
  value.unknown = a.unknown || b.unknown;
  const bool is_next = a.is_in_rank_order() && b.first == b.last && b.first == a.last + 1;
  if (is_next) {
    value.first = a.first;
    value.last = b.last;
  }
  return value;
}

SumByRank::SumByRank(const schedule::Rotation& rotation, schedule::Rank maker, std::uint32_t row)
    : rotation_(rotation), maker_(maker), row_turn_(rotation.row_turn(row)) {}

std::uint64_t SumByRank::seen_from_row(schedule::Rank rank) const {
  return static_cast<std::uint64_t>(rotation_.turned(rank, -row_turn_));
}

void SumByRank::add(const Value& source, schedule::Rank from) {
  sum_.sum = field_add(sum_.sum, source.sum);
  sum_.tree += mix(source.tree);
  sum_.sweeps = std::max(sum_.sweeps, source.sweeps);
  sum_.unknown = sum_.unknown || source.unknown;
  sources_tree_ += mix(mix(source.tree) + seen_from_row(from));
  has_inputs_only_ = has_inputs_only_ && source.first == from && source.last == from;
  ++sources_;
}

Value SumByRank::sum() const {
  Value result = sum_;
  result.tree = mix(mix(sources_tree_) + seen_from_row(maker_) + 1);
  if (!has_inputs_only_ || sources_ != rotation_.world()) return result;
  result.first = 0;
  result.last = rotation_.world() - 1;
  result.tree = mix(sum_.tree);
  return result;
}

}  // namespace rondo::verify
