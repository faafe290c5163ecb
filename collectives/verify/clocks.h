#pragma once

// Vector clocks: one component per lane of the world. Component l of a clock is the number of
// events of lane l that happened before; a lane's start is its event 1, its sweep i is event i + 2.
// Snapshots live in a pool, shared by all messages of a sweep.
//
// Where a world has a rotation (schedule/rotation.h), only the clocks of the bases' lanes are kept:
// what a turned lane knows is what its base knows, turned. Lane l of the bases, turned by t steps,
// has the number l * order + t in the world. Source: F. Mattern, "Virtual time and global states of
// distributed systems" (1989).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::verify {

struct Event {
  std::uint32_t lane = 0;  ///< of the world
  std::uint32_t number = 0;
};

inline constexpr std::uint32_t kStartEvent = 1;
inline Event sweep_event(std::uint32_t lane, std::size_t sweep) {
  return {lane, static_cast<std::uint32_t>(sweep) + 2};
}

class Clocks {
 public:
  /// `lanes` of the bases; `order` of the rotation. Of no lanes, none are kept: nothing may be
  /// asked.
  explicit Clocks(std::size_t lanes, int order = 1);

  /// Whether `world_lane` knows `event`.
  bool knows(std::uint32_t world_lane, Event event) const {
    if (order_ == 1) return current(world_lane)[event.lane] >= event.number;
    return knows_turned(world_lane, event);
  }
  /// `lane` of the bases has reached `event`, one of its own or its rank's start.
  void advance(std::uint32_t lane, Event event) {
    if (lanes_ != 0) current_[lane * stride_ + event.lane] = event.number;
  }

  using Snapshot = std::uint32_t;
  /// The current clock of `lane`, kept until it was released `owners` times.
  Snapshot take(std::uint32_t lane, std::uint32_t owners);
  void release(Snapshot snapshot);
  /// `lane` learns all that `snapshot`, turned by `steps`, knows.
  void join(std::uint32_t lane, Snapshot snapshot, int steps = 0);
  /// A snapshot learns all that `lane`, turned by `steps`, knows.
  void extend(Snapshot snapshot, std::uint32_t lane, int steps = 0);

 private:
  const std::uint32_t* current(std::uint32_t lane) const { return &current_[lane * stride_]; }
  bool knows_turned(std::uint32_t world_lane, Event event) const;
  void raise(std::uint32_t* clock, const std::uint32_t* other, int steps) const;

  int order_;
  std::size_t lanes_;
  std::size_t stride_;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> snapshots_;
  std::vector<std::uint32_t> owners_;
  std::vector<Snapshot> free_;
};

}  // namespace rondo::verify
