#pragma once

// One call of a built-in algorithm, of whichever collective: what its plans are made of, what every
// rank brings, and what every rank must end with.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/execute/host/plan.h"
#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/host_layout.h"
#include "collectives/schedule/rotation.h"
#include "rondo/types.h"

namespace rondo::execute {

using Floats = std::vector<float>;

class BuiltInCall {
 public:
  /// Elements of all rows. With kSegmentBytes ranks' rows have several segments, those of pairs of
  /// ranks two, and none is whole.
  static constexpr std::size_t kCount = 1'203;
  static constexpr std::size_t kSegmentBytes = 256;

  /// The algorithm is borrowed. `type`: kF32, kBF16 or kI32, whose values are floats here.
  BuiltInCall(const algorithms::Algorithm& algorithm, schedule::SharedLayout layout,
              schedule::Rank root, std::size_t segment_bytes = kSegmentBytes,
              DataType type = DataType::kF32);

  int world() const { return layout_->world(); }
  DataType type() const { return type_; }
  std::size_t element_bytes() const { return size_of(type_); }
  /// "all_reduce ring of f32, 4 ranks on 2 hosts, root 1".
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
  /// As elements of the call's type, and back.
  std::vector<std::byte> stored(const Floats& values) const;
  Floats loaded(std::span<const std::byte> elements) const;
  /// What the host makes of the same schedule, by rank, compared with sums in fp64 and with what
  /// was sent. Failures are gtest's.
  std::vector<Floats> on_host() const;

 private:
  schedule::Request request(int rank) const;
  schedule::Rank source_of(std::uint32_t row) const;
  float value(int rank, std::size_t index) const;
  /// The sum of an element, and how far off it may be.
  std::pair<double, double> sum(std::size_t index) const;
  void check(int rank, const Floats& output) const;

  const algorithms::Algorithm& algorithm_;
  schedule::SharedLayout layout_;
  schedule::Rank root_;
  std::size_t segment_bytes_;
  DataType type_;
  schedule::ChunkTable table_;
  std::shared_ptr<const schedule::FoldedWorld> world_;
};

}  // namespace rondo::execute
