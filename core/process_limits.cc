#include "core/process_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

namespace rondo {
namespace {

// What Linux gives a process of x86-64; others have no less, unless they were built so.
constexpr std::uint64_t kAddressBytes = std::uint64_t{1} << 47;

std::uint64_t most_address_bytes() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return kAddressBytes;
  return std::min<std::uint64_t>(limit.rlim_cur, kAddressBytes);
}

std::uint64_t used_address_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

rlim_t most_file_bytes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

rlim_t most_descriptors() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

std::uint64_t available_address_bytes() {
  const std::uint64_t most = most_address_bytes();
  return most - std::min(most, used_address_bytes());
}

std::uint64_t available_file_bytes(std::uint64_t bytes) {
  const std::uint64_t most = most_file_bytes();
  return most - std::min(most, bytes);
}

Status check_file_size(std::uint64_t bytes) {
  const std::uint64_t most = most_file_bytes();
  if (bytes <= most) return {};
  return Status(ErrorCode::kSystem,
                fmt::format("shared memory of {} bytes is more than the {} bytes that a file of "
                            "this process may have (RLIMIT_FSIZE): raise that limit, with "
                            "`ulimit -f`, which holds for shared memory as for files",
                            bytes, most));
}

Status mapping_error(std::string what, std::uint64_t bytes, int errno_value) {
  const std::uint64_t most = most_address_bytes();
  if (errno_value != ENOMEM || most == kAddressBytes)
    return system_error(std::move(what), errno_value);
  return Status(ErrorCode::kSystem,
                fmt::format("{}: no room for {} bytes, since this process may have {} bytes of "
                            "addresses (RLIMIT_AS), of which {} are left: raise that limit, with "
                            "`ulimit -v`",
                            what, bytes, most, available_address_bytes()));
}

Status descriptor_error(std::string what, int errno_value) {
  if (errno_value != EMFILE) return system_error(std::move(what), errno_value);
  return Status(ErrorCode::kSystem,
                fmt::format("{}: this process has as many descriptors open as it may, {} "
                            "(RLIMIT_NOFILE): raise that limit, with `ulimit -n`",
                            what, most_descriptors()));
}

}  // namespace rondo
