#include "tools/rondo/trace/trace_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::tool {
namespace {

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }

std::string rate(double bytes_per_second) {
  return fmt::format("{:.1f} MB/s", bytes_per_second / 1e6);
}

std::string describe_clock(const ClockOffset& clock) {
  using Kind = ClockOffset::Kind;
  if (clock.kind == Kind::kOwn) return "0";
  if (clock.kind == Kind::kUnknown) return "unknown";
  return fmt::format("{:+.1f} +- {:.1f}{}", static_cast<double>(clock.ns) * 1e-3,
                     static_cast<double>(clock.within_ns) * 1e-3,
                     clock.kind == Kind::kInconsistent ? " (drifts)" : "");
}

const RankSummary& rank_of(const JobSummary& job, int rank) {
  return *std::ranges::find(job.ranks, rank, &RankSummary::rank);
}

std::string missing_ranks(const JobSummary& job) {
  std::string text;
  int missing = 0;
  auto present = job.ranks.begin();
  for (int rank = 0; rank < job.world; ++rank) {
    if (present != job.ranks.end() && present->rank == rank) {
      ++present;
    } else if (++missing <= 8) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
    }
  }
  if (missing == 0) return {};
  return fmt::format("no file of {} of {} ranks: {}{}\n", missing, job.world, text,
                     missing > 8 ? ", ..." : "");
}

std::string describe_link(const JobSummary& job, double percent) {
  const Verdict& verdict = job.verdict;
  const std::string who = verdict.peer < 0 ? fmt::format("rank {}'s link is slow", verdict.rank)
                                           : fmt::format("the link from rank {} to rank {} is slow",
                                                         verdict.rank, verdict.peer);
  const std::string than = verdict.other_rate > 0
                               ? fmt::format(", {} between others", rate(verdict.other_rate))
                               : " (no other link to compare it with)";
  return fmt::format("slow: {}: {}{}; that cost {} ms, {:.0f} % of the time in calls\n", who,
                     rate(verdict.slow_rate), than, milliseconds(verdict.seconds), percent);
}

/// That one long pause, as at a program's beginning, is no habit.
std::string mostly_in_one(const RankSummary& rank) {
  if (rank.late_calls < 2 || rank.latest < rank.late / 2) return {};
  return fmt::format("; {} ms of them before {}", milliseconds(rank.latest), rank.latest_call);
}

}  // namespace

std::string describe_verdict(const JobSummary& job) {
  const Verdict& verdict = job.verdict;
  const double percent = job.seconds > 0 ? 100 * verdict.seconds / job.seconds : 0;
  if (job.ranks.size() == 1) return "slow: one rank's file alone doesn't tell; add the others'\n";
  switch (verdict.kind) {
    case Slowness::kNone: return "slow: no rank stands out\n";
    case Slowness::kLink: return describe_link(job, percent);
    case Slowness::kLate: {
      const RankSummary& rank = rank_of(job, verdict.rank);
      return fmt::format(
          "slow: rank {} was late (compute): it entered {} of {} calls after the others, {} ms in "
          "all, {:.0f} % of the time in calls{}\n",
          verdict.rank, rank.late_calls, rank.calls, milliseconds(rank.late), percent,
          mostly_in_one(rank));
    }
    case Slowness::kData:
      return fmt::format(
          "slow: rank {} came in time, but its data late: others have waited {} ms for it after it "
          "had begun, {:.0f} % of the time in calls\n",
          verdict.rank, milliseconds(verdict.seconds), percent);
  }
  return {};
}

std::string describe(const JobSummary& job) {
  std::string text = fmt::format("job {}: {} calls that all ranks have, {} ms\n", job.job,
                                 job.calls, milliseconds(job.seconds));
  text += missing_ranks(job);
  text +=
      fmt::format("{:>6} {:<16} {:>8} {:>7} {:>12} {:>12} {:>12} {:>12}  {}\n", "rank", "host",
                  "calls", "failed", "wait ms", "transfer ms", "reduce ms", "late ms", "clock us");
  for (const RankSummary& rank : job.ranks) {
    text += fmt::format("{:>6} {:<16} {:>8} {:>7} {:>12} {:>12} {:>12} {:>12}  {}\n", rank.rank,
                        rank.host, rank.calls, rank.failed, milliseconds(rank.wait),
                        milliseconds(rank.transfer), milliseconds(rank.reduce),
                        milliseconds(rank.late), describe_clock(rank.clock));
  }
  return text + describe_verdict(job);
}

}  // namespace rondo::tool
