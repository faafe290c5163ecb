#include "tools/rondo/trace/clock_offsets.h"

#include <algorithm>
#include <limits>

namespace rondo::tool {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

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

}  // namespace rondo::tool
