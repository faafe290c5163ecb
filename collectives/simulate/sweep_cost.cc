#include "collectives/simulate/sweep_cost.h"

#include <algorithm>

#include "collectives/simulate/network.h"

namespace rondo::simulate {

namespace {

/// What one call receives beside the message that it is for (transport/tcp/in_stream.h).
constexpr double kBytesAhead = 8192;

}  // namespace

void SweepCost::receive(const Link& link, Passage passage) {
  const MessageCost& cost = link.cost_of(bytes_);
  const bool came_along = passage.follows && !link.maps;
  ++sources_;
  messages_us_ += cost.receive_us *
                  (came_along ? std::min(1.0, static_cast<double>(bytes_) / kBytesAhead) : 1.0);
  if (passage.stored) {
    ++stored_;
    return;
  }
  messages_us_ += cost.receive_us_per_byte * static_cast<double>(bytes_);
  if (link.maps) {
    ++reads_;
  } else {
    ++in_place_;
  }
}

void SweepCost::send(const Link& link, Passage passage) {
  const MessageCost& cost = link.cost_of(bytes_);
  if (!passage.follows || link.maps) messages_us_ += cost.send_us;
  if (link.maps && passage.stored) {
    ++writes_;
    return;
  }
  messages_us_ += cost.send_us_per_byte * static_cast<double>(bytes_);
  ++lends_;
}

/// Reads and writes of all bytes, beside what messages cost.
int SweepCost::copies() const {
  if (sources_ > 1) {
    // What came through a copy is read again; a result that is only sent is kept for that.
    const int kept = writes_ == 0 && lends_ > 0 ? 1 : 0;
    return reads_ + in_place_ + writes_ + kept;
  }
  // One source is moved: straight to its first place where it comes by a copy or lies there.
  const int placed = std::min(writes_, in_place_ + stored_);
  const int writes = writes_ - placed;
  return writes > 0 ? writes + (reads_ > 0 ? reads_ : 1) : 0;
}

double SweepCost::us() const {
  const auto bytes = static_cast<double>(bytes_);
  const double slower = 1 + beyond_cache_ * (work_.beyond_cache - 1);
  // Reads and writes cost alike but for the constants; of an equal number of each.
  const int moved = copies();
  const int written = std::min(moved, writes_);
  const double copied =
      work_.read_us_per_byte * (moved - written) + work_.write_us_per_byte * written;
  const double combined = sources_ > 1 ? work_.reduce_us_per_byte * (sources_ - 1) : 0;
  return messages_us_ + bytes * (copied * slower + combined);
}

double SweepCost::memory_bytes() const {
  return copies() * static_cast<double>(bytes_) * beyond_cache_;
}

}  // namespace rondo::simulate
