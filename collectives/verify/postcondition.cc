#include "collectives/verify/postcondition.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Rank;
using schedule::Request;
using schedule::Rotation;

/// The rank whose input a row of a moving collective comes from.
Rank origin(const Request& request, std::uint32_t row) {
  if (request.collective == Collective::kBroadcast || request.collective == Collective::kScatter) {
    return request.root;
  }
  return static_cast<Rank>(row / (request.rows / static_cast<std::uint32_t>(request.world)));
}

std::uint64_t expected_sum(const Request& request, const Rotation& rotation, std::uint32_t row) {
  if (!reduces(request.collective)) {
    return contribution(rotation, origin(request, row), row).sum;
  }
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < request.world; ++rank) {
    sum = field_add(sum, contribution(rotation, rank, row).sum);
  }
  return sum;
}

std::string expected_text(const Request& request, std::uint32_t row) {
  if (reduces(request.collective)) return fmt::format("row {} of every rank once", row);
  return fmt::format("row {} of rank {}", row, origin(request, row));
}

std::vector<Rank> expected_ranks(const Request& request, std::uint32_t row) {
  if (!reduces(request.collective)) return {origin(request, row)};
  std::vector<Rank> all(static_cast<std::size_t>(request.world));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Status wrong(const Request& request, std::uint32_t row, std::string holds,
             const std::optional<Blame>& blame = std::nullopt) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("at the end output {} of rank {} holds {}; it should hold {}{}{}", row,
                            request.rank, holds, expected_text(request, row), blame ? "; " : "",
                            blame ? blame->text : ""),
                blame ? blame->rank : request.rank,
                fmt::format("rank {}, output {}", request.rank, row));
}

std::optional<Blame> blame_for(const Request& request, std::uint32_t row, const Value& value,
                               const Outcome& outcome) {
  if (outcome.blame == nullptr) return std::nullopt;
  return outcome.blame(value, expected_ranks(request, row));
}

Status check_barrier(const Outcome& outcome, const Rotation& rotation) {
  for (Rank rank = 0; rank < rotation.bases(); ++rank) {
    for (Rank other = 0; other < rotation.world(); ++other) {
      if (outcome.end_knows_start(rank, other)) continue;
      return Status(
          ErrorCode::kInvalidArgument,
          fmt::format("rank {} can leave the barrier before rank {} has come", rank, other), rank,
          fmt::format("rank {}, end", rank));
    }
  }
  return {};
}

Status check_value(const Request& request, std::uint32_t row, const Value* value,
                   std::uint64_t expected, const Outcome& outcome) {
  if (value == nullptr) return wrong(request, row, "nothing");
  if (value->sum != expected) {
    return wrong(request, row, outcome.made_of ? outcome.made_of(*value) : "another value",
                 blame_for(request, row, *value, outcome));
  }
  if (reduces(request.collective) && request.world > 1 && !value->divided) {
    return wrong(request, row, "a sum that no final op made",
                 blame_for(request, row, *value, outcome));
  }
  return {};
}

}  // namespace

Status check_postcondition(std::span<const FusedSchedule> bases, const Rotation& rotation,
                           const Outcome& outcome) {
  const Request& first = bases[0].request;
  if (first.collective == Collective::kBarrier) return check_barrier(outcome, rotation);
  std::vector<std::uint64_t> expected(first.rows);
  for (std::uint32_t row = 0; row < first.rows; ++row) {
    const std::uint32_t base_row = rotation.base_row(row);
    expected[row] = base_row < row ? expected[base_row] : expected_sum(first, rotation, row);
  }
  std::vector<std::uint64_t> trees(first.rows, 0);  // 0: no rank holds that base row yet
  for (const FusedSchedule& own : bases) {
    const schedule::RowRange rows = output_rows(own.request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const std::uint32_t row = rows.row(i);
      const Value* value = outcome.find(own.request.rank, {BufferRole::kOutput, row});
      RONDO_TRY(check_value(own.request, row, value, expected[row], outcome));
      std::uint64_t& tree = trees[rotation.base_row(row)];
      if (tree == 0) tree = value->tree;
      const bool turns_agree = turned(*value, rotation, row, 1).tree == value->tree;
      if (tree == value->tree && (rotation.order() == 1 || turns_agree)) continue;
      return wrong(own.request, row, "the right sum, added up in another order than elsewhere",
                   blame_for(own.request, row, *value, outcome));
    }
  }
  return {};
}

}  // namespace rondo::verify
