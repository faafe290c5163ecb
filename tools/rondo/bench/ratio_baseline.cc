#include "tools/rondo/bench/ratio_baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/rondo/bench/json_fields.h"

namespace rondo::tool {
namespace {

PeerRatio ratio_from(const JsonFields& fields) {
  PeerRatio ratio;
  ratio.peer = fields.text("peer");
  ratio.collective = fields.text("collective");
  ratio.bytes = fields.whole("bytes");
  ratio.transport = fields.text("transport");
  ratio.ranks = fields.small("ranks", 1, std::numeric_limits<int>::max());
  ratio.buffers = fields.text("buffers");
  ratio.ratio = fields.measured("ratio");
  return ratio;
}

}  // namespace

std::vector<PeerRatio> ratios_from(const std::string& path, const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("ratios") || !json["ratios"].is_array()) {
    throw FileError(fmt::format(
        "{} isn't what `rondo bench compare --json` writes: it has no list 'ratios'", path));
  }
  std::vector<PeerRatio> ratios;
  for (const nlohmann::json& ratio : json["ratios"]) {
    const std::string where = fmt::format("{}: ratio {}", path, ratios.size() + 1);
    ratios.push_back(ratio_from(JsonFields(where, ratio)));
  }
  return ratios;
}

std::vector<PeerRatio> read_ratios(const std::string& path) {
  return ratios_from(path, read_json(path));
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
  comparison.lines += fmt::format("# Lower than baseline : {} of {} {}\n", comparison.lower,
                                  comparison.compared, comparison.lower == 0 ? "OK" : "FAILED");
  return comparison;
}

}  // namespace rondo::tool
