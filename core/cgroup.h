#pragma once

// The control groups of this process: where they are, and how much processor time they allow, in
// cores (1.5 = three half cores): a container of two cores on a machine of ninety-six must not spin
// with ninety-six threads. Both hierarchies are read; the limit is the smallest one on the way up.
// Source: Linux Documentation/admin-guide/cgroup-v2.rst (cpu.max), scheduler/sched-bwc.rst (v1).
// Threads: any.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace rondo {

/// "max 100000" -> no limit, "150000 100000" -> 1.5. Errors: DataLoss.
Result<std::optional<double>> parse_cpu_max(std::string_view text);

/// The two files of version 1, in microseconds; a quota of -1 is no limit. Errors: DataLoss.
Result<std::optional<double>> parse_cfs_quota(std::string_view quota_text,
                                              std::string_view period_text);

/// Where one hierarchy keeps what it allows this process of one controller ("cpu", "memory").
struct Cgroup {
  int version = 2;
  /// The process's group first, then its parents up to the mount point.
  std::vector<std::string> folders;
};

/// Reads /proc/self/cgroup and /proc/self/mountinfo, given as text.
std::vector<Cgroup> find_cgroups(std::string_view controller, std::string_view cgroup_text,
                                 std::string_view mountinfo_text);

/// The contents of a file, or nothing where it can't be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Of this system.
std::optional<std::string> read_system_file(const std::string& path);

/// The same by way of `read_file`; none where either can't be read.
std::vector<Cgroup> find_cgroups(std::string_view controller, const ReadFile& read_file);

/// The processor time allowed, or nothing where there is no limit. A file that can't be read or
/// understood limits nothing.
std::optional<double> read_cpu_quota(const ReadFile& read_file);

/// The same, from this system's files.
std::optional<double> read_cpu_quota();

}  // namespace rondo
