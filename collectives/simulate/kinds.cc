#include "collectives/simulate/kinds.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>
#include <utility>

#include "collectives/simulate/trace_hash.h"

namespace rondo::simulate {
namespace {

using schedule::Rank;

/// Whether ranks of a host can slow each other down without a message to another host.
bool shares_inside(const HostGroup& group) {
  return (group.cores > 0 && group.cores < group.ranks) || group.memory_bytes_per_us > 0;
}

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

Kinds::Kinds(const Survey& survey, const Network& network) : survey_(survey) {
  make_units(network);
  std::vector<std::uint64_t> keys;
  for (int unit = 0; unit < static_cast<int>(units()); ++unit)
    keys.push_back(guess(unit, host_of_unit(unit, network)));
  number_kinds(keys);
}

/// Hosts; in a world of one host whose ranks share nothing, ranks.
void Kinds::make_units(const Network& network) {
  unit_of_ = hosts_of_ranks(network);
  units_are_hosts_ = unit_of_.back() > 0 || shares_inside(network.groups.front());
  if (!units_are_hosts_) std::iota(unit_of_.begin(), unit_of_.end(), 0);
  for (Rank rank = 0; rank < survey_.world(); ++rank)
    if (rank == 0 || unit_of_[at(rank)] != unit_of_[at(rank - 1)]) first_rank_.push_back(rank);
  first_rank_.push_back(survey_.world());
}

const HostGroup& Kinds::host_of_unit(int unit, const Network& network) const {
  int host = units_are_hosts_ ? unit : 0;
  std::size_t group = 0;
  while (host >= network.groups[group].hosts) host -= network.groups[group++].hosts;
  return network.groups[group];
}

std::uint64_t Kinds::guess(int unit, const HostGroup& host) const {
  TraceHash hash;
  hash.add(static_cast<std::uint64_t>(host.cores));
  for (const double speed :
       {host.up_bytes_per_us, host.down_bytes_per_us, host.memory_bytes_per_us})
    hash.add(speed);
  for (Rank rank = first_rank_[at(unit)]; rank < first_rank_[at(unit + 1)]; ++rank) {
    hash.add(survey_.shape(rank));
    for (std::uint32_t pair = survey_.first_pair(rank); pair < survey_.first_pair(rank + 1);
         ++pair) {
      const Rank peer = survey_.peer(pair);
      const bool inside = unit_of_[at(peer)] == unit;
      hash.add(std::uint64_t{inside});
      hash.add(std::uint64_t{survey_.turned(pair) - survey_.first_pair(peer)});
      if (inside) hash.add(static_cast<std::uint64_t>(peer - first_rank_[at(unit)]));
    }
  }
  return hash.bits();
}

void Kinds::number_kinds(const std::vector<std::uint64_t>& keys) {
  boost::unordered_flat_map<std::uint64_t, int> kinds;
  kind_of_.clear();
  representative_.clear();
  units_each_.clear();
  for (const std::uint64_t key : keys) {
    const auto [found, is_new] = kinds.emplace(key, static_cast<int>(kinds.size()));
    if (is_new) {
      representative_.push_back(static_cast<int>(kind_of_.size()));
      units_each_.push_back(0);
    }
    kind_of_.push_back(found->second);
    ++units_each_[at(found->second)];
  }
  list_exchanges();
}

/// The representative's pair in the place of `pair`.
std::uint32_t Kinds::stands_for(std::uint32_t pair) const {
  const int unit = unit_of_[at(survey_.peer(survey_.turned(pair)))];
  const int representative = representative_[at(kind_of_[at(unit)])];
  return pair - survey_.first_pair(first_rank_[at(unit)]) +
         survey_.first_pair(first_rank_[at(representative)]);
}

void Kinds::ByPair::fill(std::size_t pairs, std::span<const std::uint32_t> pair_of) {
  first.assign(pairs + 1, 0);
  for (const std::uint32_t pair : pair_of) ++first[pair];
  std::partial_sum(first.begin(), first.end(), first.begin());
  exchanges.resize(pair_of.size());
  // From behind: what was where each list ends comes to be where it begins.
  for (std::size_t i = pair_of.size(); i-- > 0;)
    exchanges[--first[pair_of[i]]] = static_cast<std::uint32_t>(i);
}

void Kinds::list_exchanges() {
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> index;
  if (!all_differ()) index.reserve(survey_.pairs());
  std::vector<std::uint32_t> froms;
  std::vector<std::uint32_t> tos;
  exchanges_.clear();
  exchange_of_.resize(survey_.pairs());
  for (std::uint32_t pair = 0; pair < survey_.pairs(); ++pair) {
    const std::uint32_t from = stands_for(pair);
    const std::uint32_t to = stands_for(survey_.turned(pair));
    const auto number = static_cast<std::uint32_t>(exchanges_.size());
    // Where all differ, each pair has one of its own.
    const std::uint32_t found =
        all_differ() ? number
                     : index.emplace((std::uint64_t{from} << 32U) | to, number).first->second;
    exchange_of_[pair] = found;
    if (found == number) {
      exchanges_.push_back({.pair = pair});
      froms.push_back(from);
      tos.push_back(to);
    }
    Exchange& exchange = exchanges_[found];
    if (from == pair) exchange = {pair, true, exchange.of_receiver};
    if (to == survey_.turned(pair)) exchange.of_receiver = true;
  }
  sent_from_.fill(survey_.pairs(), froms);
  received_at_.fill(survey_.pairs(), tos);
}

void Kinds::part_all() {
  std::vector<std::uint64_t> keys(units());
  std::iota(keys.begin(), keys.end(), std::uint64_t{0});
  number_kinds(keys);
}

bool Kinds::part(const std::vector<std::uint64_t>& traces) {
  const std::size_t before = kinds();
  std::vector<std::uint64_t> keys;
  for (std::size_t unit = 0; unit < kind_of_.size(); ++unit) {
    TraceHash hash;
    hash.add(static_cast<std::uint64_t>(kind_of_[unit]));
    const std::uint32_t end = survey_.first_pair(first_rank_[unit + 1]);
    for (std::uint32_t pair = survey_.first_pair(first_rank_[unit]); pair < end; ++pair) {
      hash.add(traces[exchange_of_[pair]]);
      hash.add(traces[exchange_of_[survey_.turned(pair)]]);
    }
    keys.push_back(hash.bits());
  }
  number_kinds(keys);
  return kinds() > before;
}

Quotient Kinds::quotient() const {
  std::vector<Representative> representatives;
  std::vector<int> first;  // of each kind
  for (std::size_t kind = 0; kind < kinds(); ++kind) {
    first.push_back(static_cast<int>(representatives.size()));
    const auto unit = at(representative_[kind]);
    for (Rank rank = first_rank_[unit]; rank < first_rank_[unit + 1]; ++rank)
      representatives.push_back({rank, units_each_[kind]});
  }
  std::vector<int> stands_for_rank;
  for (Rank rank = 0; rank < survey_.world(); ++rank) {
    const auto unit = at(unit_of_[at(rank)]);
    stands_for_rank.push_back(first[at(kind_of_[unit])] + rank - first_rank_[unit]);
  }
  return Quotient::of_kinds(std::move(representatives), std::move(stands_for_rank));
}

}  // namespace rondo::simulate
