// Tuning files (docs/tuning.md): JSON, with the network as network files have it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/schedule_file.h"
#include "collectives/select/tuning.h"
#include "collectives/simulate/network_file.h"
#include "core/json/reader.h"

namespace rondo::select {
namespace {

using json::Value;
using nlohmann::ordered_json;
using Point = MeasuredTimes::Point;

constexpr int kVersion = 1;
constexpr double kLeastUs = 1e-3;
constexpr double kMostUs = 1e9;
/// What worlds that are measured go over: all pairs of their ranks, or not.
constexpr std::array<std::string_view, 4> kTransports = {"inproc", "shm", "tcp", "mixed"};

/// Empty where it was left out.
std::string read_transport(Value item) {
  std::string name = item.text();
  if (!name.empty() && std::ranges::find(kTransports, name) == kTransports.end())
    item.refuse(fmt::format("one of {}", fmt::join(kTransports, ", ")));
  return name;
}

std::vector<std::string> read_hosts(Value list, const simulate::Network& network) {
  std::vector<std::string> names;
  for (Value host : list.items()) names.push_back(host.name());
  std::size_t hosts = 0;
  for (const simulate::HostGroup& group : network.groups)
    hosts += static_cast<std::size_t>(group.hosts);
  if (list.exists() && names.size() != hosts)
    list.fail(
        fmt::format("expected the names of the network's {} hosts, got {}", hosts, names.size()));
  return names;
}

std::string read_algorithm(Value item, schedule::Collective collective) {
  std::string name = item.text();
  if (algorithms::find(collective, name) != nullptr) return name;
  std::vector<std::string_view> names;
  for (const algorithms::Algorithm& algorithm : algorithms::all())
    if (algorithm.collective == collective) names.push_back(algorithm.name);
  item.refuse(
      fmt::format("an algorithm of {} ({})", to_string(collective), fmt::join(names, ", ")));
  return name;
}

Point read_point(Value item) {
  Point point;
  point.bytes = static_cast<std::size_t>(item.at("bytes").integer(0, 0, INT64_MAX));
  point.us = item.at("us").number(kLeastUs, kLeastUs, kMostUs);
  point.simulated_us = item.at("simulated_us").number(kLeastUs, kLeastUs, kMostUs);
  item.no_other_keys();
  return point;
}

constexpr std::string_view kOrdinary = "ordinary";
constexpr std::string_view kRegistered = "registered";

/// Ordinary where it was left out, as in files of before.
MemoryKind read_memory(Value item) {
  const std::string name = item.text();
  if (item.exists() && name != kOrdinary && name != kRegistered)
    item.refuse(fmt::format("\"{}\" or \"{}\"", kOrdinary, kRegistered));
  return name == kRegistered ? MemoryKind::kRegistered : MemoryKind::kOrdinary;
}

MeasuredTimes read_times(Value item) {
  MeasuredTimes times;
  times.collective = schedule::read_collective(item.at("collective"));
  times.algorithm = read_algorithm(item.at("algorithm"), times.collective);
  times.memory = read_memory(item.at("memory"));
  for (Value entry : item.at("times").items()) {
    const Point point = read_point(entry);
    if (!times.points.empty() && point.bytes <= times.points.back().bytes)
      entry.fail("bytes have to grow from one to the next");
    times.points.push_back(point);
  }
  item.no_other_keys();
  return times;
}

ordered_json to_json(const MeasuredTimes& times) {
  ordered_json points = ordered_json::array();
  for (const Point& point : times.points) {
    points.push_back(
        {{"bytes", point.bytes}, {"us", point.us}, {"simulated_us", point.simulated_us}});
  }
  ordered_json json = {{"collective", to_string(times.collective)}, {"algorithm", times.algorithm}};
  if (times.memory == MemoryKind::kRegistered) json["memory"] = kRegistered;
  json["times"] = std::move(points);
  return json;
}

}  // namespace

Result<Tuning> parse_tuning(std::string_view text, std::string name) {
  RONDO_ASSIGN(json::Document document, json::Document::parse(text, std::move(name)));
  Value root = document.root();
  Value version = root.at("rondo_tuning");
  if (version.integer(0, 0, INT64_MAX) != kVersion)
    version.refuse(fmt::format("{}, the version of tuning files that this Rondo reads", kVersion));
  Tuning tuning;
  tuning.transport = read_transport(root.at("transport"));
  Value network = root.at("network");
  if (network.exists()) {
    tuning.network = simulate::read_network(network);
  } else {
    network.refuse("a network");
  }
  tuning.hosts = read_hosts(root.at("hosts"), tuning.network);
  std::set<std::tuple<schedule::Collective, std::string, MemoryKind>> measured;
  for (Value item : root.at("measured").items()) {
    const MeasuredTimes& times = tuning.measured.emplace_back(read_times(item));
    if (!measured.emplace(times.collective, times.algorithm, times.memory).second)
      item.fail(fmt::format(
          "{} by {}{} is there for a second time", to_string(times.collective), times.algorithm,
          times.memory == MemoryKind::kRegistered ? " on registered memory" : ""));
  }
  tuning.private_read_bytes =
      static_cast<std::size_t>(root.at("private_read_bytes").integer(0, 0, INT64_MAX));
  root.no_other_keys();
  RONDO_TRY(document.status());
  return tuning;
}

std::string to_json(const Tuning& tuning) {
  ordered_json measured = ordered_json::array();
  for (const MeasuredTimes& times : tuning.measured) measured.push_back(to_json(times));
  ordered_json json = {{"rondo_tuning", kVersion}, {"transport", tuning.transport}};
  // Where there is a list all hosts are in it.
  if (!tuning.hosts.empty()) json["hosts"] = tuning.hosts;
  json["private_read_bytes"] = tuning.private_read_bytes;
  json["network"] = ordered_json::parse(simulate::to_json(tuning.network));
  json["measured"] = std::move(measured);
  return json.dump(1) + "\n";
}

}  // namespace rondo::select
