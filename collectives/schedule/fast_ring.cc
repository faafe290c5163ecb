// Rings over links of unequal speeds. See link_speeds.h.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "collectives/schedule/link_speeds.h"

namespace rondo::schedule {
namespace {

constexpr std::size_t kMostRanks = 128;
/// 5,040 rings.
constexpr std::size_t kMostTriedAll = 8;
/// Each pass of 2-opt that helps shortens what is left; more than a few find next to nothing.
constexpr int kPasses = 8;

/// What a ring is judged by: its slowest step first, then all steps' times.
struct RingTime {
  double slowest = 0;
  double sum = 0;
  bool operator<(const RingTime& other) const {
    return std::pair(slowest, sum) < std::pair(other.slowest, other.sum);
  }
};

RingTime time_of(const LinkSpeeds& links, std::span<const Rank> order) {
  RingTime time;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double step = 1 / links.between(order[place], order[(place + 1) % order.size()]);
    time.slowest = std::max(time.slowest, step);
    time.sum += step;
  }
  return time;
}

/// From the first of `order` on, always to the fastest of those that are left; of equals, to the
/// one that comes first in `order`.
std::vector<Rank> nearest_neighbours(const LinkSpeeds& links, std::span<const Rank> order) {
  std::vector<Rank> left(order.begin(), order.end());
  std::vector<Rank> ring{left.front()};
  left.erase(left.begin());
  while (!left.empty()) {
    const auto next = std::max_element(left.begin(), left.end(), [&](Rank a, Rank b) {
      return links.between(ring.back(), a) < links.between(ring.back(), b);
    });
    ring.push_back(*next);
    left.erase(next);
  }
  return ring;
}

/// True if turning a stretch of the ring round has helped.
bool turn_stretches_round(const LinkSpeeds& links, std::vector<Rank>& ring) {
  RingTime best = time_of(links, ring);
  bool helped = false;
  for (std::size_t begin = 1; begin + 1 < ring.size(); ++begin) {
    for (std::size_t end = begin + 2; end <= ring.size(); ++end) {
      const auto first = ring.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = ring.begin() + static_cast<std::ptrdiff_t>(end);
      std::reverse(first, last);
      if (const RingTime time = time_of(links, ring); time < best) {
        best = time;
        helped = true;
      } else {
        std::reverse(first, last);
      }
    }
  }
  return helped;
}

std::vector<Rank> best_of_all(const LinkSpeeds& links, std::span<const Rank> order) {
  std::vector<Rank> best(order.begin(), order.end());
  std::vector<std::size_t> places(order.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  RingTime least = time_of(links, order);
  while (std::next_permutation(places.begin() + 1, places.end())) {
    std::vector<Rank> ring;
    for (const std::size_t place : places) ring.push_back(order[place]);
    const RingTime time = time_of(links, ring);
    if (!(time < least)) continue;
    least = time;
    best = std::move(ring);
  }
  return best;
}

}  // namespace

std::vector<Rank> fast_ring(const LinkSpeeds& links, std::span<const Rank> order) {
  std::vector<Rank> given(order.begin(), order.end());
  if (given.size() > kMostRanks || given.size() < 4) return given;
  if (given.size() <= kMostTriedAll) return best_of_all(links, order);
  std::vector<Rank> ring = nearest_neighbours(links, order);
  for (int pass = 0; pass < kPasses && turn_stretches_round(links, ring);) ++pass;
  return time_of(links, ring) < time_of(links, given) ? ring : given;
}

double slowest_step(const LinkSpeeds& links, std::span<const Rank> order) {
  return 1 / time_of(links, order).slowest;
}

}  // namespace rondo::schedule
