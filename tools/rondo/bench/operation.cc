#include "tools/rondo/bench/operation.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

using Kind = Operation::Kind;

struct Uneven {
  Collective collective;
  std::string_view name;
};

constexpr std::array kUneven = {
    Uneven{Collective::kAllGather, "all_gather_v"},
    Uneven{Collective::kReduceScatter, "reduce_scatter_v"},
    Uneven{Collective::kGather, "gather_v"},
    Uneven{Collective::kScatter, "scatter_v"},
    Uneven{Collective::kAllToAll, "all_to_all_v"},
};

}  // namespace

std::string_view to_string(const Operation& operation) {
  if (operation.sends()) return "send_receive";
  if (!operation.uneven()) return to_string(operation.collective);
  return std::ranges::find(kUneven, operation.collective, &Uneven::collective)->name;
}

bool reduces(const Operation& operation) {
  return !operation.sends() && reduces(operation.collective);
}

bool has_root(const Operation& operation) {
  return !operation.sends() && has_root(operation.collective);
}

bool has_in_place_form(const Operation& operation) {
  return !operation.sends() && operation.collective != Collective::kAllToAll &&
         operation.collective != Collective::kBarrier;
}

bool has_out_of_place_form(const Operation& operation) {
  return !operation.is(Collective::kBroadcast);
}

const std::vector<Operation>& all_operations() {
  static const std::vector<Operation> operations = [] {
    std::vector<Operation> all(all_collectives().begin(), all_collectives().end());
    for (const Uneven& uneven : kUneven) all.emplace_back(uneven.collective, Kind::kUneven);
    all.push_back(Operation::send_receive());
    return all;
  }();
  return operations;
}

Operation parse_operation(std::string_view text) {
  std::vector<std::string_view> names;
  for (const Operation& operation : all_operations()) names.push_back(to_string(operation));
  one_of("collective", text, names);
  const auto found = std::ranges::find(names, text);
  return all_operations()[static_cast<std::size_t>(found - names.begin())];
}

std::vector<std::size_t> parts_of(const Operation& operation, std::size_t all, int world) {
  std::vector<std::size_t> parts(static_cast<std::size_t>(world), 1);
  if (operation.uneven()) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) parts[rank] = 1 + rank % 3;
  }
  const std::size_t unit = all / std::accumulate(parts.begin(), parts.end(), std::size_t{0});
  for (std::size_t& part : parts) part *= unit;
  return parts;
}

std::vector<std::size_t> row_of(const Operation& operation, std::size_t all, int world, int from) {
  std::vector<std::size_t> parts = parts_of(operation, all, world);
  std::ranges::rotate(parts, parts.begin() + from);
  return parts;
}

std::size_t first_of(const std::vector<std::size_t>& parts, int index) {
  return std::accumulate(parts.begin(), parts.begin() + index, std::size_t{0});
}

}  // namespace rondo::tool
