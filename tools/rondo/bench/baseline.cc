#include "tools/rondo/bench/baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/rondo/bench/environment.h"
#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

/// Whether the two are the same call, but for the transport it went over.
bool same_call(const Recorded& before, const BenchResult& now) {
  return before.library == "rondo" && before.collective == to_string(now.operation) &&
         before.bytes == now.bytes && before.type == to_string(now.type) &&
         before.redop == (reduces(now.operation) ? to_string(now.op) : "none") &&
         before.root == (has_root(now.operation) ? now.root : -1) &&
         before.in_place == now.in_place && before.ranks == now.ranks &&
         before.buffers == now.buffers && before.wire_format == now.wire_format &&
         before.time_of == to_string(now.time_of) && before.calls == now.calls;
}

/// The median of the baseline's cycles; 0: it has none.
double time_before_us(const RecordedFile& baseline, const BenchResult& now) {
  std::vector<double> times_us;
  for (const Recorded& before : baseline.results) {
    if (!same_call(before, now)) continue;
    if (before.transport != now.transport) {
      throw FileError(fmt::format(
          "--baseline {}: {} of {} bytes went over {} there and over {} here; choose one with "
          "--transport",
          baseline.path, before.collective, before.bytes, before.transport, now.transport));
    }
    times_us.push_back(before.p50_us);
  }
  return percentile(times_us, 0.5);
}

bool is_slower(const BaselinePoint& point, double tolerance_percent) {
  return point.ratio() > 1 + tolerance_percent / 100;
}

/// Ranks of the results of the collective, as text.
std::string ranks_of(const RecordedFile& baseline, const std::string& collective) {
  std::vector<int> ranks;
  for (const Recorded& result : baseline.results) {
    if (result.collective == collective) ranks.push_back(result.ranks);
  }
  if (ranks.empty()) return fmt::format("has no {}", collective);
  const auto [least, most] = std::ranges::minmax(ranks);
  return least == most ? fmt::format("is of {} rank(s)", least)
                       : fmt::format("is of {} to {} ranks", least, most);
}

/// No call takes that: whoever has made the file hasn't measured it.
void require_a_time(const RecordedFile& baseline, const Recorded& result) {
  if (result.p50_us > 0) return;
  throw FileError(
      fmt::format("--baseline {}: {} of {} bytes took {:g} us there (p50_us), and nothing can be "
                  "compared with that; expected more than 0: measure it again",
                  baseline.path, result.collective, result.bytes, result.p50_us));
}

void require_same_fact(const RecordedFile& baseline, const Facts& here, const char* name) {
  const std::string before = fact(baseline.environment, name);
  const std::string now = fact(here, name);
  if (before == now) return;
  throw FileError(
      fmt::format("--baseline {} comes from another machine: its {} is '{}', here it is "
                  "'{}'; --any-machine compares nevertheless",
                  baseline.path, name, before, now));
}

}  // namespace

void require_comparable(const RecordedFile& baseline, const std::string& collective, int ranks,
                        const Facts& here, bool any_machine) {
  for (const char* name : {"host", "cpu"}) {
    if (!any_machine) require_same_fact(baseline, here, name);
  }
  bool known = false;
  for (const Recorded& result : baseline.results) {
    if (result.collective != collective || result.ranks != ranks) continue;
    require_a_time(baseline, result);
    known = true;
  }
  if (known) return;
  throw FileError(fmt::format("--baseline {} {}; this is {} of {} rank(s)", baseline.path,
                              ranks_of(baseline, collective), collective, ranks));
}

void require_same_transport(const RecordedFile& baseline, const BenchRow& row) {
  const BenchResult& now = row.out_of_place ? *row.out_of_place : *row.in_place;
  time_before_us(baseline, now);
  std::string others;
  for (const Recorded& before : baseline.results) {
    if (before.collective != to_string(now.operation) || before.ranks != now.ranks) continue;
    if (before.transport == now.transport) return;
    others = before.transport;
  }
  if (others.empty()) return;
  throw FileError(
      fmt::format("--baseline {}: {} went over {} there and over {} here; choose one with "
                  "--transport",
                  baseline.path, to_string(now.operation), others, now.transport));
}

BaselineComparison compare_with(const RecordedFile& baseline, const std::vector<BenchRow>& rows) {
  BaselineComparison comparison;
  const auto add = [&](const std::optional<BenchResult>& now) {
    if (!now) return;
    const double before_us = time_before_us(baseline, *now);
    if (before_us > 0) {
      comparison.points.push_back({*now, before_us});
    } else {
      ++comparison.unknown;
    }
  };
  for (const BenchRow& row : rows) {
    add(row.out_of_place);
    add(row.in_place);
  }
  if (!comparison.points.empty()) return comparison;
  throw FileError(fmt::format(
      "--baseline {} has none of the {} results: its sizes, types, ops or buffers are others",
      baseline.path, comparison.unknown));
}

int count_slower(const BaselineComparison& comparison, double tolerance_percent) {
  return static_cast<int>(
      std::ranges::count_if(comparison.points, [tolerance_percent](const BaselinePoint& point) {
        return is_slower(point, tolerance_percent);
      }));
}

std::string comparison_lines(const RecordedFile& baseline, const BaselineComparison& comparison,
                             double tolerance_percent) {
  std::string text =
      fmt::format("# Baseline {}, tolerance {:g} %\n", baseline.path, tolerance_percent);
  text += fmt::format("#{:>11} {:>7} {:>7} {:>12}  {:>10} {:>10} {:>6}\n", "size", "type", "redop",
                      "form", "now (us)", "then (us)", "ratio");
  for (const BaselinePoint& point : comparison.points) {
    const BenchResult& now = point.now;
    text += fmt::format("#{:>11} {:>7} {:>7} {:>12}  {:>10.2f} {:>10.2f} {:>6.2f}{}\n", now.bytes,
                        to_string(now.type), reduces(now.operation) ? to_string(now.op) : "none",
                        now.in_place ? "in-place" : "out-of-place", now.p50_us, point.before_us,
                        point.ratio(), is_slower(point, tolerance_percent) ? " SLOWER" : "");
  }
  if (comparison.unknown > 0) {
    text += fmt::format("# {} result(s) aren't in the baseline\n", comparison.unknown);
  }
  const int slower = count_slower(comparison, tolerance_percent);
  return text +
         fmt::format("# Slower than baseline : {} {}\n", slower, slower == 0 ? "OK" : "FAILED");
}

}  // namespace rondo::tool
