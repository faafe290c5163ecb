#include "tools/rondo/trace/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rondo::tool {
namespace {

constexpr double kSecondsPerNs = 1e-9;
/// What costs less of the time in calls isn't worth a name.
constexpr double kWorthNaming = 0.1;
/// A link is slow where others' are more than so many times as fast.
constexpr double kSlower = 1.5;

/// One call on all ranks, by the common clock.
struct CommonCall {
  std::int64_t sequence = 0;
  std::vector<TracedCall> at;             ///< by place in JobSummary::ranks
  std::vector<std::int64_t> before_done;  ///< when the rank's call before was done
};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

double seconds(std::int64_t ns) { return static_cast<double>(ns) * kSecondsPerNs; }

TracedCall shifted(TracedCall call, std::int64_t offset_ns) {
  call.entered_ns += offset_ns;
  call.begun_ns += offset_ns;
  call.done_ns += offset_ns;
  return call;
}

bool is_known(const ClockOffset& clock) { return clock.kind != ClockOffset::Kind::kUnknown; }

/// Of at least one.
std::int64_t median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// By rank, how much later than the median it began the call. What the clocks leave open is decided
/// by how long each was outside of calls before, for which no other's clock is needed; of a clock
/// that nothing is known of, that is all.
std::vector<std::int64_t> begun_after(const CommonCall& call,
                                      const std::vector<RankSummary>& ranks) {
  std::vector<std::int64_t> begun;
  std::vector<std::int64_t> outside;
  for (std::size_t i = 0; i < call.at.size(); ++i) {
    if (is_known(ranks[i].clock)) begun.push_back(call.at[i].begun_ns);
    if (call.before_done[i] != kNever) outside.push_back(call.at[i].begun_ns - call.before_done[i]);
  }
  const bool is_first = outside.size() != call.at.size();
  const std::int64_t usual_begun = median(begun);
  const std::int64_t usual_outside = is_first ? 0 : median(outside);
  std::vector<std::int64_t> after(call.at.size(), 0);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!is_first) after[i] = outside[i] - usual_outside;
    if (!is_known(ranks[i].clock)) continue;
    const std::int64_t by_clock = call.at[i].begun_ns - usual_begun;
    const std::int64_t within = ranks[i].clock.within_ns;
    after[i] = is_first ? by_clock : std::clamp(after[i], by_clock - within, by_clock + within);
  }
  return after;
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
      in_messages_.emplace_back(trace->messages);
    }
  }

  JobSummary make() {
    std::vector<std::int64_t> done(traces_.size(), kNever);
    for (const auto& [sequence, first] : traces_.front()->calls) {
      CommonCall call{.sequence = sequence, .at = {}, .before_done = done};
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
    const std::vector<std::int64_t> after = begun_after(call, job_.ranks);
    for (std::size_t i = 0; i < call.at.size(); ++i) {
      const TracedCall& own = call.at[i];
      RankSummary& rank = job_.ranks[i];
      ++rank.calls;
      rank.failed += own.result == "Ok" ? 0U : 1U;
      rank.wait += seconds(own.wait_ns);
      rank.transfer += seconds(own.transfer_ns);
      rank.reduce += seconds(own.reduce_ns);
      if (own.link_peer >= 0) {
        LinkSummary& link = job_.links[{own.link_peer, rank.rank}];
        link.seconds += seconds(own.link_ns);
        link.bytes += static_cast<double>(own.link_bytes);
      }
      add_lateness(call, after, i);
      add_held_up(call, after, i);
    }
  }

  /// Of the time by which a rank began later than the others, what it was outside of calls: neither
  /// in those that it had started before nor in a send or receive, where others may be to blame.
  std::int64_t outside_ns(const CommonCall& call, std::int64_t after_ns, std::size_t i) const {
    const TracedCall& own = call.at[i];
    std::int64_t since_ns = own.begun_ns - after_ns;
    // Before its first call a rank has been outside for as long as nobody knows.
    if (call.before_done[i] != kNever) since_ns = std::max(since_ns, call.before_done[i]);
    const std::int64_t offset_ns = job_.ranks[i].clock.ns;
    return own.entered_ns - since_ns -
           in_messages_[i].within_ns(since_ns - offset_ns, own.entered_ns - offset_ns);
  }

  void add_lateness(const CommonCall& call, const std::vector<std::int64_t>& after, std::size_t i) {
    const TracedCall& own = call.at[i];
    const std::int64_t late_ns = outside_ns(call, after[i], i);
    if (late_ns <= 0) return;
    RankSummary& rank = job_.ranks[i];
    rank.late += seconds(late_ns);
    if (seconds(late_ns) >= kWorthNaming * seconds(duration_of(call))) ++rank.late_calls;
    if (seconds(late_ns) <= rank.latest) return;
    rank.latest = seconds(late_ns);
    rank.latest_call = fmt::format("call {} ({})", call.sequence, own.collective);
  }

  /// Of a rank's wait, what was after the peer that it waited for had begun.
  void add_held_up(const CommonCall& call, const std::vector<std::int64_t>& after, std::size_t i) {
    const TracedCall& own = call.at[i];
    const auto found = place_of_.find(own.waited_longest_for);
    if (found == place_of_.end()) return;
    const std::int64_t until_begun = std::max<std::int64_t>(0, after[found->second] - after[i]);
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
  std::vector<CoveredTime> in_messages_;  ///< as in JobSummary::ranks; by each rank's own clock
  JobSummary job_;
};

}  // namespace

JobSummary summarize(const std::vector<const RankTrace*>& ranks) { return Summary(ranks).make(); }

}  // namespace rondo::tool
