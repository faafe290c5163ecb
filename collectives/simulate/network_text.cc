#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collectives/simulate/network_file.h"

namespace rondo::simulate {
namespace {

using nlohmann::ordered_json;

double gbit(double bytes_per_us) { return bytes_per_us / 125; }
double gigabytes(double bytes_per_us) { return bytes_per_us / 1000; }
double speed(double us_per_byte) { return us_per_byte > 0 ? gigabytes(1 / us_per_byte) : 0; }

ordered_json to_json(const HostGroup& group, const Network& network) {
  ordered_json json = {{"count", group.hosts},
                       {"ranks", group.ranks},
                       {"cores", group.cores},
                       {"up_gbit_s", gbit(group.up_bytes_per_us)},
                       {"down_gbit_s", gbit(group.down_bytes_per_us)},
                       {"memory_gb_s", gigabytes(group.memory_bytes_per_us)}};
  if (group.switch_index >= 0)
    json["switch"] = network.switches[static_cast<std::size_t>(group.switch_index)].name;
  return json;
}

ordered_json to_json(const Link& link) {
  ordered_json messages = ordered_json::array();
  for (const MessageCost& cost : link.costs) {
    ordered_json json = ordered_json::object();
    if (&cost != &link.costs.back()) json["most_bytes"] = cost.most_bytes;
    json["latency_us"] = cost.latency_us;
    json["send_us"] = cost.send_us;
    json["receive_us"] = cost.receive_us;
    json["send_gb_s"] = speed(cost.send_us_per_byte);
    json["receive_gb_s"] = speed(cost.receive_us_per_byte);
    messages.push_back(std::move(json));
  }
  return {{"maps", link.maps}, {"gb_s", gigabytes(link.bytes_per_us)}, {"messages", messages}};
}

ordered_json to_json(const Work& work) {
  return {{"call_us", work.call_us},
          {"read_gb_s", speed(work.read_us_per_byte)},
          {"write_gb_s", speed(work.write_us_per_byte)},
          {"reduce_gb_s", speed(work.reduce_us_per_byte)},
          {"cache_mib", work.cache_bytes / (1024 * 1024)},
          {"beyond_cache", work.beyond_cache}};
}

}  // namespace

std::string to_json(const Network& network) {
  ordered_json hosts = ordered_json::array();
  for (const HostGroup& group : network.groups) hosts.push_back(to_json(group, network));
  ordered_json switches = ordered_json::array();
  for (const Switch& entry : network.switches) {
    switches.push_back({{"name", entry.name},
                        {"up_gbit_s", gbit(entry.up_bytes_per_us)},
                        {"down_gbit_s", gbit(entry.down_bytes_per_us)}});
  }
  const ordered_json json = {{"switches", switches},
                             {"hosts", hosts},
                             {"inside", to_json(network.inside)},
                             {"between", to_json(network.between)},
                             {"work", to_json(network.work)}};
  return json.dump(2) + "\n";
}

}  // namespace rondo::simulate
