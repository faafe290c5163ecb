#include "core/environment_names.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/edit_distance.h"
#include "core/log.h"
#include "core/one_line.h"

namespace rondo {
namespace {

constexpr std::string_view kStart = "RONDO_";
/// In the order of docs/environment.md.
constexpr auto kKnown = std::to_array<std::string_view>(
    {"RONDO_TIMEOUT_MS", "RONDO_JOIN_TIMEOUT_MS", "RONDO_TRANSPORT", "RONDO_ALGO",
     "RONDO_DETERMINISTIC", "RONDO_SEGMENT_BYTES", "RONDO_LINKS", "RONDO_WIRE_FORMAT",
     "RONDO_ERROR_FEEDBACK", "RONDO_IFACE", "RONDO_TCP_SOCKETS", "RONDO_TCP_ZERO_COPY",
     "RONDO_PRIVATE_READ", "RONDO_PROGRESS", "RONDO_HOME_CORES", "RONDO_LOG", "RONDO_TRACE",
     "RONDO_TRACE_CALLS", "RONDO_TRACE_DIR", "RONDO_METRICS_FILE", "RONDO_DATA", "RONDO_TUNING",
     "RONDO_CACHE_DIR", "RONDO_PEERS_INCLUDE", "RONDO_PEERS_BUILD", "RONDO_SCHEDULE",
     "RONDO_DEVICE_PATH", "RONDO_KERNEL_BLOCKS", "RONDO_NCCL", "RONDO_CUDA_DRIVER",
     "RONDO_DEVICE_PLUGINS",
     // The emulated devices.
     "RONDO_EMULATED_DEVICES", "RONDO_EMULATED_COPY_MBPS", "RONDO_EMULATED_KERNEL_US",
     "RONDO_EMULATED_SEED", "RONDO_EMULATED_DELAY_US", "RONDO_EMULATED_MEMORY_MIB",
     "RONDO_EMULATED_FAULTS",
     // A launcher.
     "RONDO_WORLD", "RONDO_RANK", "RONDO_STORE", "RONDO_JOB", "RONDO_LOCAL_WORLD",
     "RONDO_LOCAL_RANK", "RONDO_STORE_FD",
     // The loops of `rondo bench compare`, an example, scripts.
     "RONDO_PEERS_BIND", "RONDO_PEERS_IN_A_ROW", "RONDO_PEERS_LATE_MS", "RONDO_PEERS_LIBRARY",
     "RONDO_PEERS_NEW_COUNTS", "RONDO_PEERS_TOOL", "RONDO_MPI_REPORT", "RONDO_DATA_SOURCES",
     "RONDO_INSTALL_APART", "RONDO_LAB",
     // Where it is installed, as modules of clusters say, and CMake looks.
     "RONDO_DIR", "RONDO_HOME", "RONDO_ROOT"});
/// The tests' own.
constexpr auto kKnownStarts = std::to_array<std::string_view>({"RONDO_TEST_", "RONDO_GPU_CHECK_"});

/// A shorter word is the start of too many others.
constexpr std::size_t kShortestStart = 3;
constexpr std::size_t kLettersPerMistake = 3;
/// Nobody means one of ours by more.
constexpr std::size_t kLongest = 64;

bool is_known(std::string_view name) {
  return std::ranges::find(kKnown, name) != kKnown.end() ||
         std::ranges::any_of(kKnownStarts,
                             [&](std::string_view start) { return name.starts_with(start); });
}

bool is_start_of_other(std::string_view a, std::string_view b) {
  if (std::min(a.size(), b.size()) < kShortestStart) return false;
  return a.starts_with(b) || b.starts_with(a);
}

/// Empty where none is near.
std::string_view meant_by(std::string_view name) {
  std::string_view nearest;
  if (name.size() > kLongest) return nearest;
  const std::string_view word = name.substr(kStart.size());
  std::size_t least = kLongest;
  for (const std::string_view known : kKnown) {
    const std::string_view own = known.substr(kStart.size());
    const std::size_t mistakes = edit_distance(word, own);
    const bool is_near =
        mistakes <= word.size() / kLettersPerMistake || is_start_of_other(word, own);
    if (!is_near || mistakes >= least) continue;
    least = mistakes;
    nearest = known;
  }
  return nearest;
}

}  // namespace

std::span<const std::string_view> known_variables() { return kKnown; }

std::string unknown_variables(const char* const* environment) {
  std::vector<std::string> unknown;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kStart) || is_known(name)) continue;
    const std::string_view meant = meant_by(name);
    std::string shown = on_one_line(std::string(name));
    unknown.push_back(meant.empty() ? std::move(shown) : fmt::format("{} ({}?)", shown, meant));
  }
  std::ranges::sort(unknown);
  return fmt::format("{}", fmt::join(unknown, ", "));
}

void warn_of_unknown_variables() {
  static std::atomic<bool> is_told = false;
  if (is_told.exchange(true)) return;
  const std::string names = unknown_variables(environ);
  if (names.empty()) return;
  log(LogLevel::kWarn, [&] {
    return fmt::format(
        "environment variables that Rondo doesn't know: {}; docs/environment.md has those that it "
        "reads",
        names);
  });
}

}  // namespace rondo
