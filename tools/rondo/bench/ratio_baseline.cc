#include "tools/rondo/bench/ratio_baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tools/rondo/bench/input_file.h"

namespace rondo::tool {
namespace {

PeerRatio ratio_from(json::Value value) {
  constexpr double kHighest = 1e15;
  PeerRatio ratio;
  ratio.peer = value.need("peer").name();
  ratio.collective = value.need("collective").name();
  ratio.bytes = static_cast<std::uint64_t>(
      value.need("bytes").integer(0, 0, std::numeric_limits<std::int64_t>::max()));
  ratio.transport = value.need("transport").name();
  ratio.ranks = static_cast<int>(value.at("ranks").integer(1, 1, std::numeric_limits<int>::max()));
  ratio.buffers = value.need("buffers").name();
  ratio.calls = value.at("calls").name(kCallsApart);  // older files don't say
  ratio.ratio = value.need("ratio").number(0, 0, kHighest);
  return ratio;
}

}  // namespace

std::vector<PeerRatio> ratios_from(const std::string& path, std::string_view text) {
  std::vector<PeerRatio> ratios;
  read_json(path, text, [&ratios](json::Value root) {
    for (json::Value ratio : root.need("ratios").items())
      ratios.push_back(ratio_from(std::move(ratio)));
  });
  return ratios;
}

std::vector<PeerRatio> read_ratios(const std::string& path) {
  return ratios_from(path, read_input(path));
}

RatioComparison compare_ratios(const std::string& path, const std::vector<PeerRatio>& before,
                               const std::vector<PeerRatio>& now, double tolerance_percent) {
  RatioComparison comparison;
  comparison.lines = fmt::format("# Baseline {}, tolerance {:g} %\n#{:>11} {:>8} {:>8} {:>8}\n",
                                 path, tolerance_percent, "size (B)", "peer", "now", "then");
  for (const PeerRatio& ratio : now) {
    const auto found = std::ranges::find_if(
        before, [&](const PeerRatio& other) { return other.is_of_same_call(ratio); });
    if (found == before.end()) continue;
    const bool lower = ratio.ratio < found->ratio * (1 - tolerance_percent / 100);
    ++comparison.compared;
    comparison.lower += lower ? 1 : 0;
    comparison.lines += fmt::format("#{:>11} {:>8} {:>7.2f}x {:>7.2f}x{}\n", ratio.bytes,
                                    ratio.peer, ratio.ratio, found->ratio, lower ? " LOWER" : "");
  }
  // A gate that compares nothing isn't passed.
  if (now.empty()) {
    throw FileError(
        fmt::format("nothing was measured to be compared with --baseline {}: none of its peers is "
                    "installed, or none ran",
                    path));
  }
  if (comparison.compared == 0) {
    throw FileError(fmt::format(
        "--baseline {} has none of these ratios: its peers, sizes, ranks, "
        "transport, buffers or way of calling (--late, --in-a-row, --new-counts) are others",
        path));
  }
  comparison.lines += fmt::format("# Lower than baseline : {} of {} {}\n", comparison.lower,
                                  comparison.compared, comparison.lower == 0 ? "OK" : "FAILED");
  return comparison;
}

}  // namespace rondo::tool
