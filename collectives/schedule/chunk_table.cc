#include "collectives/schedule/chunk_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::schedule {
namespace {

/// Of the first 0, 1, ... counts; they end before the first sum that doesn't fit.
void set_sums(std::vector<std::size_t>& sums, std::span<const std::size_t> counts) {
  sums.assign(1, 0);
  sums.reserve(counts.size() + 1);
  for (const std::size_t count : counts) {
    if (count > std::numeric_limits<std::size_t>::max() - sums.back()) break;
    sums.push_back(sums.back() + count);
  }
}

Status check_cross(std::size_t rank, std::span<const std::size_t> input_counts,
                   std::span<const std::size_t> output_counts) {
  constexpr std::size_t kMostRanks = 65'535;  // whose square has a number in 32 bits
  const std::size_t ranks = input_counts.size();
  if (ranks != output_counts.size() || rank >= ranks || ranks > kMostRanks) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} counts of the input and {} of the output for rank {}: give one "
                              "of each for every rank, of {} at most",
                              ranks, output_counts.size(), rank, kMostRanks));
  }
  if (input_counts[rank] == output_counts[rank]) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("rank {} keeps {} elements of its input, but {} in its output", rank,
                            input_counts[rank], output_counts[rank]));
}

}  // namespace

ChunkTable ChunkTable::equal(std::size_t count, std::uint32_t rows) {
  ChunkTable table;
  table.rows_ = std::max(rows, 1U);
  table.base_count_ = count / table.rows_;
  table.longer_rows_ = count % table.rows_;
  return table;
}

ChunkTable ChunkTable::equal(std::size_t count, const Request& request) {
  const std::uint32_t rows = std::max(request.rows, 1U);
  const std::uint32_t parts = rows_unit(request.collective, request.world);
  if (rows <= parts || count % rows == 0 || count % parts != 0 || rows % parts != 0)
    return equal(count, rows);
  const ChunkTable part = equal(count / parts, rows / parts);
  ChunkTable table;
  table.rows_ = rows;
  table.offsets_.reserve(std::size_t{rows} + 1);
  for (std::uint32_t row = 0; row <= rows; ++row)
    table.offsets_.push_back(row / part.rows_ * part.total() + part.offset(row % part.rows_));
  return table;
}

Result<ChunkTable> ChunkTable::of_counts(std::span<const std::size_t> counts) {
  ChunkTable table;
  RONDO_TRY(table.become_counts(counts));
  return table;
}

Status ChunkTable::become_counts(std::span<const std::size_t> counts) {
  if (counts.empty() || counts.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a table of {} rows: give at least one count, and fewer than 2^32",
                              counts.size()));
  }
  rows_ = static_cast<std::uint32_t>(counts.size());
  column_offsets_.clear();
  set_sums(offsets_, counts);
  if (offsets_.size() == counts.size() + 1) return {};
  const std::size_t row = offsets_.size() - 1;
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("the counts of rows 0..{} sum to more elements than can be addressed; "
                            "row {} has {}",
                            row, row, counts[row]));
}

Result<ChunkTable> ChunkTable::of_cross(std::size_t rank, std::span<const std::size_t> input_counts,
                                        std::span<const std::size_t> output_counts) {
  ChunkTable table;
  RONDO_TRY(table.become_cross(rank, input_counts, output_counts));
  return table;
}

Status ChunkTable::become_cross(std::size_t rank, std::span<const std::size_t> input_counts,
                                std::span<const std::size_t> output_counts) {
  RONDO_TRY(check_cross(rank, input_counts, output_counts));
  const std::size_t ranks = input_counts.size();
  rows_ = static_cast<std::uint32_t>(ranks * ranks);
  rank_ = rank;
  set_sums(offsets_, input_counts);
  set_sums(column_offsets_, output_counts);
  const bool has_all = offsets_.size() == ranks + 1 && column_offsets_.size() == ranks + 1;
  if (has_all && column_offsets_.back() - output_counts[rank] <=
                     std::numeric_limits<std::size_t>::max() - offsets_.back()) {
    return {};
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("what rank {} sends and receives is more elements than can be "
                            "addressed: give smaller counts",
                            rank));
}

std::size_t ChunkTable::offset(std::uint32_t row) const {
  if (!column_offsets_.empty()) return offset_in_cross(row);
  if (!offsets_.empty()) return offsets_[row];
  // row * base_count_ can't overflow: it is at most the total, which fits.
  return row * base_count_ + std::min<std::size_t>(row, longer_rows_);
}

/// The row's and the column's elements before `row`; those of the row that is in both count once.
std::size_t ChunkTable::offset_in_cross(std::uint32_t row) const {
  const std::size_t ranks = column_offsets_.size() - 1;
  const std::size_t begin = rank_ * ranks;
  const std::size_t of_row = row <= begin ? 0 : std::min(row - begin, ranks);
  const std::size_t of_column = row / ranks + (row % ranks > rank_ ? 1 : 0);
  const std::size_t twice = row > begin + rank_ ? offsets_[rank_ + 1] - offsets_[rank_] : 0;
  // Without what is in both, the column's are fewer than its sum: nothing overflows.
  return offsets_[of_row] + (column_offsets_[of_column] - twice);
}

std::size_t ChunkTable::count_of_first(RowRange range, std::uint32_t rows) const {
  if (range.stride == 1) return offset(range.begin + rows) - offset(range.begin);
  if (!column_offsets_.empty()) {
    const std::size_t ranks = column_offsets_.size() - 1;
    const std::size_t first = range.begin / ranks;
    if (range.stride == ranks && range.begin % ranks == rank_)
      return column_offsets_[first + rows] - column_offsets_[first];
  }
  std::size_t count_of_rows = 0;
  for (std::uint32_t i = 0; i < rows; ++i) count_of_rows += count(range.row(i));
  return count_of_rows;
}

}  // namespace rondo::schedule
