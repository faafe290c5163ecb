// What `rondo info` and the head of every measurement print. Every fact is read where it is known
// (topology, kernels, devices, launcher); this file only puts them into words.

#include "rondo/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string_view>

#include "collectives/kernels/instruction_set.h"
#include "core/device/driver.h"
#include "core/topology.h"
#include "rondo/device.h"
#include "rondo/version.h"
#include "transport/rendezvous/launch.h"

namespace rondo {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

void add_build(Facts& facts) {
  facts.emplace_back("version", version());
  facts.emplace_back("compiler", compiler_name());
  facts.emplace_back("build_type", RONDO_BUILD_TYPE);
  facts.emplace_back("flags", RONDO_BUILD_FLAGS);
}

/// The value of the first "model name : ..." line; other architectures have none.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown (no model name in /proc/cpuinfo)";
}

void add_system(Facts& facts) {
  utsname system{};
  const bool known = uname(&system) == 0;
  facts.emplace_back("host", known ? system.nodename : "unknown");
  facts.emplace_back(
      "kernel",
      known ? fmt::format("{} {} {}", system.sysname, system.release, system.machine) : "unknown");
  facts.emplace_back("cpu", processor_name());
}

void add_topology(Facts& facts) {
  const Result<Topology> topology = read_topology();
  if (!topology.ok()) {
    facts.emplace_back("cores", "unknown: " + topology.status().to_string());
    return;
  }
  facts.emplace_back(
      "cores",
      fmt::format("{} of {} ({})", usable_cores(topology->cores.size(), topology->cpu_quota),
                  sysconf(_SC_NPROCESSORS_ONLN), fmt::join(topology->cores, " ")));
  facts.emplace_back("cgroup_quota",
                     topology->cpu_quota ? fmt::format("{} cores", *topology->cpu_quota) : "none");
  facts.emplace_back("numa_nodes", fmt::to_string(topology->numa_nodes.size()));
  facts.emplace_back(
      "caches", fmt::format("L1d {} KiB, L2 {} KiB, L3 {} KiB", topology->l1d_cache_bytes >> 10,
                            topology->l2_cache_bytes >> 10, topology->l3_cache_bytes >> 10));
}

std::string address_text(const sockaddr& address) {
  std::array<char, NI_MAXHOST> host{};
  const socklen_t bytes = address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const int problem = getnameinfo(&address, bytes, host.data(), static_cast<socklen_t>(host.size()),
                                  nullptr, 0, NI_NUMERICHOST);
  return problem == 0 ? host.data() : gai_strerror(problem);
}

/// "eth0 10.0.0.2" for every address of an interface that is up.
std::vector<std::string> interfaces() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, freeifaddrs);
  std::vector<std::string> found;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    const bool up = (entry->ifa_flags & IFF_UP) != 0;
    if (!up || entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    found.push_back(fmt::format("{} {}", entry->ifa_name, address_text(*entry->ifa_addr)));
  }
  return found;
}

/// The kind's versions, and whose whole collectives calls on devices can be: a library that is no
/// good is a fact, too.
void add_software_of(DeviceKind kind, Facts& facts) {
  const auto driver = device::driver_of(kind);
  if (!driver.ok()) return;
  if (const std::string versions = (*driver)->versions(); !versions.empty())
    facts.emplace_back(fmt::format("{}_versions", to_string(kind)), versions);
  const auto library = (*driver)->collective_library();
  if (library.ok() && *library == nullptr) return;
  facts.emplace_back(fmt::format("{}_collectives", to_string(kind)),
                     library.ok() ? (*library)->version() : library.status().to_string());
}

/// A plug-in that is no good is a fact, too.
void add_devices(Facts& facts) {
  try {
    for (const DeviceKind kind : device_kinds()) {
      facts.emplace_back(fmt::format("{}_devices", to_string(kind)),
                         fmt::to_string(device_count(kind)));
      if (device_count(kind) > 0) add_software_of(kind, facts);
    }
  } catch (const Error& error) {
    facts.emplace_back("devices", error.what());
  }
}

void add_means(Facts& facts) {
  facts.emplace_back("kernel_target", kernels::to_string(kernels::instruction_set()));
  facts.emplace_back("transports", "inproc, shm, tcp");
  add_devices(facts);
  facts.emplace_back("interfaces", fmt::format("{}", fmt::join(interfaces(), ", ")));
}

void add_launcher(Facts& facts) {
  const Result<rendezvous::Launch> launch = rendezvous::detect_launch();
  facts.emplace_back("launcher", launch.ok() ? describe(*launch) : launch.status().to_string());
}

void add_variables(Facts& facts) {
  const std::size_t first = facts.size();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (!text.starts_with("RONDO_") || equals == std::string_view::npos) continue;
    facts.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::sort(facts.begin() + static_cast<std::ptrdiff_t>(first), facts.end());
}

}  // namespace

inline namespace v1 {

std::vector<std::pair<std::string, std::string>> build_and_machine_info() {
  Facts facts;
  add_build(facts);
  add_system(facts);
  add_topology(facts);
  add_means(facts);
  add_launcher(facts);
  add_variables(facts);
  return facts;
}

}  // namespace v1
}  // namespace rondo
