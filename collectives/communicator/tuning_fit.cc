#include "collectives/communicator/tuning_fit.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/communicator/tuning_world.h"
#include "collectives/select/fit.h"
#include "collectives/select/pricing.h"

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using select::MeasuredTimes;

constexpr std::size_t kMostBytesFitted = std::size_t{4} << 20;

/// By ranges of sizes; per byte at least something, so that a factor can change it.
simulate::Link link_with_ranges(simulate::Link link) {
  simulate::MessageCost cost = link.costs.back();
  if (cost.send_us_per_byte == 0) cost.send_us_per_byte = 1e-5;
  if (cost.receive_us_per_byte == 0) cost.receive_us_per_byte = 5e-5;
  link.costs.clear();
  for (const std::size_t most : {std::size_t{1} << 10, std::size_t{16} << 10}) {
    cost.most_bytes = most;
    link.costs.push_back(cost);
  }
  cost.most_bytes = static_cast<std::size_t>(-1);
  link.costs.push_back(cost);
  return link;
}

/// A fit simulates all runs some hundred times.
simulate::Options options_to_fit(std::size_t segment_bytes) {
  return {.segment_bytes = segment_bytes, .most_pieces = 500, .most_work = 20'000};
}

/// The times that the constants are fitted to: of collectives and sizes that take the simulation
/// milliseconds.
std::vector<select::TimedRun> runs_to_fit(const Place& place,
                                          const std::vector<MeasuredTimes>& measured,
                                          const schedule::SharedLayout& layout) {
  std::vector<select::TimedRun> runs;
  for (const MeasuredTimes& times : measured) {
    const bool fitted = times.collective == Collective::kAllReduce ||
                        times.collective == Collective::kAllGather ||
                        times.collective == Collective::kBroadcast;
    const Algorithm* algorithm = algorithms::find(times.collective, times.algorithm);
    if (!fitted || algorithm == nullptr) continue;
    for (const MeasuredTimes::Point& point : times.points) {
      auto schedules = select::schedules_of(
          *algorithm,
          {.collective = times.collective, .world = place.size(), .root = 0, .layout = layout},
          point.bytes / sizeof(float));
      if (!schedules.ok()) continue;
      // Where all ranks are turns of each other one is simulated.
      const bool small = point.bytes <= kMostBytesFitted || schedules->world.bases.size() == 1;
      if (!small) continue;
      runs.push_back({.schedules = std::move(*schedules),
                      .options = options_to_fit(place.segment_bytes()),
                      .us = point.us});
    }
  }
  return runs;
}

std::vector<std::string> names_of_hosts(const Place& place) {
  std::vector<std::string> names;
  const schedule::HostLayout& hosts = place.layout();
  for (int host = 0; host < hosts.hosts(); ++host) {
    const auto rank = static_cast<std::size_t>(hosts.ranks_of(host).front());
    names.push_back(place.mesh().ranks()[rank].hostname);
  }
  return names;
}

}  // namespace

simulate::Network first_guess(const Place& place) {
  const schedule::HostLayout& hosts = place.layout();
  const std::vector<std::size_t> cores = cores_of_hosts(place.mesh().ranks());
  simulate::Network network = simulate::default_network(1, 1);
  const simulate::HostGroup any = network.groups.front();
  network.groups.clear();
  for (int host = 0; host < hosts.hosts(); ++host) {
    simulate::HostGroup group = any;
    const auto first = static_cast<std::size_t>(hosts.ranks_of(host).front());
    group.ranks = static_cast<int>(hosts.ranks_of(host).size());
    group.cores = static_cast<int>(cores[first]);
    network.groups.push_back(group);
  }
  if (place.options().transport == "tcp") network.inside = network.between;
  network.inside = link_with_ranges(network.inside);
  network.between = link_with_ranges(network.between);
  network.work.cache_bytes = double{16 << 20};
  network.work.beyond_cache = 1.5;
  return network;
}

select::Tuning tuning_of(const Place& place, TuningSamples samples) {
  select::Tuning tuning;
  tuning.transport = transport_of_pairs(place.mesh().ranks(), place.mesh().means().transport);
  tuning.hosts = names_of_hosts(place);
  const auto layout = std::make_shared<const schedule::HostLayout>(place.layout());
  tuning.network = select::fit(first_guess(place), runs_to_fit(place, samples.evenly, layout));
  std::ranges::move(samples.registered, std::back_inserter(samples.all));
  for (MeasuredTimes& of : samples.all) {
    const Algorithm& algorithm = *algorithms::find(of.collective, of.algorithm);
    for (MeasuredTimes::Point& point : of.points) {
      point.simulated_us = select::simulated_us(algorithm, point.bytes, layout, tuning.network,
                                                place.segment_bytes());
    }
    std::erase_if(of.points,
                  [](const MeasuredTimes::Point& point) { return point.simulated_us <= 0; });
  }
  tuning.measured = std::move(samples.all);
  tuning.private_read_bytes = samples.private_read_bytes;
  return tuning;
}

}  // namespace rondo::communicator
