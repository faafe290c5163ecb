#pragma once

// Where each row of a collective's data begins and how long it is: the one owner of the split.
// Rows are disjoint, in order and cover all elements. An equal split makes the first rows one
// element longer where the count doesn't divide; rows may be empty. An equal table is a closed
// formula, so binding one to a run allocates nothing. One rank of an all_to_all of unequal parts
// knows its own row and column of a square of rows: its table is as long as those, not as the
// square.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/rank_schedule.h"
#include "core/status.h"

namespace rondo::schedule {

class ChunkTable {
 public:
  /// `count` elements in `rows` rows whose counts differ by at most 1; `rows` is at least 1.
  static ChunkTable equal(std::size_t count, std::uint32_t rows);
  /// The request's rows of `count` elements. Where ranks have equal parts of their own, each part
  /// is cut by itself: its first row begins with it, also where its rows can't be of one size.
  static ChunkTable equal(std::size_t count, const Request& request);
  /// One row per entry. Errors: InvalidArgument (no rows, or the sum doesn't fit std::size_t).
  static Result<ChunkTable> of_counts(std::span<const std::size_t> counts);
  /// This table becomes that one, in the memory that it has. Errors: as of_counts; then it is of no
  /// use.
  Status become_counts(std::span<const std::size_t> counts);
  /// all_to_all as `rank` sees it, of p ranks and p * p rows: row rank * p + i has
  /// input_counts[i] elements, row i * p + rank has output_counts[i], and the others have none.
  /// Cost: O(p) memory; O(1) for each answer about rows in a line, or about the rank's own column.
  /// Errors: InvalidArgument (no ranks, or more rows than have numbers; lists of unequal length; a
  /// rank beyond them; two different counts of what it keeps; a sum that doesn't fit std::size_t).
  static Result<ChunkTable> of_cross(std::size_t rank, std::span<const std::size_t> input_counts,
                                     std::span<const std::size_t> output_counts);
  /// As become_counts.
  Status become_cross(std::size_t rank, std::span<const std::size_t> input_counts,
                      std::span<const std::size_t> output_counts);

  std::uint32_t rows() const { return rows_; }
  std::size_t total() const { return offset(rows_); }
  /// Elements before `row`; row == rows() gives the total.
  std::size_t offset(std::uint32_t row) const;
  std::size_t count(std::uint32_t row) const { return offset(row + 1) - offset(row); }

  /// Elements of a buffer that covers `range`.
  std::size_t count(RowRange range) const { return count_of_first(range, range.count); }
  /// Elements before `row` inside a buffer that covers `range`, which contains `row`.
  std::size_t offset_within(RowRange range, std::uint32_t row) const {
    return count_of_first(range, range.index_of(row));
  }

 private:
  /// Elements of the first `rows` rows of `range`.
  std::size_t count_of_first(RowRange range, std::uint32_t rows) const;

  std::size_t offset_in_cross(std::uint32_t row) const;

  ChunkTable() = default;

  std::uint32_t rows_ = 1;
  std::size_t base_count_ = 0;   ///< equal split: every row has this many elements ...
  std::size_t longer_rows_ = 0;  ///< ... and the first `longer_rows_` have one more
  /// Explicit counts: rows_ + 1 entries. A cross: p + 1, of the rank's own row.
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> column_offsets_;  ///< a cross only: p + 1, of the rank's own column
  std::size_t rank_ = 0;                     ///< whose row and column
};

}  // namespace rondo::schedule
