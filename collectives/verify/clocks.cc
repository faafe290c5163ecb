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

}  // namespace

Clocks::Clocks(std::size_t lanes)
    : stride_((lanes + kBlock - 1) / kBlock * kBlock), current_(lanes * stride_) {}

Clocks::Snapshot Clocks::take(std::uint32_t lane, std::uint32_t owners) {
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

void Clocks::join(std::uint32_t lane, Snapshot snapshot) {
  raise_to(&current_[lane * stride_], &snapshots_[snapshot * stride_], stride_);
}

void Clocks::extend(Snapshot snapshot, std::uint32_t lane) {
  raise_to(&snapshots_[snapshot * stride_], &current_[lane * stride_], stride_);
}

}  // namespace rondo::verify
