#pragma once

// What passes a link that hosts share, as those of a rack share the one to the next rack
// (schedule/racks.h). Pure; threads: any.

#include <cstddef>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/host_layout.h"
#include "collectives/select/select.h"

namespace rondo::select {

/// Adds up what racks send to each other.
class RackTraffic {
 public:
  explicit RackTraffic(const schedule::LinkSpeeds& links);

  bool is_one_rack() const { return sent_.size() < 2; }
  void send(schedule::Rank from, schedule::Rank to, double volume);
  /// What takes as long over the world's slowest link as the rack that takes longest takes for what
  /// it sends: its volume by its fastest pair with another rack, for that is its link.
  double volume_of_slowest_link() const;

 private:
  struct Sent {
    double volume = 0;
    double speed = 0;  ///< of the fastest pair to another rack
  };

  const schedule::LinkSpeeds& links_;
  std::vector<int> rack_of_;
  std::vector<Sent> sent_;  ///< by rack
};

/// That of a call's schedules, in parts of its bytes, counted message by message; 0 where there is
/// one rack (links that nobody has measured are), and in worlds of more than 128 ranks, whose
/// schedules would take long to build. Cost: that of building them, 4 ms for all algorithms of an
/// all-reduce by 32 ranks, 47 ms by 128.
double volume_between_racks(const algorithms::Algorithm& algorithm, const Layout& layout,
                            std::size_t bytes);

}  // namespace rondo::select
