#include "collectives/select/rack_traffic.h"

#include <algorithm>
#include <memory>

#include "collectives/schedule/racks.h"
#include "collectives/select/schedules.h"

namespace rondo::select {

using schedule::LinkSpeeds;
using schedule::Rank;

namespace {

constexpr int kMostRanks = 128;

std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

void count_messages(const schedule::FusedSchedule& one, const schedule::ChunkTable& table,
                    RackTraffic& racks) {
  const auto total = static_cast<double>(table.total());
  for (const auto& lane : one.lanes) {
    for (const schedule::Sweep& sweep : lane) {
      const double volume = static_cast<double>(table.count(sweep.row)) / total;
      for (const schedule::Port& target : targets_of(one, sweep))
        if (target.is_channel()) racks.send(one.request.rank, target.peer, volume);
    }
  }
}

}  // namespace

RackTraffic::RackTraffic(const LinkSpeeds& links) : links_(links), rack_of_(racks_of(links)) {
  sent_.resize(index(*std::ranges::max_element(rack_of_)) + 1);
  if (is_one_rack()) return;
  for (Rank from = 0; from < links.world(); ++from) {
    double& fastest = sent_[index(rack_of_[index(from)])].speed;
    for (Rank to = 0; to < links.world(); ++to)
      if (rack_of_[index(from)] != rack_of_[index(to)])
        fastest = std::max(fastest, links.between(from, to));
  }
}

void RackTraffic::send(Rank from, Rank to, double volume) {
  const int rack = rack_of_[index(from)];
  if (rack != rack_of_[index(to)]) sent_[index(rack)].volume += volume;
}

double RackTraffic::volume_of_slowest_link() const {
  double most = 0;
  for (const Sent& sent : sent_)
    if (sent.volume > 0) most = std::max(most, sent.volume / sent.speed);
  return most * links_.slowest();
}

double volume_between_racks(const algorithms::Algorithm& algorithm, const Layout& layout,
                            std::size_t bytes) {
  const schedule::HostLayout* const hosts = layout.hosts;
  if (hosts == nullptr || hosts->links() == nullptr || layout.world > kMostRanks) return 0;
  RackTraffic racks(*hosts->links());
  const std::size_t count = bytes / sizeof(float);
  if (racks.is_one_rack() || count == 0) return 0;
  // Borrowed for the time of this call.
  const schedule::SharedLayout borrowed(std::shared_ptr<void>(), hosts);
  const auto schedules = schedules_of(
      algorithm, {.collective = algorithm.collective, .world = layout.world, .layout = borrowed},
      count);
  if (!schedules.ok()) return 0;
  for (Rank rank = 0; rank < layout.world; ++rank)
    count_messages(schedule_of(*schedules, rank), schedules->table, racks);
  return racks.volume_of_slowest_link();
}

}  // namespace rondo::select
