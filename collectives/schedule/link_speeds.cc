#include "collectives/schedule/link_speeds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace rondo::schedule {
namespace {

constexpr double kSteps = 8;
/// From here to 1 counts as 1.
constexpr double kAsFast = 0.7;

double rounded(double relative) {
  if (relative >= kAsFast) return 1;
  return std::max(1.0, std::round(relative * kSteps)) / kSteps;
}

}  // namespace

LinkSpeeds LinkSpeeds::of_ranks(std::span<const double> speeds) {
  const std::size_t world = speeds.size();
  std::vector<double> pairs(world * world, 0);
  for (std::size_t from = 0; from < world; ++from) {
    for (std::size_t to = 0; to < world; ++to) {
      if (from != to) pairs[from * world + to] = std::min(speeds[from], speeds[to]);
    }
  }
  return of_pairs(static_cast<int>(world), pairs);
}

LinkSpeeds LinkSpeeds::of_pairs(int world, std::span<const double> speeds) {
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  std::vector<double> links(speeds.begin(), speeds.end());
  for (double& speed : links) {
    if (speed != 0) speed = rounded(speed / fastest);
  }
  return {world, std::move(links)};
}

LinkSpeeds::LinkSpeeds(int world, std::vector<double> links)
    : world_(world), links_(std::move(links)) {}

double LinkSpeeds::of(Rank rank) const {
  double out = 0;
  double in = 0;
  for (Rank other = 0; other < world_; ++other) {
    out = std::max(out, link(rank, other));
    in = std::max(in, link(other, rank));
  }
  const double slower = std::min(out, in);
  return slower == 0 ? 1 : slower;
}

LinkSpeeds LinkSpeeds::restricted_to(std::span<const Rank> ranks) const {
  std::vector<double> links;
  for (const Rank from : ranks) {
    for (const Rank to : ranks) links.push_back(link(from, to));
  }
  return {static_cast<int>(ranks.size()), std::move(links)};
}

double LinkSpeeds::slowest() const {
  double slowest = 1;
  for (const double speed : links_) {
    if (speed != 0) slowest = std::min(slowest, speed);
  }
  return slowest;
}

std::vector<double> owners_shares(const LinkSpeeds& links) {
  const int world = links.world();
  if (world <= 2) return std::vector<double>(static_cast<std::size_t>(world), 1.0 / world);
  std::vector<double> speeds;
  for (Rank rank = 0; rank < world; ++rank) speeds.push_back(links.of(rank));
  std::vector<double> fastest_first = speeds;
  std::sort(fastest_first.begin(), fastest_first.end(), std::greater<>());
  // With `owners` ranks that own something, all of those take `time`; a rank that is too slow to
  // own anything in that time leaves.
  std::size_t owners = fastest_first.size();
  double time = 0;
  for (; owners > 0; --owners) {
    const double sum = std::accumulate(
        fastest_first.begin(), fastest_first.begin() + static_cast<std::ptrdiff_t>(owners), 0.0);
    time = (world - 2 + static_cast<double>(owners)) / sum;
    if (time * fastest_first[owners - 1] >= 1) break;
  }
  std::vector<double> shares;
  for (const double speed : speeds)
    shares.push_back(std::max(0.0, (time * speed - 1) / (world - 2)));
  return shares;
}

}  // namespace rondo::schedule
