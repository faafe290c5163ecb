#include "transport/shm/memory_budget.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace rondo::transport {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

std::uint64_t available_on_host() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return total_memory_bytes();
}

// The path of this process in the unified hierarchy ("0::/a/b"), empty where there is none.
std::string cgroup_path() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return {};
}

std::uint64_t available_in(const std::string& folder) {
  const auto limit = number_in(folder + "/memory.max");
  const auto used = number_in(folder + "/memory.current");
  if (!limit || !used) return kUnlimited;
  return *limit - std::min(*limit, *used);
}

std::uint64_t available_in_cgroups() {
  const std::string root = "/sys/fs/cgroup";
  std::uint64_t available = available_in(root);
  for (std::string path = cgroup_path(); path.size() > 1; path.resize(path.rfind('/')))
    available = std::min(available, available_in(root + path));
  return available;
}

}  // namespace

std::uint64_t total_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t available_memory_bytes(std::uint64_t file_bytes) {
  std::uint64_t available = std::min(available_on_host(), available_in_cgroups());
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    available = std::min<std::uint64_t>(
        available, limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, file_bytes));
  return available;
}

}  // namespace rondo::transport
