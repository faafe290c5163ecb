#include "transport/mesh/own_address.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

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

/// Name of the first interface that could lead to another host; empty: none.
Result<std::string> outward_interface() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return system_error("getifaddrs", errno);
  std::string name;
  for (const ifaddrs* entry = list; entry != nullptr && name.empty(); entry = entry->ifa_next) {
    const bool usable = entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET &&
                        (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0;
    if (usable && !leads_inward(entry->ifa_name)) name = entry->ifa_name;
  }
  freeifaddrs(list);
  return name;
}

}  // namespace

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
  if (!launch.store_address.empty()) {
    RONDO_ASSIGN(const auto store, rendezvous::parse_address(launch.store_address));
    return address_towards(store.host);
  }
  RONDO_ASSIGN(const std::string name, outward_interface());
  if (!name.empty()) return resolve_interface(name);
  return Status(ErrorCode::kSystem,
                "the world has ranks on other hosts, but no interface of this one has an address "
                "to reach them; bring one up, or name it in RONDO_IFACE");
}

}  // namespace rondo::transport
