#include "transport/mesh/own_address.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "core/process_limits.h"
#include "transport/rendezvous/own_name.h"
#include "transport/rendezvous/store_address.h"
#include "transport/tcp/interface.h"

namespace rondo::transport {
namespace {

/// Interfaces that lead to containers of this host rather than to other hosts.
bool leads_inward(std::string_view name) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"docker", "br-", "veth", "virbr", "cni"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [name](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  });
}

Result<std::string> find_outward_interface() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return descriptor_error("list network interfaces", errno);
  std::string name = outward_interface(list);
  freeifaddrs(list);
  return name;
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

std::string outward_interface(const ifaddrs* list) {
  std::string with_v6;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const bool up = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0;
    if (!up || leads_inward(entry->ifa_name) || !is_ip_for_peers(entry->ifa_addr)) continue;
    if (entry->ifa_addr->sa_family == AF_INET) return entry->ifa_name;
    if (with_v6.empty()) with_v6 = entry->ifa_name;
  }
  return with_v6;
}

Result<std::string> own_address(const std::string& interface, bool one_host,
                                const rendezvous::Launch& launch) {
  if (interface == "0.0.0.0" || interface == "::") {
    return Status(ErrorCode::kInvalidArgument,
                  "\"" + interface +
                      "\" is every interface at once, and peers must be told one address: name an "
                      "interface or its address (RONDO_IFACE)");
  }
  if (!interface.empty()) return resolve_interface(interface);
  if (one_host) return std::string("127.0.0.1");
  std::string towards_store;
  if (!launch.store_address.empty()) {
    RONDO_ASSIGN(const auto store, rendezvous::parse_address(launch.store_address));
    RONDO_ASSIGN(towards_store, address_towards(store.host));
    // This host's own name may be at loopback in /etc/hosts, where ranks of other hosts never come.
    if (!is_loopback(towards_store) || !rendezvous::is_own_name(store.host)) return towards_store;
  }
  RONDO_ASSIGN(const std::string name, find_outward_interface());
  if (!name.empty()) return resolve_interface(name);
  if (!towards_store.empty()) return towards_store;
  return Status(ErrorCode::kSystem,
                "the world has ranks on other hosts, but no interface of this one has an address "
                "to reach them; bring one up, or name it in RONDO_IFACE");
}

}  // namespace rondo::transport
