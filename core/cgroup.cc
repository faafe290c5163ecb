#include "core/cgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <ranges>
#include <system_error>

namespace rondo {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    if (end != 0 && !text.empty()) parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool lists(std::string_view comma_list, std::string_view wanted) {
  return std::ranges::count(split(comma_list, ','), wanted) > 0;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

Status not_understood(std::string_view what, std::string_view text) {
  return Status(ErrorCode::kDataLoss, fmt::format("{} is not understood: \"{}\"", what, text));
}

/// One line of /proc/self/mountinfo: "36 35 0:30 <root> <point> <options> - <type> <source>
/// <super>".
struct Mount {
  std::string_view root;
  std::string_view point;
  std::string_view type;
  std::string_view super_options;
};

std::optional<Mount> parse_mount(std::string_view line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto head = split(line.substr(0, dash), ' ');
  const auto tail = split(line.substr(dash + 3), ' ');
  if (head.size() < 5 || tail.size() < 3) return std::nullopt;
  return Mount{head[3], head[4], tail[0], tail[2]};
}

/// A container may mount a group other than the root, and a namespace may hide what lies above:
/// only the part of the path below the mount's root is to be found under the mount point.
std::vector<std::string> folders_up(const Mount& mount, std::string_view path) {
  if (mount.root != "/" && path.starts_with(mount.root)) path.remove_prefix(mount.root.size());
  std::vector<std::string> folders;
  while (!path.empty() && path != "/") {
    folders.push_back(std::string(mount.point) + std::string(path));
    path = path.substr(0, path.rfind('/'));
  }
  folders.emplace_back(mount.point);
  return folders;
}

struct Membership {
  std::optional<std::string_view> v1_path;
  std::optional<std::string_view> v2_path;
};

/// /proc/self/cgroup: "4:cpu,cpuacct:/some/path" (version 1), "0::/some/path" (version 2).
Membership parse_membership(std::string_view controller, std::string_view cgroup_text) {
  Membership membership;
  for (const std::string_view line : split(cgroup_text, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) membership.v2_path = path;
    if (lists(controllers, controller)) membership.v1_path = path;
  }
  return membership;
}

std::optional<double> read_limit(const ReadFile& read_file, int version,
                                 const std::string& folder) {
  if (version == 2) {
    const auto text = read_file(folder + "/cpu.max");
    if (!text) return std::nullopt;
    const auto limit = parse_cpu_max(*text);
    return limit.ok() ? limit.value() : std::nullopt;
  }
  const auto quota = read_file(folder + "/cpu.cfs_quota_us");
  const auto period = read_file(folder + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  const auto limit = parse_cfs_quota(*quota, *period);
  return limit.ok() ? limit.value() : std::nullopt;
}

}  // namespace

std::optional<std::string> read_system_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::optional<double>> parse_cpu_max(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto words = split(text, ' ');
  if (words.size() != 2) return not_understood("cpu.max", text);
  if (words[0] == "max") return std::optional<double>();
  return parse_cfs_quota(words[0], words[1]);
}

Result<std::optional<double>> parse_cfs_quota(std::string_view quota_text,
                                              std::string_view period_text) {
  const auto quota_us = parse_integer(quota_text);
  const auto period_us = parse_integer(period_text);
  if (!quota_us) return not_understood("the processor quota", quota_text);
  if (!period_us || *period_us <= 0) return not_understood("the processor period", period_text);
  if (*quota_us < 0) return std::optional<double>();
  return std::optional(static_cast<double>(*quota_us) / static_cast<double>(*period_us));
}

std::vector<Cgroup> find_cgroups(std::string_view controller, std::string_view cgroup_text,
                                 std::string_view mountinfo_text) {
  const Membership membership = parse_membership(controller, cgroup_text);
  std::vector<Cgroup> found;
  for (const std::string_view line : split(mountinfo_text, '\n')) {
    const std::optional<Mount> mount = parse_mount(line);
    if (!mount) continue;
    if (mount->type == "cgroup2" && membership.v2_path) {
      found.push_back({2, folders_up(*mount, *membership.v2_path)});
    }
    if (mount->type == "cgroup" && lists(mount->super_options, controller) && membership.v1_path) {
      found.push_back({1, folders_up(*mount, *membership.v1_path)});
    }
  }
  return found;
}

std::vector<Cgroup> find_cgroups(std::string_view controller, const ReadFile& read_file) {
  const auto membership = read_file("/proc/self/cgroup");
  const auto mounts = read_file("/proc/self/mountinfo");
  if (!membership || !mounts) return {};
  return find_cgroups(controller, *membership, *mounts);
}

std::optional<double> read_cpu_quota(const ReadFile& read_file) {
  std::optional<double> smallest;
  for (const Cgroup& cgroup : find_cgroups("cpu", read_file)) {
    for (const std::string& folder : cgroup.folders) {
      const auto limit = read_limit(read_file, cgroup.version, folder);
      if (limit && (!smallest || *limit < *smallest)) smallest = limit;
    }
  }
  return smallest;
}

std::optional<double> read_cpu_quota() { return read_cpu_quota(read_system_file); }

}  // namespace rondo
