#include "collectives/select/pricing.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "collectives/select/schedules.h"
#include "collectives/simulate/simulate.h"

namespace rondo::select {
namespace {

using algorithms::Algorithm;

constexpr std::size_t kElementBytes = sizeof(float);
/// A tenth of a second's worth, about, and twice that where there are two bounds; what takes more
/// isn't chosen by it.
constexpr std::uint64_t kMostWork = 300'000;
/// A few milliseconds' worth of one algorithm.
constexpr std::uint64_t kMostPieces = 10'000;

std::vector<int> hosts_of(const schedule::HostLayout& layout) {
  std::vector<int> hosts;
  for (schedule::Rank rank = 0; rank < layout.world(); ++rank)
    hosts.push_back(layout.host_of(rank));
  return hosts;
}

/// Of those that are known; 0: none is.
double least_of(std::span<const Candidate> list, double Candidate::*time) {
  double least = 0;
  for (const Candidate& each : list)
    if (each.*time > 0 && (least == 0 || each.*time < least)) least = each.*time;
  return least;
}

/// The one to choose first.
void sort(std::vector<Candidate>& list) {
  const std::vector<Candidate> all = list;
  std::ranges::stable_sort(list, {}, [&](const Candidate& each) { return most_behind(each, all); });
}

}  // namespace

simulate::Network network_for(const schedule::HostLayout& layout,
                              const simulate::Network& measured) {
  if (simulate::hosts_of_ranks(measured) == hosts_of(layout)) return measured;
  simulate::Network network = measured;
  network.groups.clear();
  for (int host = 0; host < layout.hosts(); ++host) {
    const auto ranks = static_cast<int>(layout.ranks_of(host).size());
    if (!network.groups.empty() && network.groups.back().ranks == ranks) {
      ++network.groups.back().hosts;
      continue;
    }
    simulate::HostGroup group = measured.groups.front();
    group.hosts = 1;
    group.ranks = ranks;
    network.groups.push_back(group);
  }
  return network;
}

std::shared_ptr<const Tuning> built_in_tuning(bool shares_memory) {
  auto tuning = std::make_shared<Tuning>();
  tuning->network = simulate::default_network(1, 1);
  tuning->network.groups.front().cores = 0;  // one for each of however many ranks
  if (!shares_memory) tuning->network.inside = tuning->network.between;
  return tuning;
}

std::size_t priced_bytes(std::size_t bytes) {
  if (bytes <= kElementBytes) return kElementBytes;
  const std::size_t power = std::bit_floor(bytes);
  if (bytes < power + power / 4) return power;
  if (bytes < power + power / 2 + power / 4) return power + power / 2;
  return power * 2;
}

std::pair<std::size_t, std::size_t> priced_around(std::size_t bytes) {
  if (bytes <= kElementBytes) return {kElementBytes, kElementBytes};
  const std::size_t power = std::bit_floor(bytes);
  const std::size_t between = power + power / 2;
  if (bytes == power || bytes == between) return {bytes, bytes};
  return bytes < between ? std::pair(power, between) : std::pair(between, power * 2);
}

simulate::Options priced_options(std::size_t segment_bytes) {
  return {.segment_bytes = segment_bytes, .most_pieces = kMostPieces, .most_work = kMostWork};
}

double simulated_us(const Algorithm& algorithm, std::size_t bytes,
                    const schedule::SharedLayout& layout, const simulate::Network& network,
                    std::size_t segment_bytes) {
  const auto schedules = schedules_of(
      algorithm,
      {.collective = algorithm.collective, .world = layout->world(), .root = 0, .layout = layout},
      bytes / kElementBytes);
  if (!schedules.ok()) return 0;
  const auto prediction = predict(*schedules, network, priced_options(segment_bytes));
  return prediction.ok() ? prediction->us : 0;
}

std::unique_ptr<Pricing> Pricing::make(std::shared_ptr<const Tuning> tuning,
                                       const schedule::SharedLayout& layout,
                                       std::size_t segment_bytes) {
  const std::vector<int> hosts = hosts_of(*layout);
  if (layout->world() > kMostRanks || layout->links() != nullptr ||
      !std::is_sorted(hosts.begin(), hosts.end()))
    return nullptr;
  simulate::Network network = network_for(*layout, tuning->network);
  return std::unique_ptr<Pricing>(
      new Pricing(std::move(tuning), layout, std::move(network), segment_bytes));
}

Pricing::Pricing(std::shared_ptr<const Tuning> tuning, schedule::SharedLayout layout,
                 simulate::Network network, std::size_t segment_bytes)
    : tuning_(std::move(tuning)),
      layout_(std::move(layout)),
      network_(std::move(network)),
      segment_bytes_(segment_bytes),
      measured_here_(simulate::hosts_of_ranks(tuning_->network) == hosts_of(*layout_)) {}

void Pricing::use_pace(Pace pace) {
  pace_ = std::move(pace);
  priced_.clear();
}

double most_behind(const Candidate& candidate, std::span<const Candidate> list) {
  constexpr double kForgiven = 1.1;
  const double least_us = least_of(list, &Candidate::predicted_us);
  const double least_registered_us = least_of(list, &Candidate::registered_us);
  const double behind = least_us > 0 ? candidate.predicted_us / least_us : 0;
  if (least_registered_us == 0) return behind;
  return std::max(behind, candidate.registered_us / (kForgiven * least_registered_us));
}

double Pricing::correction(const Algorithm& algorithm, std::size_t bytes, MemoryKind memory) const {
  if (!measured_here_) return 1;
  return tuning_->correction(algorithm.collective, algorithm.name, bytes, memory);
}

MemoryKind Pricing::known_kind(const Algorithm& algorithm, std::size_t bytes,
                               MemoryKind memory) const {
  const bool is_known = tuning_->is_known(algorithm.collective, algorithm.name, bytes, memory);
  return is_known ? memory : MemoryKind::kOrdinary;
}

double Pricing::predicted_us(const Algorithm& algorithm, std::size_t bytes) const {
  return simulated_us(algorithm, bytes, layout_, network_, segment_bytes_) *
         correction(algorithm, bytes) * pace(bytes);
}

double Pricing::priced_us(const Algorithm& algorithm, std::size_t priced) {
  const auto [found, is_new] = simulated_us_.try_emplace({&algorithm, priced});
  if (is_new) found->second = simulated_us(algorithm, priced, layout_, network_, segment_bytes_);
  return found->second;
}

double Pricing::predicted_between_us(const Algorithm& algorithm, std::size_t bytes,
                                     MemoryKind memory) {
  const auto [low, high] = priced_around(bytes);
  const double low_us = priced_us(algorithm, low);
  const double high_us = priced_us(algorithm, high);
  if (low_us <= 0 || high_us <= 0) return 0;
  const double part = high == low ? 0
                                  : (static_cast<double>(bytes) - static_cast<double>(low)) /
                                        static_cast<double>(high - low);
  return (low_us + part * (high_us - low_us)) * correction(algorithm, bytes, memory) *
         pace(bytes, known_kind(algorithm, bytes, memory));
}

double Pricing::predicted_us(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                             std::size_t element_bytes) const {
  simulate::Options options = priced_options(segment_bytes_);
  options.element_bytes = element_bytes;
  const auto prediction = simulate::simulate(world, table, network_, options);
  return prediction.ok() ? prediction->us : 0;
}

const std::vector<Candidate>& Pricing::candidates(schedule::Collective collective,
                                                  std::size_t bytes, const Demands& demands) {
  const std::size_t rounded = priced_bytes(bytes);
  const auto [found, is_new] =
      priced_.try_emplace(Key{collective, rounded, demands.rows, demands.order});
  std::vector<Candidate>& list = found->second;
  if (!is_new) return list;
  for (const Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != collective || !allows(demands, algorithm)) continue;
    const double us = priced_us(algorithm, rounded);
    if (us <= 0) continue;
    const bool is_known = measured_here_ && tuning_->is_known(collective, algorithm.name, rounded,
                                                              MemoryKind::kRegistered);
    list.push_back({&algorithm, us * correction(algorithm, rounded),
                    is_known ? us * correction(algorithm, rounded, MemoryKind::kRegistered) : 0});
  }
  sort(list);
  // Behind the choice: of two that are level one mustn't come first by how a product is rounded.
  for (Candidate& candidate : list) {
    candidate.predicted_us *= pace(rounded);
    candidate.registered_us *= pace(rounded, MemoryKind::kRegistered);
  }
  return list;
}

}  // namespace rondo::select
