#include "transport/shm/memory_budget.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace rondo::transport {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

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

// What one version calls its files, and the counts in memory.stat: memory that the kernel can have
// back at once, and what of that has to be written to a disk first. Version 1 counts no slabs.
struct Names {
  std::string_view limit;
  std::string_view used;
  std::array<std::string_view, 3> cached;
  std::array<std::string_view, 2> unwritten;
};

constexpr Names kNames1{.limit = "/memory.limit_in_bytes",
                        .used = "/memory.usage_in_bytes",
                        .cached = {"total_inactive_file", "total_active_file"},
                        .unwritten = {"total_dirty", "total_writeback"}};
constexpr Names kNames2{.limit = "/memory.max",
                        .used = "/memory.current",
                        .cached = {"inactive_file", "active_file", "slab_reclaimable"},
                        .unwritten = {"file_dirty", "file_writeback"}};

std::optional<std::uint64_t> number_in(const ReadFile& read_file, const std::string& path) {
  const auto text = read_file(path);
  std::uint64_t value = 0;
  if (!text || !(std::istringstream(*text) >> value)) return std::nullopt;
  return value;
}

std::uint64_t reclaimable_bytes(const Names& names, const std::string& stat_text) {
  std::istringstream stat(stat_text);
  std::uint64_t cached = 0;
  std::uint64_t unwritten = 0;
  std::string key;
  for (std::uint64_t bytes = 0; stat >> key >> bytes;) {
    if (std::ranges::count(names.cached, key) > 0) cached += bytes;
    if (std::ranges::count(names.unwritten, key) > 0) unwritten += bytes;
  }
  return cached - std::min(cached, unwritten);
}

std::uint64_t available_in(const ReadFile& read_file, const Names& names,
                           const std::string& folder) {
  const auto limit = number_in(read_file, folder + std::string(names.limit));
  const auto used = number_in(read_file, folder + std::string(names.used));
  if (!limit || !used) return kUnlimited;
  const std::string stat = read_file(folder + "/memory.stat").value_or("");
  const std::uint64_t held = *used - std::min(*used, reclaimable_bytes(names, stat));
  return *limit - std::min(*limit, held);
}

}  // namespace

std::uint64_t total_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool host_has_plenty() {
  struct sysinfo info {};
  return ::sysinfo(&info) == 0 && std::uint64_t{info.freeram} * info.mem_unit >> 30 != 0;
}

std::uint64_t available_in_cgroups(const ReadFile& read_file) {
  std::uint64_t available = kUnlimited;
  for (const Cgroup& cgroup : find_cgroups("memory", read_file)) {
    const Names& names = cgroup.version == 1 ? kNames1 : kNames2;
    for (const std::string& folder : cgroup.folders)
      available = std::min(available, available_in(read_file, names, folder));
  }
  return available;
}

std::uint64_t available_memory_bytes() {
  return std::min(available_on_host(), available_in_cgroups(read_system_file));
}

}  // namespace rondo::transport
