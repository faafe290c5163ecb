#include "tools/rondo/bench/peer_ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tools/rondo/bench/operation.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kOwn = "rondo";
constexpr std::string_view kBound = "bound";

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

/// The five fields of a loop's line; fewer, or more, are no such line.
std::optional<std::array<std::string_view, 5>> fields_of(std::string_view line) {
  std::array<std::string_view, 5> fields;
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    fields.at(i) = line.substr(0, comma);
    line.remove_prefix(comma + 1);
  }
  if (line.find(',') != std::string_view::npos) return {};
  fields.back() = line;
  return fields;
}

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
  return {{"library", library},
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
         transport == other.transport && ranks == other.ranks && buffers == other.buffers;
}

bool PeerTimes::take(std::string_view line) {
  if (line.starts_with('#')) {
    remarks_.emplace_back(line);
    return true;
  }
  const auto fields = fields_of(line);
  if (!fields) return false;
  const auto bytes = number_of<std::uint64_t>((*fields)[2]);
  const auto median_us = number_of<double>((*fields)[3]);
  if (!bytes || !median_us || !(*median_us > 0)) return false;
  const std::string library((*fields)[0]);
  if (std::ranges::find(libraries_, library) == libraries_.end()) libraries_.push_back(library);
  medians_us_[{library, *bytes}].push_back(*median_us);
  return true;
}

double PeerTimes::median_us(const std::string& library, std::uint64_t bytes) const {
  const auto found = medians_us_.find({library, bytes});
  return found == medians_us_.end() ? 0 : percentile(found->second, 0.5);
}

std::vector<std::uint64_t> PeerTimes::sizes() const {
  std::set<std::uint64_t> sizes;
  for (const auto& [key, medians] : medians_us_) sizes.insert(key.second);
  return {sizes.begin(), sizes.end()};
}

std::vector<PeerRatio> ratios_of(const PeerTimes& times, const PeerSetting& setting) {
  std::vector<PeerRatio> ratios;
  for (const std::uint64_t bytes : times.sizes()) {
    const double own_us = times.median_us(std::string(kOwn), bytes);
    for (const std::string& library : times.libraries()) {
      const double peer_us = times.median_us(library, bytes);
      if (library == kOwn || library == kBound || own_us <= 0 || peer_us <= 0) continue;
      ratios.push_back({library, setting.call, bytes, setting.transport, setting.ranks,
                        setting.buffers, peer_us / own_us});
    }
  }
  return ratios;
}

std::string ratio_table(const PeerTimes& times, const PeerSetting& setting) {
  std::string text =
      fmt::format("# {} over {}, {} ranks, {} buffers; medians in us\n#{:>11}", setting.call,
                  setting.transport, setting.ranks, setting.buffers, "size (B)");
  for (const std::string& library : times.libraries()) text += fmt::format(" {:>12}", library);
  text += fmt::format(" {:>8}\n", "ratio");
  const std::vector<PeerRatio> ratios = ratios_of(times, setting);
  for (const std::uint64_t bytes : times.sizes()) {
    text += fmt::format(" {:>11}", bytes);
    for (const std::string& library : times.libraries()) {
      const double median_us = times.median_us(library, bytes);
      text += median_us > 0 ? fmt::format(" {:>12.2f}", median_us) : fmt::format(" {:>12}", "-");
    }
    double least = 0;
    for (const PeerRatio& ratio : ratios) {
      if (ratio.bytes == bytes) least = least > 0 ? std::min(least, ratio.ratio) : ratio.ratio;
    }
    text += least > 0 ? fmt::format(" {:>7.2f}x\n", least) : fmt::format(" {:>8}\n", "-");
  }
  return text;
}

ordered_json ratios_json(const Facts& environment, const PeerTimes& times,
                         const PeerSetting& setting) {
  ordered_json facts = ordered_json::object();
  for (const auto& [key, value] : environment) facts[key] = value;
  ordered_json results = ordered_json::array();
  for (const std::string& library : times.libraries()) {
    for (const std::uint64_t bytes : times.sizes()) {
      if (times.median_us(library, bytes) <= 0) continue;
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
                      {"ratio", ratio.ratio}});
  }
  return {{"environment", std::move(facts)},
          {"results", std::move(results)},
          {"ratios", std::move(ratios)}};
}

}  // namespace rondo::tool
