#include "collectives/verify/clocks.h"

#include <algorithm>

namespace rondo::verify {
namespace {

// Clocks are padded to whole blocks so that the compiler turns the inner loop into vector code.
constexpr std::size_t kBlock = 16;

void raise_to(std::uint32_t* clock, const std::uint32_t* other, std::size_t stride) {
  for (std::size_t begin = 0; begin < stride; begin += kBlock) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      clock[begin + i] = std::max(clock[begin + i], other[begin + i]);
    }
  }
}

void raise_some(std::uint32_t* clock, const std::uint32_t* other, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

Clocks::Clocks(std::size_t lanes, int order)
    : order_(order),
      lanes_(lanes),
      stride_((lanes * static_cast<std::size_t>(order) + kBlock - 1) / kBlock * kBlock),
      current_(lanes * stride_) {}

bool Clocks::knows_turned(std::uint32_t world_lane, Event event) const {
  const auto order = static_cast<std::uint32_t>(order_);
  const std::uint32_t turn = world_lane % order;
  const std::uint32_t event_turn = (event.lane + order - turn) % order;
  const std::uint32_t event_lane = event.lane / order;
  return current(world_lane / order)[event_lane * order + event_turn] >= event.number;
}

void Clocks::raise(std::uint32_t* clock, const std::uint32_t* other, int steps) const {
  if (steps == 0) return raise_to(clock, other, stride_);
  const auto order = static_cast<std::size_t>(order_);
  const auto turn = static_cast<std::size_t>(steps < 0 ? steps + order_ : steps);
  for (std::size_t begin = 0; begin < lanes_ * order; begin += order) {
    raise_some(clock + begin + turn, other + begin, order - turn);
    raise_some(clock + begin, other + begin + order - turn, turn);
  }
}

Clocks::Snapshot Clocks::take(std::uint32_t lane, std::uint32_t owners) {
  if (lanes_ == 0) return 0;
  if (free_.empty()) {
    free_.push_back(static_cast<Snapshot>(owners_.size()));
    owners_.push_back(0);
    snapshots_.resize(snapshots_.size() + stride_);
  }
  const Snapshot snapshot = free_.back();
  free_.pop_back();
  owners_[snapshot] = owners;
  std::copy_n(current(lane), stride_, &snapshots_[snapshot * stride_]);
  return snapshot;
}

void Clocks::release(Snapshot snapshot) {
  if (--owners_[snapshot] == 0) free_.push_back(snapshot);
}

void Clocks::join(std::uint32_t lane, Snapshot snapshot, int steps) {
  if (lanes_ == 0) return;
  raise(&current_[lane * stride_], &snapshots_[snapshot * stride_], steps);
}

void Clocks::extend(Snapshot snapshot, std::uint32_t lane, int steps) {
  if (lanes_ == 0) return;
  raise(&snapshots_[snapshot * stride_], &current_[lane * stride_], steps);
}

}  // namespace rondo::verify
