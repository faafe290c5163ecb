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
  return {static_cast<int>(world), std::move(pairs)};
}

LinkSpeeds LinkSpeeds::of_pairs(int world, std::span<const double> speeds) {
  return {world, {speeds.begin(), speeds.end()}};
}

LinkSpeeds::LinkSpeeds(int world, std::vector<double> speeds)
    : world_(world), between_(std::move(speeds)) {
  const double fastest = *std::max_element(between_.begin(), between_.end());
  for (double& speed : between_) speed = speed == 0 ? 1 : rounded(speed / fastest);
}

double LinkSpeeds::of(Rank rank) const {
  double out = 0;
  double in = 0;
  for (Rank other = 0; other < world_; ++other) {
    if (other == rank) continue;
    out = std::max(out, between(rank, other));
    in = std::max(in, between(other, rank));
  }
  return world_ == 1 ? 1 : std::min(out, in);
}

LinkSpeeds LinkSpeeds::restricted_to(std::span<const Rank> ranks) const {
  std::vector<double> speeds;
  for (const Rank from : ranks) {
    for (const Rank to : ranks) speeds.push_back(between(from, to));
  }
  return {static_cast<int>(ranks.size()), std::move(speeds)};
}

double LinkSpeeds::slowest() const { return *std::min_element(between_.begin(), between_.end()); }

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
