#include "tools/rondo/trace/clock_offsets.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace rondo::tool {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
/// More than a trace's instants can be apart; however many are chained, there is room for the sum.
constexpr std::int64_t kMostNs = std::int64_t{1} << 60;

struct Bounds {
  std::int64_t least_ns = -kNoBound;
  std::int64_t most_ns = kNoBound;
};

void narrow(Bounds& bounds, const RankTrace& own, const RankTrace& other) {
  for (const auto& [sequence, ours] : own.calls) {
    const auto found = other.calls.find(sequence);
    if (found == other.calls.end()) continue;
    const TracedCall& theirs = found->second;
    if (ours.result != "Ok" || theirs.result != "Ok") continue;
    if (must_precede(ours, own.rank, other.rank))
      bounds.least_ns = std::max(bounds.least_ns, ours.begun_ns - theirs.done_ns);
    if (must_precede(ours, other.rank, own.rank))
      bounds.most_ns = std::min(bounds.most_ns, ours.done_ns - theirs.begun_ns);
  }
}

ClockOffset offset_of(const Bounds& bounds) {
  using Kind = ClockOffset::Kind;
  const bool has_least = bounds.least_ns != -kNoBound;
  const bool has_most = bounds.most_ns != kNoBound;
  if (!has_least || !has_most) {
    const std::int64_t known = has_least ? bounds.least_ns : has_most ? bounds.most_ns : 0;
    return {.ns = known, .within_ns = 0, .kind = Kind::kUnknown};
  }
  const std::int64_t middle = bounds.least_ns + (bounds.most_ns - bounds.least_ns) / 2;
  const std::int64_t half = (bounds.most_ns - bounds.least_ns + 1) / 2;
  if (half < 0) return {.ns = middle, .within_ns = -half, .kind = Kind::kInconsistent};
  return {.ns = middle, .within_ns = half, .kind = Kind::kBounded};
}

using Offsets = std::map<std::string, ClockOffset>;

bool is_sure(const ClockOffset& offset) {
  return offset.kind == ClockOffset::Kind::kOwn || offset.kind == ClockOffset::Kind::kBounded;
}

bool is_surer(const ClockOffset& one, const ClockOffset& other) {
  return is_sure(one) && (!is_sure(other) || one.within_ns < other.within_ns);
}

/// One clock's offset against a second, and the second's against a third: the first's against that.
ClockOffset chained(const ClockOffset& first, const ClockOffset& second) {
  const auto sum = [](std::int64_t a, std::int64_t b) {
    return std::clamp(a + b, -kMostNs, kMostNs);
  };
  ClockOffset offset{.ns = sum(first.ns, second.ns),
                     .within_ns = sum(first.within_ns, second.within_ns),
                     .kind = ClockOffset::Kind::kBounded};
  if (!is_sure(second)) offset.kind = second.kind;
  if (!is_sure(first)) offset.kind = first.kind;
  return offset;
}

/// The offset of `clock` against the one that a list of these belongs to.
struct Link {
  std::string clock;
  ClockOffset offset;
};
using Links = std::map<std::string, std::vector<Link>>;

Links links_of(const std::vector<std::vector<const RankTrace*>>& jobs) {
  Links links;
  for (const auto& ranks : jobs) {
    const std::string& base = ranks.front()->clock;
    for (const auto& [clock, offset] : estimate_offsets(ranks)) {
      if (clock == base) continue;
      const ClockOffset back{.ns = -offset.ns, .within_ns = offset.within_ns, .kind = offset.kind};
      links[base].push_back({clock, offset});
      links[clock].push_back({base, back});
    }
  }
  return links;
}

/// A way to a clock from the one that a frame is of.
struct Way {
  std::string clock;
  ClockOffset offset;
  std::size_t number = 0;
};
struct IsWorse {
  bool operator()(const Way& one, const Way& other) const {
    if (is_surer(one.offset, other.offset)) return false;
    return is_surer(other.offset, one.offset) || one.number > other.number;
  }
};

/// Adds `first` and all that links lead to from there, each by the narrowest bounds of all ways: of
/// the ways that are left the narrowest is never made narrower by another clock (E. W. Dijkstra,
/// 1959).
void add_frame(const std::string& first, const Links& links, Offsets& known) {
  std::priority_queue<Way, std::vector<Way>, IsWorse> ways;
  ways.push({.clock = first, .offset = {}});
  for (std::size_t number = 0; !ways.empty();) {
    const Way way = ways.top();
    ways.pop();
    if (!known.emplace(way.clock, way.offset).second) continue;
    const auto found = links.find(way.clock);
    if (found == links.end()) continue;
    for (const Link& link : found->second)
      ways.push({link.clock, chained(link.offset, way.offset), ++number});
  }
}

}  // namespace

bool must_precede(const TracedCall& call, int from, int to) {
  if (call.collective == "barrier") return true;
  if (call.count == 0 || call.collective.ends_with("_v")) return false;  // a part may be empty
  if (call.collective == "broadcast" || call.collective == "scatter") return from == call.root;
  if (call.collective == "reduce" || call.collective == "gather") return to == call.root;
  return true;
}

std::map<std::string, ClockOffset> estimate_offsets(const std::vector<const RankTrace*>& ranks) {
  std::map<std::string, ClockOffset> offsets;
  if (ranks.empty()) return offsets;
  const std::string& own = ranks.front()->clock;
  offsets[own] = {};
  std::map<std::string, Bounds> bounds;
  for (const RankTrace* rank : ranks) {
    if (rank->clock == own) continue;
    for (const RankTrace* reference : ranks) {
      if (reference->clock == own) narrow(bounds[rank->clock], *reference, *rank);
    }
  }
  for (const auto& [clock, bound] : bounds) offsets[clock] = offset_of(bound);
  return offsets;
}

std::map<std::string, ClockOffset> estimate_offsets(
    const std::vector<std::vector<const RankTrace*>>& jobs) {
  const Links links = links_of(jobs);
  Offsets known;
  for (const auto& ranks : jobs) {
    const std::string& base = ranks.front()->clock;
    if (!known.contains(base)) add_frame(base, links, known);
  }
  return known;
}

}  // namespace rondo::tool
