#pragma once

// Vector clocks: one component per lane of the world. Component l of a clock is the number of
// events of lane l that happened before; a lane's start is its event 1, its sweep i is event i + 2.
// Snapshots live in a pool, shared by all messages of a sweep.
// Source: F. Mattern, "Virtual time and global states of distributed systems" (1989).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::verify {

struct Event {
  std::uint32_t lane = 0;
  std::uint32_t number = 0;
};

inline constexpr std::uint32_t kStartEvent = 1;
inline Event sweep_event(std::uint32_t lane, std::size_t sweep) {
  return {lane, static_cast<std::uint32_t>(sweep) + 2};
}

class Clocks {
 public:
  explicit Clocks(std::size_t lanes);

  const std::uint32_t* current(std::uint32_t lane) const { return &current_[lane * stride_]; }
  bool knows(std::uint32_t lane, Event event) const {
    return current(lane)[event.lane] >= event.number;
  }
  /// `lane` has reached `event`, one of its own or its rank's start.
  void advance(std::uint32_t lane, Event event) {
    current_[lane * stride_ + event.lane] = event.number;
  }

  using Snapshot = std::uint32_t;
  /// The current clock of `lane`, kept until it was released `owners` times.
  Snapshot take(std::uint32_t lane, std::uint32_t owners);
  void release(Snapshot snapshot);
  /// `lane` learns all that `snapshot` knows.
  void join(std::uint32_t lane, Snapshot snapshot);
  /// A snapshot learns all that `lane` knows.
  void extend(Snapshot snapshot, std::uint32_t lane);

 private:
  std::size_t stride_;
  std::vector<std::uint32_t> current_;
  std::vector<std::uint32_t> snapshots_;
  std::vector<std::uint32_t> owners_;
  std::vector<Snapshot> free_;
};

}  // namespace rondo::verify
