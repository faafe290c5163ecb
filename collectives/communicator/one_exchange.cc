#include "collectives/communicator/one_exchange.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace rondo::communicator {
namespace {

using execute::Contributions;
using schedule::Collective;

constexpr std::string_view kOneShot = "one_shot";
constexpr std::string_view kDirect = "direct";
constexpr std::string_view kLinear = "linear";

using Parts = std::vector<Contributions::Part>;

/// The same of every rank's contribution.
Parts of_all(int world, std::size_t offset, std::size_t bytes) {
  Parts parts;
  for (int rank = 0; rank < world; ++rank) parts.push_back({rank, offset, bytes});
  return parts;
}

/// Of an all_gather_v, whose parts have sizes that all ranks know.
OneExchange of_uneven_parts(const CallArguments& arguments) {
  OneExchange exchange{.sizes = {.gathered = Parts()}};
  Contributions::Sizes& sizes = exchange.sizes;
  for (const std::size_t count : arguments.output_counts) {
    const std::size_t bytes = count * size_of(arguments.input.dtype);
    const auto rank = static_cast<int>(sizes.contributed_bytes.size());
    exchange.most_bytes = std::max(exchange.most_bytes, bytes);
    sizes.contributed_bytes.push_back(bytes);
    sizes.gathered->push_back({rank, 0, bytes});
  }
  return exchange;
}

/// Everybody tells everybody everything, and combines its own part of it.
OneExchange of_scattered_sum(const CallArguments& arguments, int rank, int world) {
  const auto own = static_cast<std::size_t>(rank);
  const auto ranks = static_cast<std::size_t>(world);
  const std::size_t element_bytes = size_of(arguments.input.dtype);
  const auto counts = arguments.input_counts;
  const std::size_t part = arguments.uneven ? counts[own] : arguments.input.count / ranks;
  const std::size_t before =
      arguments.uneven ? std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0})
                       : own * part;
  const std::size_t bytes = arguments.input.count * element_bytes;
  return {.most_bytes = bytes,
          .sizes = {.count = part,
                    .combined_offset = before * element_bytes,
                    .contributed_bytes = std::vector(ranks, bytes)}};
}

std::optional<Parts> gathered_by(const CallArguments& arguments, int rank, int world,
                                 std::size_t total_bytes) {
  const auto ranks = static_cast<std::size_t>(world);
  const auto own = static_cast<std::size_t>(rank);
  const std::size_t part_bytes = total_bytes / ranks;
  const bool is_root = rank == arguments.root;
  switch (arguments.collective) {
    case Collective::kAllGather: return of_all(world, 0, part_bytes);
    case Collective::kGather: return is_root ? of_all(world, 0, part_bytes) : Parts();
    case Collective::kAllToAll: return of_all(world, own * part_bytes / ranks, part_bytes / ranks);
    case Collective::kScatter: return Parts{{arguments.root, own * part_bytes, part_bytes}};
    case Collective::kBroadcast: return Parts{{arguments.root, 0, total_bytes}};
    case Collective::kReduce: return is_root ? std::nullopt : std::optional(Parts());
    default: return std::nullopt;
  }
}

}  // namespace

bool is_one_exchange(const algorithms::Algorithm& algorithm, const CallArguments& arguments) {
  switch (algorithm.collective) {
    case Collective::kAllReduce: return algorithm.name == kOneShot;
    case Collective::kBarrier:
    case Collective::kAllGather:
    case Collective::kReduceScatter: return algorithm.name == kDirect;
    case Collective::kAllToAll: return algorithm.name == kDirect && !arguments.uneven;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kGather:
    case Collective::kScatter: return algorithm.name == kLinear && !arguments.uneven;
    default: return false;
  }
}

OneExchange one_exchange(const CallArguments& arguments, int rank, int world) {
  if (arguments.collective == Collective::kReduceScatter)
    return of_scattered_sum(arguments, rank, world);
  if (arguments.uneven) return of_uneven_parts(arguments);
  const auto ranks = static_cast<std::size_t>(world);
  const std::size_t bytes = total_count(arguments, world) * size_of(arguments.input.dtype);
  OneExchange exchange{.most_bytes = bytes, .sizes = {.count = arguments.input.count}};
  exchange.sizes.gathered = gathered_by(arguments, rank, world, bytes);
  switch (arguments.collective) {
    case Collective::kAllGather:
    case Collective::kAllToAll:
    case Collective::kGather: exchange.most_bytes = bytes / ranks; break;
    case Collective::kBroadcast:
    case Collective::kScatter:
      exchange.sizes.contributed_bytes.assign(ranks, 0);
      exchange.sizes.contributed_bytes[static_cast<std::size_t>(arguments.root)] = bytes;
      break;
    default: break;
  }
  return exchange;
}

}  // namespace rondo::communicator
