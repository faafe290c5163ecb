#include "collectives/schedule/rotation_step.h"

#include <algorithm>

namespace rondo::schedule {
namespace {

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

}  // namespace

RotationStep::RotationStep(std::span<const Rank> cycle, std::uint32_t rows)
    : cycle_(cycle), next_rank_(cycle.size()), next_row_(rows, kUnknown) {
  for (std::size_t turn = 0; turn < cycle.size(); ++turn) {
    next_rank_[static_cast<std::size_t>(cycle[turn])] = cycle[(turn + 1) % cycle.size()];
  }
}

bool RotationStep::turns(std::uint32_t row, std::uint32_t next) {
  if (row >= next_row_.size()) return false;
  if (next_row_[row] == kUnknown) next_row_[row] = next;
  return next_row_[row] == next;
}

bool RotationStep::turns(Slice slice, Slice next) {
  if (slice.buffer != next.buffer) return false;
  return slice.buffer == BufferRole::kScratch ? slice == next : turns(slice.chunk, next.chunk);
}

bool RotationStep::turns_rank(Rank rank, Rank next) const {
  return has_rank(rank) && next_rank(rank) == next;
}

bool RotationStep::turns(const Request& own, const Request& next) {
  const bool alike = own.collective == next.collective && own.world == next.world &&
                     own.root == next.root && own.rows == next.rows &&
                     (own.layout == next.layout || *layout_of(own) == *layout_of(next));
  return alike && turns_rank(own.rank, next.rank) && turns(input_rows(own), input_rows(next)) &&
         turns(output_rows(own), output_rows(next));
}

bool RotationStep::turns(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> next) {
  return std::ranges::equal(rows, next, [this](auto a, auto b) { return turns(a, b); });
}

bool RotationStep::turns(const RowRange& rows, const RowRange& next) {
  if (rows.count != next.count) return false;
  if (rows.count == next_row_.size()) return true;  // all of them
  if (rows.count == 1) return turns(rows.begin, next.begin);
  ranges_.emplace_back(rows, next);
  return true;
}

bool RotationStep::turns_ranges() const {
  return std::ranges::all_of(ranges_, [this](const auto& pair) {
    for (std::uint32_t i = 0; i < pair.first.count; ++i) {
      if (!pair.second.contains(next_row_[pair.first.row(i)])) return false;
    }
    return true;
  });
}

std::optional<Rotation> RotationStep::rotation(Collective collective) const {
  if (collective == Collective::kBarrier) return Rotation::along(cycle_, {});  // touches no row
  const bool knows_all = std::ranges::find(next_row_, kUnknown) == next_row_.end();
  if (!knows_all || !turns_ranges()) return std::nullopt;
  return Rotation::along(cycle_, next_row_);
}

}  // namespace rondo::schedule
