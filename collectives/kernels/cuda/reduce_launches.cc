#include "collectives/kernels/cuda/reduce_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "collectives/kernels/cuda/reduce_parameters.h"
#include "core/dtype.h"

namespace rondo::kernels::cuda {
namespace {

constexpr std::size_t kMost = ReduceParameters::kMostPointers;
/// Beside one target.
constexpr std::size_t kMostSources = kMost - 1;

/// Whether any order of the sources has the same bits.
bool is_order_free(DataType type, ReduceOp op) {
  return is_integer(type) || op == ReduceOp::kMin || op == ReduceOp::kMax;
}

/// Whether a partial result is the same when it has been in memory.
bool is_held_in_memory(DataType type, ReduceOp op) {
  const bool is_widened = type == DataType::kF16 || type == DataType::kBF16;
  return !is_widened || is_order_free(type, op);
}

Status too_many(const ReduceArguments& arguments) {
  return Status(ErrorCode::kUnsupported,
                fmt::format("a reduction on a CUDA device has {} sources and targets, of at most "
                            "{}: choose an algorithm that combines fewer at once (RONDO_ALGO)",
                            arguments.sources.size() + arguments.targets.size(), kMost));
}

/// Where the first part's result may lie until the others are combined with it; null: nowhere.
void* place_of_partial(std::span<const void* const> sources, std::span<void* const> targets) {
  const auto later = sources.subspan(kMostSources);
  const auto is_free = [&](const void* target) { return std::ranges::count(later, target) == 0; };
  const auto found = std::ranges::find_if(targets, is_free);
  return found == targets.end() ? nullptr : *found;
}

/// Until what is left of the sources has room beside a target.
Status combine_first_parts(const ReduceArguments& arguments, std::vector<const void*>& sources,
                           const ReduceLaunch& launch) {
  void* partial = nullptr;
  while (sources.size() > kMostSources) {
    if (partial == nullptr) partial = place_of_partial(sources, arguments.targets);
    if (partial == nullptr) return too_many(arguments);
    const std::span<const void* const> part = std::span(sources).first(kMostSources);
    RONDO_TRY(launch({.sources = part, .targets = {&partial, 1}, .count = arguments.count}));
    sources.erase(sources.begin() + 1, sources.begin() + kMostSources);
    sources.front() = partial;
  }
  return {};
}

/// What one target has is stored to those for which there was no room.
Status copy_to_others(const ReduceArguments& arguments, std::size_t stored,
                      const ReduceLaunch& launch) {
  const void* const result = arguments.targets.front();
  for (std::size_t next = stored; next < arguments.targets.size(); next += kMost - 1) {
    const std::size_t count = std::min(kMost - 1, arguments.targets.size() - next);
    RONDO_TRY(launch({.sources = {&result, 1},
                      .targets = arguments.targets.subspan(next, count),
                      .count = arguments.count}));
  }
  return {};
}

}  // namespace

bool always_launches(DataType type, ReduceOp op, std::size_t sources, std::size_t targets) {
  if (sources <= kMostSources || is_order_free(type, op)) return true;
  // Of so many targets one isn't among the sources that come later.
  return is_held_in_memory(type, op) && targets > sources - kMostSources;
}

Status launch_in_parts(DataType type, ReduceOp op, const ReduceArguments& arguments,
                       const ReduceLaunch& launch) {
  const std::size_t pointers = arguments.sources.size() + arguments.targets.size();
  if (pointers <= kMost) return launch(arguments);
  std::vector<const void*> sources(arguments.sources.begin(), arguments.sources.end());
  if (sources.size() > kMostSources) {
    if (!is_held_in_memory(type, op)) return too_many(arguments);
    const void* const first = arguments.targets.front();
    if (is_order_free(type, op))
      std::ranges::partition(sources, [first](const void* source) { return source == first; });
  }
  RONDO_TRY(combine_first_parts(arguments, sources, launch));
  const std::size_t stored = std::min(kMost - sources.size(), arguments.targets.size());
  RONDO_TRY(launch({.sources = sources,
                    .targets = arguments.targets.first(stored),
                    .count = arguments.count,
                    .divisor = arguments.divisor}));
  return copy_to_others(arguments, stored, launch);
}

}  // namespace rondo::kernels::cuda
