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
      current_(lanes * stride_),
      newest_base_(lanes, kNoBase) {}

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

std::size_t Clocks::own_component(std::uint32_t lane, int steps) const {
  return lane * static_cast<std::size_t>(order_) +
         static_cast<std::size_t>(steps < 0 ? steps + order_ : steps);
}

Clocks::Base Clocks::new_base(const std::uint32_t* clock) {
  if (free_bases_.empty()) {
    free_bases_.push_back(static_cast<Base>(base_owners_.size()));
    base_owners_.push_back(0);
    bases_.resize(bases_.size() + stride_);
  }
  const Base base = free_bases_.back();
  free_bases_.pop_back();
  base_owners_[base] = 1;
  std::copy_n(clock, stride_, values(base));
  return base;
}

void Clocks::drop(Base base) {
  if (--base_owners_[base] == 0) free_bases_.push_back(base);
}

void Clocks::forget_newest_base(std::uint32_t lane) {
  if (newest_base_[lane] != kNoBase) drop(newest_base_[lane]);
  newest_base_[lane] = kNoBase;
}

Clocks::Snapshot Clocks::take(std::uint32_t lane, std::uint32_t owners) {
  if (lanes_ == 0) return 0;
  if (newest_base_[lane] == kNoBase) newest_base_[lane] = new_base(current(lane));
  if (free_notes_.empty()) {
    free_notes_.push_back(static_cast<Snapshot>(notes_.size()));
    notes_.emplace_back();
  }
  const Snapshot snapshot = free_notes_.back();
  free_notes_.pop_back();
  ++base_owners_[newest_base_[lane]];
  notes_[snapshot] = {newest_base_[lane], lane, current(lane)[own_component(lane)], owners};
  return snapshot;
}

void Clocks::release(Snapshot snapshot) {
  if (lanes_ == 0 || --notes_[snapshot].owners != 0) return;
  drop(notes_[snapshot].base);
  free_notes_.push_back(snapshot);
}

void Clocks::join(std::uint32_t lane, Snapshot snapshot, int steps) {
  if (lanes_ == 0) return;
  const Note& note = notes_[snapshot];
  std::uint32_t* clock = &current_[lane * stride_];
  raise(clock, values(note.base), steps);
  std::uint32_t& taker = clock[own_component(note.lane, steps)];
  taker = std::max(taker, note.number);
  forget_newest_base(lane);
}

std::uint32_t* Clocks::own_base(Note& note) {
  if (base_owners_[note.base] == 1) return values(note.base);
  const std::vector<std::uint32_t> shared(values(note.base), values(note.base) + stride_);
  drop(note.base);
  note.base = new_base(shared.data());
  return values(note.base);
}

void Clocks::extend(Snapshot snapshot, std::uint32_t lane, int steps) {
  if (lanes_ == 0) return;
  raise(own_base(notes_[snapshot]), &current_[lane * stride_], steps);
}

}  // namespace rondo::verify
