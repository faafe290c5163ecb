#include "tools/rondo/bench/peer_ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/operation.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kOwn = "rondo";
constexpr std::string_view kBound = "bound";

/// Messages that `rondo bench` doesn't have are as its sends in what a link carries.
Operation operation_of(const std::string& call) {
  for (const Operation& operation : all_operations()) {
    if (call == to_string(operation)) return operation;
  }
  return Operation::send_receive();
}

bool is_in_place(const Operation& operation) {
  return operation.is(Collective::kAllReduce) || operation.is(Collective::kBroadcast);
}

BenchResult result_of(const PeerTimes& times, const PeerSetting& setting,
                      const std::string& library, std::uint64_t bytes) {
  BenchResult result;
  result.operation = operation_of(setting.call);
  result.bytes = bytes;
  result.ranks = setting.ranks;
  result.p50_us = times.median_us(library, bytes);
  return result;
}

ordered_json point_json(const PeerTimes& times, const PeerSetting& setting,
                        const std::string& library, std::uint64_t bytes) {
  const BenchResult result = result_of(times, setting, library, bytes);
  ordered_json point = {
      {"library", library},
      {"collective", setting.call},
      {"bytes", bytes},
      {"type", "f32"},
      {"redop", reduces(result.operation) ? "sum" : "none"},
      {"root", has_root(result.operation) ? 0 : -1},
      {"ranks", setting.ranks},
      {"transport", setting.transport},
      {"buffers", library == kOwn || library == kBound ? setting.buffers : "malloc"},
      {"in_place", is_in_place(result.operation)},
      {"p50_us", result.p50_us},
      {"busbw_gbps", result.busbw_gbps()}};
  // So nobody takes it for a time of a call by itself.
  if (setting.calls != kCallsApart) point["time_of"] = setting.calls;
  return point;
}

/// That of the peer beside which Rondo's lead is smallest; null: no peer was measured.
const PeerRatio* fastest_of(const std::vector<PeerRatio>& ratios, std::uint64_t bytes) {
  const PeerRatio* fastest = nullptr;
  for (const PeerRatio& ratio : ratios) {
    if (ratio.bytes != bytes) continue;
    if (fastest == nullptr || ratio.ratio < fastest->ratio) fastest = &ratio;
  }
  return fastest;
}

/// A line for each library that says what it is.
std::string versions_text(const PeerTimes& times) {
  std::string text;
  for (const std::string& library : times.libraries()) {
    const std::string version = times.version(library);
    if (!version.empty()) text += fmt::format("#   {:<14} {}\n", library, one_line(version));
  }
  return text;
}

/// Empty where there was no such round of that size.
std::string row_text(const PeerTimes& times, const PeerSetting& setting, std::uint64_t bytes,
                     Cores cores) {
  if (std::ranges::count(times.sizes(), bytes) == 0) return {};
  std::string text = fmt::format(" {:>11}", bytes);
  for (const std::string& library : times.libraries()) {
    const double median_us = times.median_us(library, bytes);
    text += median_us > 0 ? fmt::format(" {:>12.{}f}", median_us, median_us < 1 ? 3 : 2)
                          : fmt::format(" {:>12}", "-");
  }
  const std::vector<PeerRatio> ratios = ratios_of(times, setting);
  const PeerRatio* const fastest = fastest_of(ratios, bytes);
  if (fastest == nullptr) return text + fmt::format(" {:>8}\n", "-");
  const std::vector<double> quotients = times.quotients(fastest->peer, bytes);
  return text + fmt::format(" {:>7.2f}x {:>6.2f} to {:>5.2f} {:>6} {:>6}\n", fastest->ratio,
                            quotients.front(), quotients.back(), quotients.size(),
                            to_string(cores));
}

}  // namespace

const std::vector<std::string_view>& all_peer_calls() {
  static const std::vector<std::string_view> calls = [] {
    std::vector<std::string_view> names;
    for (const Operation& operation : all_operations()) names.push_back(to_string(operation));
    names.insert(names.end(), {"ping_pong", "send"});
    return names;
  }();
  return calls;
}

bool PeerRatio::is_of_same_call(const PeerRatio& other) const {
  return peer == other.peer && collective == other.collective && bytes == other.bytes &&
         transport == other.transport && ranks == other.ranks && buffers == other.buffers &&
         calls == other.calls;
}

std::vector<PeerRatio> ratios_of(const PeerTimes& times, const PeerSetting& setting) {
  std::vector<PeerRatio> ratios;
  for (const std::uint64_t bytes : times.sizes()) {
    for (const std::string& library : times.libraries()) {
      const std::vector<double> quotients = times.quotients(library, bytes);
      if (library == kOwn || !is_library(library) || quotients.empty()) continue;
      ratios.push_back({library, setting.call, bytes, setting.transport, setting.ranks,
                        setting.buffers, median(quotients), setting.calls});
    }
  }
  return ratios;
}

std::string ratio_table(const PeerTimes& times, const PeerSetting& setting) {
  std::string text = fmt::format("# {} over {}, {} ranks, {} buffers{}; medians in us\n{}#{:>11}",
                                 setting.call, setting.transport, setting.ranks, setting.buffers,
                                 setting.calls == kCallsApart ? "" : ", " + setting.calls,
                                 versions_text(times), "size (B)");
  for (const std::string& library : times.libraries()) text += fmt::format(" {:>12}", library);
  text += fmt::format(" {:>8} {:>15} {:>6} {:>6}\n", "ratio", "least to most", "rounds", "cores");
  for (const std::uint64_t bytes : times.sizes()) {
    for (const Cores cores : {Cores::kUnknown, Cores::kOne, Cores::kNear, Cores::kFar})
      text += row_text(times.where(cores), setting, bytes, cores);
  }
  return text;
}

ordered_json ratios_json(const Facts& environment, const PeerTimes& times,
                         const PeerSetting& setting) {
  ordered_json facts = ordered_json::object();
  for (const auto& [key, value] : environment) facts[key] = value;
  ordered_json libraries = ordered_json::object();
  for (const std::string& library : times.libraries()) {
    if (!times.version(library).empty()) libraries[library] = times.version(library);
  }
  ordered_json results = ordered_json::array();
  for (const std::string& library : times.libraries()) {
    for (const std::uint64_t bytes : times.sizes()) {
      // An exchange of lines is no call of so many bytes.
      if (library == "line" || times.median_us(library, bytes) <= 0) continue;
      results.push_back(point_json(times, setting, library, bytes));
    }
  }
  ordered_json ratios = ordered_json::array();
  for (const PeerRatio& ratio : ratios_of(times, setting)) {
    ratios.push_back({{"peer", ratio.peer},
                      {"collective", ratio.collective},
                      {"bytes", ratio.bytes},
                      {"transport", ratio.transport},
                      {"ranks", ratio.ranks},
                      {"buffers", ratio.buffers},
                      {"calls", ratio.calls},
                      {"ratio", ratio.ratio}});
  }
  return {{"environment", std::move(facts)},
          {"libraries", std::move(libraries)},
          {"results", std::move(results)},
          {"ratios", std::move(ratios)}};
}

}  // namespace rondo::tool
