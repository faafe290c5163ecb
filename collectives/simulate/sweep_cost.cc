#include "collectives/simulate/sweep_cost.h"

#include <algorithm>

#include "collectives/simulate/network.h"

namespace rondo::simulate {

namespace {

/// What one call receives beside the message that it is for (transport/tcp/in_stream.h).
constexpr double kBytesAhead = 8192;

}  // namespace

/// Of all of the piece's messages.
template <typename CostOfMessage>
double SweepCost::of_messages(const CostOfMessage& cost_of_message) const {
  if (piece_.bytes <= piece_.message_bytes) return cost_of_message(piece_.bytes);
  const std::size_t whole = piece_.bytes / piece_.message_bytes;
  const std::size_t rest = piece_.bytes % piece_.message_bytes;
  const double us = static_cast<double>(whole) * cost_of_message(piece_.message_bytes);
  return rest > 0 ? us + cost_of_message(rest) : us;
}

void SweepCost::receive(const Link& link, Passage passage) {
  const bool came_along = passage.follows && !link.maps;
  messages_us_ += of_messages([&](std::size_t bytes) {
    const MessageCost& cost = link.cost_of(bytes);
    const auto size = static_cast<double>(bytes);
    const double us = cost.receive_us * (came_along ? std::min(1.0, size / kBytesAhead) : 1.0);
    return passage.stored ? us : us + cost.receive_us_per_byte * size;
  });
  ++sources_;
  if (passage.stored) {
    ++stored_;
    return;
  }
  if (link.maps) {
    ++reads_;
  } else {
    ++in_place_;
  }
}

void SweepCost::send(const Link& link, Passage passage) {
  const bool goes_along = passage.follows && !link.maps;
  const bool is_stored = link.maps && passage.stored;
  messages_us_ += of_messages([&](std::size_t bytes) {
    const MessageCost& cost = link.cost_of(bytes);
    const double us = goes_along ? 0 : cost.send_us;
    return is_stored ? us : us + cost.send_us_per_byte * static_cast<double>(bytes);
  });
  ++(is_stored ? writes_ : lends_);
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
  const auto bytes = static_cast<double>(piece_.bytes);
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
  return copies() * static_cast<double>(piece_.bytes) * beyond_cache_;
}

}  // namespace rondo::simulate
