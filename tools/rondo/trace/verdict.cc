#include "tools/rondo/trace/verdict.h"

#include <algorithm>

namespace rondo::tool {
namespace {

constexpr double kSecondsPerNs = 1e-9;
/// What costs less of the time in calls isn't worth a name.
constexpr double kWorthNaming = 0.1;
/// A link is slow where others' are more than so many times as fast.
constexpr double kSlower = 1.5;

/// One call on all ranks, by the common clock.
struct CommonCall {
  std::vector<TracedCall> at;             ///< by place in JobSummary::ranks
  std::vector<std::int64_t> before_done;  ///< when the rank's call before was done
};

double seconds(std::int64_t ns) { return static_cast<double>(ns) * kSecondsPerNs; }

TracedCall shifted(TracedCall call, std::int64_t offset_ns) {
  call.entered_ns += offset_ns;
  call.begun_ns += offset_ns;
  call.done_ns += offset_ns;
  return call;
}

std::int64_t median_of_others(const CommonCall& call, std::size_t own) {
  std::vector<std::int64_t> begun;
  for (std::size_t i = 0; i < call.at.size(); ++i) {
    if (i != own) begun.push_back(call.at[i].begun_ns);
  }
  const auto middle = begun.begin() + static_cast<std::ptrdiff_t>((begun.size() - 1) / 2);
  std::ranges::nth_element(begun, middle);
  return *middle;
}

std::int64_t duration_of(const CommonCall& call) {
  std::int64_t longest = 0;
  for (const TracedCall& one : call.at) longest = std::max(longest, one.done_ns - one.begun_ns);
  return longest;
}

class Summary {
 public:
  explicit Summary(const std::vector<const RankTrace*>& traces) : traces_(traces) {
    job_.job = traces.front()->job;
    job_.world = traces.front()->world;
    const auto offsets = estimate_offsets(traces);
    for (const RankTrace* trace : traces) {
      place_of_[trace->rank] = job_.ranks.size();
      job_.ranks.push_back(
          {.rank = trace->rank, .host = trace->host, .clock = offsets.at(trace->clock)});
    }
  }

  JobSummary make() {
    std::vector<std::int64_t> done(traces_.size(), std::numeric_limits<std::int64_t>::min());
    for (const auto& [sequence, first] : traces_.front()->calls) {
      CommonCall call{.at = {}, .before_done = done};
      for (std::size_t i = 0; i < traces_.size(); ++i) {
        const auto found = traces_[i]->calls.find(sequence);
        if (found == traces_[i]->calls.end()) break;
        call.at.push_back(shifted(found->second, job_.ranks[i].clock.ns));
      }
      if (call.at.size() != traces_.size()) continue;
      for (std::size_t i = 0; i < done.size(); ++i) done[i] = call.at[i].done_ns;
      add(call);
    }
    job_.verdict = judge();
    return std::move(job_);
  }

 private:
  void add(const CommonCall& call) {
    ++job_.calls;
    job_.seconds += seconds(duration_of(call));
    for (std::size_t i = 0; i < call.at.size(); ++i) {
      const TracedCall& own = call.at[i];
      RankSummary& rank = job_.ranks[i];
      ++rank.calls;
      rank.failed += own.result == "Ok" ? 0 : 1;
      rank.wait += seconds(own.wait_ns);
      rank.transfer += seconds(own.transfer_ns);
      rank.reduce += seconds(own.reduce_ns);
      if (own.link_peer >= 0) {
        LinkSummary& link = job_.links[{own.link_peer, rank.rank}];
        link.seconds += seconds(own.link_ns);
        link.bytes += static_cast<double>(own.link_bytes);
      }
      if (call.at.size() > 1) add_lateness(call, i);
      add_held_up(call, i);
    }
  }

  void add_lateness(const CommonCall& call, std::size_t i) {
    const TracedCall& own = call.at[i];
    std::int64_t late_ns = own.entered_ns - median_of_others(call, i);
    const bool is_first = call.before_done[i] == std::numeric_limits<std::int64_t>::min();
    // Before its first call a rank has been outside for as long as nobody knows.
    if (!is_first) late_ns = std::min(late_ns, own.entered_ns - call.before_done[i]);
    if (late_ns <= job_.ranks[i].clock.within_ns) return;
    job_.ranks[i].late += seconds(late_ns);
    if (seconds(late_ns) >= kWorthNaming * seconds(duration_of(call))) ++job_.ranks[i].late_calls;
  }

  /// Of a rank's wait, what was after the peer that it waited for had begun.
  void add_held_up(const CommonCall& call, std::size_t i) {
    const TracedCall& own = call.at[i];
    const auto found = place_of_.find(own.waited_longest_for);
    if (found == place_of_.end()) return;
    const std::int64_t until_begun =
        std::max<std::int64_t>(0, call.at[found->second].begun_ns - own.begun_ns);
    const double waited = seconds(std::max<std::int64_t>(0, own.wait_ns - until_begun));
    job_.ranks[found->second].held_up += waited;
    job_.ranks[i].held_up -= waited;
  }

  Verdict judge() const {
    Verdict worst = late();
    for (const Verdict& other : {link(), data()}) {
      if (other.seconds > worst.seconds) worst = other;
    }
    if (worst.seconds < kWorthNaming * job_.seconds || worst.seconds <= 0) return {};
    return worst;
  }

  Verdict late() const {
    const auto worst = std::ranges::max_element(job_.ranks, {}, &RankSummary::late);
    return {.kind = Slowness::kLate, .rank = worst->rank, .seconds = worst->late};
  }

  Verdict data() const {
    const auto worst = std::ranges::max_element(job_.ranks, {}, &RankSummary::held_up);
    return {.kind = Slowness::kData, .rank = worst->rank, .seconds = worst->held_up};
  }

  /// Links of all ranks that touch `rank` (or don't), but for that from `rank` to `peer`.
  template <class Which>
  LinkSummary together(const Which& which) const {
    LinkSummary sum;
    for (const auto& [ends, link] : job_.links) {
      if (!which(ends.first, ends.second)) continue;
      sum.seconds += link.seconds;
      sum.bytes += link.bytes;
    }
    return sum;
  }

  /// From the link that took longest, whose rate tells whether it is slow, to the rank behind it.
  Verdict link() const {
    if (job_.links.empty()) return {};
    const auto worst = std::ranges::max_element(
        job_.links, {}, [](const auto& entry) { return entry.second.seconds; });
    const auto [from, to] = worst->first;
    Verdict verdict{.kind = Slowness::kLink,
                    .rank = from,
                    .peer = to,
                    .seconds = worst->second.seconds,
                    .slow_rate = worst->second.bytes_per_second()};
    const auto rate_beside = [&](int rank, int peer) {
      return together(
                 [&](int a, int b) { return (a == rank || b == rank) && a != peer && b != peer; })
          .bytes_per_second();
    };
    verdict.other_rate = together([from = from, to = to](int a, int b) {
                           return a != from && a != to && b != from && b != to;
                         }).bytes_per_second();
    const double of_from = rate_beside(from, to);
    const double of_to = rate_beside(to, from);
    // A rank is behind it if its links to others are as slow, and the other rank's aren't.
    const auto is_slow = [&](double rate) {
      return rate > 0 && rate < kSlower * verdict.slow_rate;
    };
    if (is_slow(of_from) != is_slow(of_to)) {
      verdict.rank = is_slow(of_from) ? from : to;
      verdict.peer = -1;
    }
    const double best = std::max({verdict.other_rate, of_from, of_to});
    if (best > 0 && best < kSlower * verdict.slow_rate) return {};
    verdict.other_rate = best;
    if (best > 0) verdict.seconds *= 1 - verdict.slow_rate / best;
    return verdict;
  }

  const std::vector<const RankTrace*>& traces_;
  std::map<int, std::size_t> place_of_;
  JobSummary job_;
};

}  // namespace

JobSummary summarize(const std::vector<const RankTrace*>& ranks) { return Summary(ranks).make(); }

}  // namespace rondo::tool
