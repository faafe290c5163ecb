#pragma once

// Vector clocks: one component per lane of the world. Component l of a clock is the number of
// events of lane l that happened before; a lane's start is its event 1, its sweep i is event i + 2.
// Snapshots live in a pool, shared by all messages of a sweep. A lane that has learnt nothing since
// its last snapshot differs from it in its own component alone: its next one is a note of that, on
// the same base. So the n messages that a rank of a direct exchange offers cost one clock, not n.
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
  /// `lane` of the bases has reached `event`, one of its own, or before its first its rank's start.
  void advance(std::uint32_t lane, Event event) {
    if (lanes_ != 0) current_[lane * stride_ + event.lane] = event.number;
  }

  /// Snapshots have grown beyond kMostBytes: of a schedule that somebody has written few words may
  /// keep very many messages under way.
  bool are_too_many() const { return bases_.size() > kMostBytes / sizeof(std::uint32_t); }
  static constexpr std::size_t kMostBytes = std::size_t{512} << 20;

  using Snapshot = std::uint32_t;
  /// The current clock of `lane`, kept until it was released `owners` times.
  Snapshot take(std::uint32_t lane, std::uint32_t owners);
  void release(Snapshot snapshot);
  /// `lane` learns all that `snapshot`, turned by `steps`, knows.
  void join(std::uint32_t lane, Snapshot snapshot, int steps = 0);
  /// A snapshot learns all that `lane`, turned by `steps`, knows.
  void extend(Snapshot snapshot, std::uint32_t lane, int steps = 0);

 private:
  using Base = std::uint32_t;
  static constexpr Base kNoBase = ~Base{0};
  /// What `base` holds, but for the own component of the `lane` that took it.
  struct Note {
    Base base = kNoBase;
    std::uint32_t lane = 0;
    std::uint32_t number = 0;
    std::uint32_t owners = 0;
  };

  const std::uint32_t* current(std::uint32_t lane) const { return &current_[lane * stride_]; }
  std::uint32_t* values(Base base) { return &bases_[base * stride_]; }
  std::size_t own_component(std::uint32_t lane, int steps = 0) const;
  bool knows_turned(std::uint32_t world_lane, Event event) const;
  void raise(std::uint32_t* clock, const std::uint32_t* other, int steps) const;
  Base new_base(const std::uint32_t* clock);
  void drop(Base base);
  void forget_newest_base(std::uint32_t lane);
  /// The base of a snapshot that may be written to: no other's.
  std::uint32_t* own_base(Note& note);

  int order_;
  std::size_t lanes_;
  std::size_t stride_;
  std::vector<std::uint32_t> current_;
  std::vector<Base> newest_base_;  ///< of each lane, as long as it learns nothing
  std::vector<Note> notes_;        ///< by Snapshot
  std::vector<Snapshot> free_notes_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::uint32_t> base_owners_;
  std::vector<Base> free_bases_;
};

}  // namespace rondo::verify
