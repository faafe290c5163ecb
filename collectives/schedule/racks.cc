#include "collectives/schedule/racks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace rondo::schedule {
namespace {

constexpr int kNone = -1;

std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

std::vector<double> own_links(const LinkSpeeds& links) {
  std::vector<double> own;
  for (Rank rank = 0; rank < links.world(); ++rank) own.push_back(links.of(rank));
  return own;
}

/// Gives `first` and all that are joined to it the same number, from rank to rank no faster.
void visit_rack(const LinkSpeeds& links, const std::vector<double>& own, Rank first, int number,
                std::vector<int>& rack_of) {
  rack_of[index(first)] = number;
  std::vector<Rank> to_visit{first};
  while (!to_visit.empty()) {
    const Rank one = to_visit.back();
    to_visit.pop_back();
    for (Rank other = 0; other < links.world(); ++other) {
      if (rack_of[index(other)] != kNone || own[index(other)] > own[index(one)]) continue;
      const double pair = std::min(links.between(one, other), links.between(other, one));
      if (pair < own[index(other)]) continue;
      rack_of[index(other)] = number;
      to_visit.push_back(other);
    }
  }
}

void number_by_lowest_rank(std::vector<int>& rack_of) {
  std::map<int, int> numbers;
  for (int& rack : rack_of)
    rack = numbers.try_emplace(rack, static_cast<int>(numbers.size())).first->second;
}

}  // namespace

std::vector<int> racks_of(const LinkSpeeds& links) {
  const std::vector<double> own = own_links(links);
  std::vector<Rank> fastest_first(own.size());
  std::iota(fastest_first.begin(), fastest_first.end(), 0);
  std::ranges::stable_sort(fastest_first, std::greater<>(),
                           [&](Rank rank) { return own[index(rank)]; });
  std::vector<int> rack_of(own.size(), kNone);
  int racks = 0;
  for (const Rank first : fastest_first)
    if (rack_of[index(first)] == kNone) visit_rack(links, own, first, racks++, rack_of);
  number_by_lowest_rank(rack_of);
  return rack_of;
}

LinkSpeeds with_racks_alike(const LinkSpeeds& links) {
  const std::vector<int> rack_of = racks_of(links);
  const std::vector<double> own = own_links(links);
  std::map<std::pair<int, int>, double> fastest;
  const auto for_each_pair = [&](auto&& visit) {
    for (Rank from = 0; from < links.world(); ++from)
      for (Rank to = 0; to < links.world(); ++to)
        visit(from, to, fastest[{rack_of[index(from)], rack_of[index(to)]}]);
  };
  for_each_pair(
      [&](Rank from, Rank to, double& most) { most = std::max(most, links.between(from, to)); });
  std::vector<double> speeds;
  for_each_pair([&](Rank from, Rank to, double most) {
    const bool is_inside = rack_of[index(from)] == rack_of[index(to)];
    const double own_links = std::min(own[index(from)], own[index(to)]);
    const double pair = is_inside ? links.between(from, to) : std::min(most, own_links);
    speeds.push_back(links.share_memory(from, to) ? 0 : pair);
  });
  return LinkSpeeds::of_pairs(links.world(), speeds);
}

}  // namespace rondo::schedule
