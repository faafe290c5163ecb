#include "tools/rondo/run/open_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/rondo/run/run_error.h"

namespace rondo::tool {
namespace {

constexpr rlim_t kOpenFilesPerRank = 3;
constexpr rlim_t kOpenFilesBesides = 64;

}  // namespace

std::optional<rlimit> allow_open_files(int ranks) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = kOpenFilesPerRank * static_cast<rlim_t>(ranks) + kOpenFilesBesides;
  if (limit.rlim_cur >= needed) return std::nullopt;
  const rlimit raised{.rlim_cur = needed, .rlim_max = std::max(needed, limit.rlim_max)};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return limit;
  throw RunError(kExitCannotRun,
                 fmt::format("{} ranks need {} open files, but the limit is {}: raise it "
                             "(ulimit -n)",
                             ranks, needed, limit.rlim_max));
}

}  // namespace rondo::tool
