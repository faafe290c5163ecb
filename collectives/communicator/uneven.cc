#include "collectives/communicator/uneven.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace rondo::communicator {
namespace {

using schedule::Collective;

Status invalid(const CallArguments& arguments, const std::string& text) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{}_v: {}", schedule::to_string(arguments.collective), text));
}

/// `counts` are one for each rank, and together those of the buffer `name`.
Status check_sum(const CallArguments& arguments, std::span<const std::size_t> counts, int world,
                 std::size_t buffer_count, const char* name) {
  if (counts.size() != static_cast<std::size_t>(world)) {
    return invalid(arguments, fmt::format("there are {} counts of the {} for {} ranks",
                                          counts.size(), name, world));
  }
  std::size_t sum = 0;
  for (const std::size_t count : counts) {
    if (count > std::numeric_limits<std::size_t>::max() - sum) {
      return invalid(arguments,
                     fmt::format("the counts of the {} overflow the address space", name));
    }
    sum += count;
  }
  if (sum == buffer_count) return {};
  return invalid(arguments, fmt::format("the counts of the {} sum to {}, but {}.count is {}", name,
                                        sum, name, buffer_count));
}

Status check_own(const CallArguments& arguments, std::size_t counted, std::size_t own, int rank,
                 const char* name) {
  if (counted == own) return {};
  return invalid(arguments, fmt::format("the count of this rank ({}) is {}, but {}.count is {}",
                                        rank, counted, name, own));
}

/// Parts of all ranks on one side, this rank's alone on the other.
Status check_whole_and_part(const CallArguments& arguments, int rank, int world) {
  const std::size_t own = static_cast<std::size_t>(rank);
  const bool gathers =
      arguments.collective == Collective::kAllGather || arguments.collective == Collective::kGather;
  const auto counts = gathers ? arguments.output_counts : arguments.input_counts;
  const auto others = gathers ? arguments.input_counts : arguments.output_counts;
  if (!others.empty()) {
    return invalid(arguments, fmt::format("there are {} counts of the {}, where only the {} has "
                                          "parts",
                                          others.size(), gathers ? "input" : "output",
                                          gathers ? "output" : "input"));
  }
  const std::size_t whole = gathers ? arguments.output.count : arguments.input.count;
  const std::size_t part = gathers ? arguments.input.count : arguments.output.count;
  RONDO_TRY(check_sum(arguments, counts, world, whole, gathers ? "output" : "input"));
  return check_own(arguments, counts[own], part, rank, gathers ? "input" : "output");
}

bool has_parts(Collective collective) {
  return collective == Collective::kAllGather || collective == Collective::kReduceScatter ||
         collective == Collective::kGather || collective == Collective::kScatter ||
         collective == Collective::kAllToAll;
}

bool has_all_parts(const CallArguments& arguments, int rank) {
  return !schedule::has_root(arguments.collective) || arguments.root == rank;
}

}  // namespace

Status check_uneven(const CallArguments& arguments, int rank, int world) {
  if (!has_parts(arguments.collective)) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{}: input_counts and output_counts are for collectives with parts "
                              "(all_gather, reduce_scatter, gather, scatter, all_to_all)",
                              schedule::to_string(arguments.collective)));
  }
  if (arguments.collective != Collective::kAllToAll) {
    return has_all_parts(arguments, rank) ? check_whole_and_part(arguments, rank, world) : Status();
  }
  RONDO_TRY(check_sum(arguments, arguments.input_counts, world, arguments.input.count, "input"));
  RONDO_TRY(check_sum(arguments, arguments.output_counts, world, arguments.output.count, "output"));
  const auto own = static_cast<std::size_t>(rank);
  if (arguments.input_counts[own] == arguments.output_counts[own]) return {};
  return invalid(arguments, fmt::format("rank {} sends itself {} elements and expects {}", rank,
                                        arguments.input_counts[own], arguments.output_counts[own]));
}

std::size_t own_offset(const CallArguments& arguments, int rank) {
  const auto counts =
      arguments.output_counts.empty() ? arguments.input_counts : arguments.output_counts;
  return std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
}

bool knows_all_rows(Collective collective) {
  return collective == Collective::kAllGather || collective == Collective::kReduceScatter;
}

bool knows_own_rows_only(const CallArguments& arguments) {
  return arguments.uneven && !knows_all_rows(arguments.collective);
}

Status set_uneven(schedule::ChunkTable& table, const CallArguments& arguments, int rank,
                  int world) {
  const auto own = static_cast<std::size_t>(rank);
  if (arguments.collective == Collective::kAllToAll)
    return table.become_cross(own, arguments.input_counts, arguments.output_counts);
  const auto counts =
      arguments.output_counts.empty() ? arguments.input_counts : arguments.output_counts;
  if (has_all_parts(arguments, rank)) return table.become_counts(counts);
  std::vector<std::size_t> rows(static_cast<std::size_t>(world));
  rows[own] = std::max(arguments.input.count, arguments.output.count);
  return table.become_counts(rows);
}

}  // namespace rondo::communicator
