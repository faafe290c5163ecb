#include "collectives/communicator/tuning_samples.h"

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/communicator/timed_calls.h"
#include "collectives/select/fit.h"
#include "collectives/select/pricing.h"

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using select::MeasuredTimes;

/// Closer where algorithms take other ways: beyond what a bulletin holds.
constexpr std::size_t kSizes[] = {64,        1 << 10,   2 << 10,    8 << 10,    32 << 10,
                                  128 << 10, 512 << 10, 2048 << 10, 8192 << 10, 32768 << 10};
constexpr std::size_t kMostBytesFitted = std::size_t{4} << 20;
/// From here on algorithms that are this much slower than the fastest are left out.
constexpr std::size_t kLongCall = std::size_t{64} << 10;
constexpr double kHopeless = 3;

/// Where links are slow, larger sizes tell no more: they take so much longer.
constexpr double kLongEnoughUs = 50'000;

int rounds_for(std::size_t bytes, double last_us) {
  if (last_us > kLongEnoughUs / 10) return 3;
  return bytes <= (std::size_t{64} << 10) ? 15 : bytes <= (std::size_t{1} << 20) ? 9 : 5;
}

std::map<Collective, std::vector<const Algorithm*>> by_collective() {
  std::map<Collective, std::vector<const Algorithm*>> algorithms;
  for (const Algorithm& algorithm : algorithms::all())
    algorithms[algorithm.collective].push_back(&algorithm);
  return algorithms;
}

MeasuredTimes& times_of(std::vector<MeasuredTimes>& list, const Algorithm& algorithm) {
  const auto found = std::ranges::find_if(list, [&](const MeasuredTimes& times) {
    return times.collective == algorithm.collective && times.algorithm == algorithm.name;
  });
  if (found != list.end()) return *found;
  return list.emplace_back(MeasuredTimes{
      .collective = algorithm.collective, .algorithm = std::string(algorithm.name), .points = {}});
}

void leave_out_hopeless(std::vector<const Algorithm*>& algorithms,
                        const std::vector<double>& times) {
  const double least = *std::ranges::min_element(times);
  std::vector<const Algorithm*> left;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (times[i] <= kHopeless * least) left.push_back(algorithms[i]);
  }
  algorithms = std::move(left);
}

/// Of one collective.
Status measure_sizes(TimedCalls& calls, std::vector<const Algorithm*> algorithms,
                     std::vector<MeasuredTimes>& list) {
  std::size_t last = static_cast<std::size_t>(-1);
  double least_us = 0;
  for (const std::size_t size : kSizes) {
    const std::size_t bytes = calls.bytes_of(algorithms.front()->collective, size);
    if (bytes == last || least_us > kLongEnoughUs) continue;
    last = bytes;
    RONDO_ASSIGN(const auto rounds, calls.run(bytes, algorithms, rounds_for(bytes, least_us)));
    std::vector<double> times;
    for (const std::vector<double>& of_algorithm : rounds) times.push_back(median(of_algorithm));
    for (std::size_t i = 0; i < algorithms.size(); ++i)
      times_of(list, *algorithms[i]).points.push_back({.bytes = bytes, .us = times[i]});
    least_us = *std::ranges::min_element(times);
    if (bytes >= kLongCall) leave_out_hopeless(algorithms, times);
  }
  return {};
}

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
                      .options = {.segment_bytes = place.segment_bytes()},
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
  simulate::Network network = simulate::default_network(1, 1);
  const simulate::HostGroup any = network.groups.front();
  network.groups.clear();
  for (int host = 0; host < hosts.hosts(); ++host) {
    simulate::HostGroup group = any;
    const auto first = static_cast<std::size_t>(hosts.ranks_of(host).front());
    group.ranks = static_cast<int>(hosts.ranks_of(host).size());
    group.cores = static_cast<int>(place.mesh().ranks()[first].cores.size());
    network.groups.push_back(group);
  }
  if (place.options().transport == "tcp") network.inside = network.between;
  network.inside = link_with_ranges(network.inside);
  network.between = link_with_ranges(network.between);
  network.work.cache_bytes = double{16 << 20};
  network.work.beyond_cache = 1.5;
  return network;
}

Result<std::vector<MeasuredTimes>> measure_algorithms(Engine& engine) {
  std::vector<MeasuredTimes> list;
  TimedCalls calls(engine);
  for (const auto& [collective, algorithms] : by_collective())
    RONDO_TRY(measure_sizes(calls, algorithms, list));
  return list;
}

select::Tuning tuning_of(const Place& place, std::vector<MeasuredTimes> times) {
  select::Tuning tuning;
  tuning.transport = place.last_call().transport;
  tuning.hosts = names_of_hosts(place);
  const auto layout = std::make_shared<const schedule::HostLayout>(place.layout());
  tuning.network = select::fit(first_guess(place), runs_to_fit(place, times, layout));
  for (MeasuredTimes& of : times) {
    const Algorithm& algorithm = *algorithms::find(of.collective, of.algorithm);
    for (MeasuredTimes::Point& point : of.points) {
      point.simulated_us = select::simulated_us(algorithm, point.bytes, layout, tuning.network,
                                                place.segment_bytes());
    }
    std::erase_if(of.points,
                  [](const MeasuredTimes::Point& point) { return point.simulated_us <= 0; });
  }
  tuning.measured = std::move(times);
  return tuning;
}

}  // namespace rondo::communicator
