#include "collectives/simulate/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/json/reader.h"

namespace rondo::simulate {
namespace {

using json::Value;

constexpr double kBytesPerUsOfGbit = 125;
constexpr double kBytesPerUsOfGigabyte = 1000;
/// 125 or 1000 bytes in a second, and what memory doesn't reach: between them all times are finite.
constexpr double kLeastSpeed = 1e-6;
constexpr double kMostSpeed = 1e6;
constexpr double kMostUs = 1e9;
constexpr double kMebibyte = 1024 * 1024;

/// 0: no limit.
double speed_of(Value value, double otherwise) {
  const double speed = value.number(otherwise, 0, kMostSpeed);
  if (value.exists() && speed > 0 && speed < kLeastSpeed)
    value.refuse(fmt::format("0, or a number from {:g} to {:g}", kLeastSpeed, kMostSpeed));
  return speed;
}
double gbit(Value value, double otherwise_bytes_per_us) {
  return kBytesPerUsOfGbit * speed_of(std::move(value), otherwise_bytes_per_us / kBytesPerUsOfGbit);
}
double gigabytes(Value value, double otherwise_bytes_per_us) {
  return kBytesPerUsOfGigabyte *
         speed_of(std::move(value), otherwise_bytes_per_us / kBytesPerUsOfGigabyte);
}
/// Microseconds for a byte, from GB/s; 0: none.
double per_byte(Value value, double otherwise) {
  const double speed = gigabytes(std::move(value), otherwise > 0 ? 1 / otherwise : 0);
  return speed > 0 ? 1 / speed : 0;
}

MessageCost read_cost(Value value, const MessageCost& otherwise) {
  MessageCost cost;
  cost.most_bytes = static_cast<std::size_t>(value.at("most_bytes").integer(-1, 0, INT64_MAX));
  cost.latency_us = value.at("latency_us").number(otherwise.latency_us, 0, kMostUs);
  cost.send_us = value.at("send_us").number(otherwise.send_us, 0, kMostUs);
  cost.receive_us = value.at("receive_us").number(otherwise.receive_us, 0, kMostUs);
  cost.send_us_per_byte = per_byte(value.at("send_gb_s"), otherwise.send_us_per_byte);
  cost.receive_us_per_byte = per_byte(value.at("receive_gb_s"), otherwise.receive_us_per_byte);
  value.no_other_keys();
  return cost;
}

Link read_link(Value value, const Link& otherwise) {
  Link link = otherwise;
  link.maps = value.at("maps").flag(otherwise.maps);
  link.bytes_per_us = gigabytes(value.at("gb_s"), otherwise.bytes_per_us);
  Value messages = value.at("messages");
  if (messages.exists()) link.costs.clear();
  for (Value item : messages.items()) {
    const MessageCost cost = read_cost(item, otherwise.costs.back());
    if (!link.costs.empty() && cost.most_bytes <= link.costs.back().most_bytes)
      item.fail("most_bytes has to grow from one to the next; the last one needs none");
    link.costs.push_back(cost);
  }
  if (link.costs.empty()) messages.refuse("at least one cost");
  value.no_other_keys();
  return link;
}

Work read_work(Value value, const Work& otherwise) {
  Work work;
  work.call_us = value.at("call_us").number(otherwise.call_us, 0, kMostUs);
  work.read_us_per_byte = per_byte(value.at("read_gb_s"), otherwise.read_us_per_byte);
  work.write_us_per_byte = per_byte(value.at("write_gb_s"), otherwise.write_us_per_byte);
  work.reduce_us_per_byte = per_byte(value.at("reduce_gb_s"), otherwise.reduce_us_per_byte);
  work.cache_bytes =
      kMebibyte * value.at("cache_mib").number(otherwise.cache_bytes / kMebibyte, 0, kMostSpeed);
  work.beyond_cache = value.at("beyond_cache").number(otherwise.beyond_cache, 1, kMostSpeed);
  value.no_other_keys();
  return work;
}

/// The switches, which hosts name.
class Switches {
 public:
  explicit Switches(Value value) {
    for (Value item : value.items()) {
      Switch entry;
      Value name = item.at("name");
      entry.name = name.name();
      if (!indices_.emplace(entry.name, static_cast<int>(all_.size())).second)
        name.fail(fmt::format("there are two of '{}'", entry.name));
      entry.up_bytes_per_us = gbit(item.at("up_gbit_s"), kUnlimited);
      entry.down_bytes_per_us = gbit(item.at("down_gbit_s"), entry.up_bytes_per_us);
      item.no_other_keys();
      all_.push_back(std::move(entry));
    }
  }

  /// -1: none is named, or there is none of this name.
  int index_of(Value name) const {
    if (!name.exists()) return -1;
    const auto found = indices_.find(name.text());
    if (found != indices_.end()) return found->second;
    name.refuse(fmt::format("one of the switches ({})", names()));
    return -1;
  }

  std::vector<Switch> all() && { return std::move(all_); }

 private:
  std::string names() const {
    constexpr std::size_t kMostNamed = 8;
    if (all_.empty()) return "there are none";
    std::string names = all_.front().name;
    for (std::size_t i = 1; i < std::min(all_.size(), kMostNamed); ++i)
      names += ", " + all_[i].name;
    return all_.size() > kMostNamed ? names + ", ..." : names;
  }

  std::vector<Switch> all_;
  std::unordered_map<std::string, int> indices_;
};

HostGroup read_group(Value item, const Switches& switches, const HostGroup& otherwise) {
  HostGroup group;
  group.hosts = static_cast<int>(item.at("count").integer(1, 1, kMostRanks));
  group.ranks = static_cast<int>(item.at("ranks").integer(1, 1, kMostRanks));
  group.cores = static_cast<int>(item.at("cores").integer(0, 0, kMostRanks));
  group.up_bytes_per_us = gbit(item.at("up_gbit_s"), otherwise.up_bytes_per_us);
  group.down_bytes_per_us = gbit(item.at("down_gbit_s"), group.up_bytes_per_us);
  group.memory_bytes_per_us = gigabytes(item.at("memory_gb_s"), kUnlimited);
  group.switch_index = switches.index_of(item.at("switch"));
  item.no_other_keys();
  return group;
}

}  // namespace

Network read_network(Value root) {
  const Network otherwise = default_network(1, 1);
  Network network;
  Switches switches(root.at("switches"));
  Value hosts = root.at("hosts");
  std::int64_t world = 0;
  for (Value item : hosts.items()) {
    network.groups.push_back(read_group(item, switches, otherwise.groups.front()));
    world += std::int64_t{network.groups.back().hosts} * network.groups.back().ranks;
    if (world > kMostRanks)
      item.fail(fmt::format("{} ranks up to here; at most {}", world, kMostRanks));
  }
  if (world == 0) hosts.fail("expected a list of at least one host");
  network.switches = std::move(switches).all();
  network.inside = read_link(root.at("inside"), otherwise.inside);
  network.between = read_link(root.at("between"), otherwise.between);
  network.work = read_work(root.at("work"), otherwise.work);
  root.no_other_keys();
  return network;
}

Result<Network> parse_network(std::string_view text, std::string name) {
  RONDO_ASSIGN(json::Document document, json::Document::parse(text, std::move(name)));
  Network network = read_network(document.root());
  RONDO_TRY(document.status());
  return network;
}

}  // namespace rondo::simulate
