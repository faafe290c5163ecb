#pragma once

// One call of a built-in algorithm, of whichever collective: what its plans are made of, what every
// rank brings, and what every rank must end with.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/plan.h"
#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/host_layout.h"
#include "collectives/schedule/rotation.h"

namespace rondo::execute {

using Floats = std::vector<float>;

class BuiltInCall {
 public:
  /// Elements of all rows. With kSegmentBytes ranks' rows have several segments, those of pairs of
  /// ranks two, and none is whole.
  static constexpr std::size_t kCount = 1'203;
  static constexpr std::size_t kSegmentBytes = 256;

  /// The algorithm is borrowed.
  BuiltInCall(const algorithms::Algorithm& algorithm, schedule::SharedLayout layout,
              schedule::Rank root, std::size_t segment_bytes = kSegmentBytes);

  int world() const { return layout_->world(); }
  /// "all_reduce ring, 4 ranks on 2 hosts, root 1".
  std::string text() const;
  /// All that a plan is bound to but endpoints and the device's scratch.
  PlanInputs inputs(int rank) const;

  /// Where a rank's buffers begin among all rows, and how long they are, in elements: in place they
  /// are one memory.
  struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  Part input_part(int rank) const;
  Part output_part(int rank) const;
  bool works_in_place() const;

  Floats input(int rank) const;
  /// What the host makes of the same schedule, by rank, compared with sums in fp64 and with what
  /// was sent. Failures are gtest's.
  std::vector<Floats> on_host() const;

 private:
  schedule::Request request(int rank) const;
  schedule::Rank source_of(std::uint32_t row) const;
  void check(int rank, const Floats& output) const;

  const algorithms::Algorithm& algorithm_;
  schedule::SharedLayout layout_;
  schedule::Rank root_;
  std::size_t segment_bytes_;
  schedule::ChunkTable table_;
  std::shared_ptr<const schedule::FoldedWorld> world_;
};

}  // namespace rondo::execute
