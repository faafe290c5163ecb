#include "collectives/schedule/chunk_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::schedule {

ChunkTable ChunkTable::equal(std::size_t count, std::uint32_t rows) {
  ChunkTable table;
  table.rows_ = std::max(rows, 1U);
  table.base_count_ = count / table.rows_;
  table.longer_rows_ = count % table.rows_;
  return table;
}

Result<ChunkTable> ChunkTable::of_counts(std::span<const std::size_t> counts) {
  if (counts.empty() || counts.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a table of {} rows: give at least one count, and fewer than 2^32",
                              counts.size()));
  }
  ChunkTable table;
  table.rows_ = static_cast<std::uint32_t>(counts.size());
  table.offsets_.reserve(counts.size() + 1);
  table.offsets_.push_back(0);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const std::size_t offset = table.offsets_.back();
    if (counts[row] > std::numeric_limits<std::size_t>::max() - offset) {
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("the counts of rows 0..{} sum to more elements than can be "
                                "addressed; row {} has {}",
                                row, row, counts[row]));
    }
    table.offsets_.push_back(offset + counts[row]);
  }
  return table;
}

std::size_t ChunkTable::offset(std::uint32_t row) const {
  if (!offsets_.empty()) return offsets_[row];
  // row * base_count_ can't overflow: it is at most the total, which fits.
  return row * base_count_ + std::min<std::size_t>(row, longer_rows_);
}

std::size_t ChunkTable::count_of_first(RowRange range, std::uint32_t rows) const {
  if (range.stride == 1) return offset(range.begin + rows) - offset(range.begin);
  std::size_t count_of_rows = 0;
  for (std::uint32_t i = 0; i < rows; ++i) count_of_rows += count(range.row(i));
  return count_of_rows;
}

}  // namespace rondo::schedule
