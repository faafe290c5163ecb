#pragma once

// The ops of one rank, and the builder that algorithms write them with.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/host_layout.h"
#include "collectives/schedule/op.h"

namespace rondo::schedule {

/// What a schedule is made for: the arguments of an algorithm, equal on every rank but for `rank`.
struct Request {
  Collective collective = Collective::kAllReduce;
  int world = 1;
  Rank rank = 0;
  Rank root = 0;           ///< of those that have one
  std::uint32_t rows = 1;  ///< chunks that the collective's data is cut into (Algorithm::rows)
  SharedLayout layout{};   ///< null: all ranks on one host
};

/// Never null.
SharedLayout layout_of(const Request& request);

/// The rows that a buffer covers, one behind the other: begin, begin + stride, ...
struct RowRange {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  std::uint32_t stride = 1;

  std::uint32_t row(std::uint32_t index) const { return begin + index * stride; }
  /// Which row of the buffer; meaningful for those it contains.
  std::uint32_t index_of(std::uint32_t row) const { return (row - begin) / stride; }
  bool contains(std::uint32_t row) const {
    return row >= begin && (row - begin) % stride == 0 && index_of(row) < count;
  }
};

/// Rows are numbered in 32 bits. This stands for more than have numbers;
/// algorithms::check_rows refuses them.
inline constexpr std::uint32_t kTooManyRows = std::numeric_limits<std::uint32_t>::max();
/// `ranks` times `each` rows.
std::uint32_t rows_of_ranks(int ranks, int each);

/// Rows are a multiple of this: what ranks have of their own is whole rows. (all_to_all: row
/// i * world + j goes from rank i to rank j.)
std::uint32_t rows_unit(Collective collective, int world);

/// Whether a schedule may have so many rows: of all_to_all one for each part, several of which
/// would lie apart in its buffers.
bool may_have_rows(Collective collective, int world, std::uint32_t rows);
/// The same in words, for errors.
std::string expected_rows(Collective collective, int world);

/// Rows of the input and the output of `request.rank`; none where the collective has no such
/// buffer there (the input of a broadcast away from its root).
RowRange input_rows(const Request& request);
RowRange output_rows(const Request& request);

struct RankSchedule {
  Request request;
  std::vector<std::vector<Op>> lanes;
  std::vector<std::uint32_t> scratch_rows;  ///< slot -> the row whose size it has
};

/// The row whose size `slice` has; for a slot that doesn't exist, its own number.
std::uint32_t row_of(const RankSchedule& schedule, Slice slice);

/// Writes one rank's ops in order. Owned by the caller for the length of one algorithm call.
class Builder {
 public:
  explicit Builder(const Request& request);

  void send(Rank peer, Slice source, std::uint16_t lane = 0);
  void recv(Rank peer, Slice target, std::uint16_t lane = 0);
  /// target = source (+) received; `final` where the result holds all contributions.
  void recv_reduce(Rank peer, Slice source, Slice target, bool final, std::uint16_t lane = 0);
  void copy(Slice source, Slice target, std::uint16_t lane = 0);
  void reduce(Slice source, Slice other, Slice target, bool final, std::uint16_t lane = 0);
  void wait(std::uint16_t wait_lane, std::uint32_t wait_op, std::uint16_t lane);
  /// A new scratch slot of the size of `row`.
  Slice scratch(std::uint32_t row);

  RankSchedule finish() &&;

 private:
  /// Written where it stays: a copy of what was just written in parts would wait for the parts.
  Op& add(OpKind kind, std::uint16_t lane);
  RankSchedule schedule_;
};

}  // namespace rondo::schedule
