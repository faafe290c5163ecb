#include "collectives/schedule/channels.h"

#include <algorithm>
#include <iterator>

namespace rondo::schedule {
namespace {

std::vector<Rank> peers_of(const FusedSchedule& own) {
  std::vector<Rank> peers;
  for (const std::vector<Sweep>& lane : own.lanes) {
    for (const Sweep& sweep : lane) {
      for (const Port& port : targets_of(own, sweep)) {
        if (port.is_channel()) peers.push_back(port.peer);
      }
    }
  }
  std::ranges::sort(peers);
  const auto repeated = std::ranges::unique(peers);
  peers.erase(repeated.begin(), repeated.end());
  return peers;
}

}  // namespace

Channels::Channels(std::span<const FusedSchedule> bases, const Rotation& rotation)
    : rotation_(&rotation) {
  first_peer_.push_back(0);
  for (const FusedSchedule& own : bases) {
    lanes_ = std::max(lanes_, own.lanes.size());
    std::ranges::copy(peers_of(own), std::back_inserter(peers_));
    first_peer_.push_back(peers_.size());
  }
}

std::size_t Channels::find(Rank base, Rank peer, std::size_t lane) const {
  const auto index = static_cast<std::size_t>(base);
  if (index + 1 >= first_peer_.size() || lane >= lanes_) return size() - 1;
  const auto begin = peers_.begin() + static_cast<std::ptrdiff_t>(first_peer_[index]);
  const auto end = peers_.begin() + static_cast<std::ptrdiff_t>(first_peer_[index + 1]);
  const bool sends_to_all = end - begin == rotation_->world() - 1;
  const auto found = sends_to_all && peer != base && peer >= 0 && peer < rotation_->world()
                         ? begin + (peer < base ? peer : peer - 1)
                         : std::lower_bound(begin, end, peer);
  if (found == end || *found != peer) return size() - 1;
  return static_cast<std::size_t>(found - peers_.begin()) * lanes_ + lane;
}

Channels::Channel Channels::channel(std::size_t number) const {
  const std::size_t place = number / lanes_;
  const auto after = std::upper_bound(first_peer_.begin(), first_peer_.end(), place);
  return {static_cast<Rank>(after - first_peer_.begin() - 1), peers_[place], number % lanes_};
}

}  // namespace rondo::schedule
