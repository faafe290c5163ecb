#include "collectives/verify/rank_order.h"

#include <fmt/format.h>

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::FusedSchedule;
using schedule::Request;

Status wrong(const Request& request, std::uint32_t row, const std::string& what) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("output {} of rank {} {}, though the algorithm is said to keep the "
                            "ranks' order",
                            row, request.rank, what),
                request.rank, fmt::format("rank {}, output {}", request.rank, row));
}

Status check_value(const Request& request, std::uint32_t row, const Value& value, Order order) {
  if (!value.is_in_rank_order() || value.first != 0 || value.last != request.world - 1) {
    return wrong(request, row, "is combined in another order than rank by rank");
  }
  if (order == Order::kRanksInOneSweep && value.sweeps > 1) {
    return wrong(request, row, fmt::format("is combined in {} sweeps, not in one", value.sweeps));
  }
  return {};
}

}  // namespace

Status check_order(std::span<const FusedSchedule> world, const Outcome& outcome, Order order) {
  if (order == Order::kAny) return {};
  for (const FusedSchedule& own : world) {
    const schedule::RowRange rows = output_rows(own.request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const std::uint32_t row = rows.row(i);
      const Value* value = outcome.find(own.request.rank, {BufferRole::kOutput, row});
      if (value == nullptr) return wrong(own.request, row, "holds nothing");
      RONDO_TRY(check_value(own.request, row, *value, order));
    }
  }
  return {};
}

}  // namespace rondo::verify
