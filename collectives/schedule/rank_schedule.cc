#include "collectives/schedule/rank_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::schedule {
namespace {

RowRange all_rows(const Request& request) { return {0, request.rows}; }

/// The part of the rows that belongs to one rank where every rank owns an equal share.
RowRange own_rows(const Request& request) {
  const auto share = request.rows / static_cast<std::uint32_t>(request.world);
  return {static_cast<std::uint32_t>(request.rank) * share, share};
}

RowRange rows_at_root(const Request& request) {
  return request.rank == request.root ? all_rows(request) : RowRange{};
}

}  // namespace

SharedLayout layout_of(const Request& request) {
  if (request.layout) return request.layout;
  return std::make_shared<const HostLayout>(HostLayout::one_host(request.world));
}

std::uint32_t rows_of_ranks(int ranks, int each) {
  const std::uint64_t rows = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(each);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, kTooManyRows));
}

std::uint32_t rows_unit(Collective collective, int world) {
  switch (collective) {
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kGather:
    case Collective::kScatter: return rows_of_ranks(world, 1);
    case Collective::kAllToAll: return rows_of_ranks(world, world);
    case Collective::kAllReduce:
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kBarrier: return 1;
  }
  return 1;
}

bool may_have_rows(Collective collective, int world, std::uint32_t rows) {
  const std::uint32_t unit = rows_unit(collective, world);
  return collective == Collective::kAllToAll ? rows == unit : rows != 0 && rows % unit == 0;
}

std::string expected_rows(Collective collective, int world) {
  const std::uint32_t unit = rows_unit(collective, world);
  return fmt::format("{}{}", collective == Collective::kAllToAll ? "" : "a multiple of ", unit);
}

RowRange input_rows(const Request& request) {
  switch (request.collective) {
    case Collective::kAllGather:
    case Collective::kGather:
    case Collective::kAllToAll: return own_rows(request);
    case Collective::kBroadcast:
    case Collective::kScatter: return rows_at_root(request);
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
    case Collective::kReduce:
    case Collective::kBarrier: return all_rows(request);
  }
  return {};
}

RowRange output_rows(const Request& request) {
  switch (request.collective) {
    case Collective::kReduceScatter:
    case Collective::kScatter: return own_rows(request);
    case Collective::kReduce:
    case Collective::kGather: return rows_at_root(request);
    case Collective::kAllToAll: {
      const auto world = static_cast<std::uint32_t>(request.world);
      return {static_cast<std::uint32_t>(request.rank), request.rows / world, world};
    }
    case Collective::kAllReduce:
    case Collective::kAllGather:
    case Collective::kBroadcast:
    case Collective::kBarrier: return all_rows(request);
  }
  return {};
}

std::uint32_t row_of(const RankSchedule& schedule, Slice slice) {
  const bool is_slot =
      slice.buffer == BufferRole::kScratch && slice.chunk < schedule.scratch_rows.size();
  return is_slot ? schedule.scratch_rows[slice.chunk] : slice.chunk;
}

Builder::Builder(const Request& request) {
  schedule_.request = request;
  schedule_.lanes.resize(1);
  // Most algorithms have two ops a rank; a large world's trees have few, and are held for all
  // ranks.
  constexpr std::size_t kMostReserved = 1024;
  schedule_.lanes[0].reserve(std::min(2 * static_cast<std::size_t>(request.world), kMostReserved));
}

Op& Builder::add(OpKind kind, std::uint16_t lane) {
  if (lane >= schedule_.lanes.size()) schedule_.lanes.resize(lane + std::size_t{1});
  Op& op = schedule_.lanes[lane].emplace_back();
  op.kind = kind;
  op.lane = lane;
  return op;
}

void Builder::send(Rank peer, Slice source, std::uint16_t lane) {
  Op& op = add(OpKind::kSend, lane);
  op.peer = peer;
  op.source = source;
}

void Builder::recv(Rank peer, Slice target, std::uint16_t lane) {
  Op& op = add(OpKind::kRecv, lane);
  op.peer = peer;
  op.target = target;
}

void Builder::recv_reduce(Rank peer, Slice source, Slice target, bool final, std::uint16_t lane) {
  Op& op = add(OpKind::kRecvReduce, lane);
  op.final = final;
  op.peer = peer;
  op.source = source;
  op.target = target;
}

void Builder::copy(Slice source, Slice target, std::uint16_t lane) {
  Op& op = add(OpKind::kCopy, lane);
  op.source = source;
  op.target = target;
}

void Builder::reduce(Slice source, Slice other, Slice target, bool final, std::uint16_t lane) {
  Op& op = add(OpKind::kReduce, lane);
  op.final = final;
  op.source = source;
  op.other = other;
  op.target = target;
}

void Builder::wait(std::uint16_t wait_lane, std::uint32_t wait_op, std::uint16_t lane) {
  add(OpKind::kWait, lane).wait = {wait_lane, wait_op};
}

Slice Builder::scratch(std::uint32_t row) {
  schedule_.scratch_rows.push_back(row);
  return {BufferRole::kScratch, static_cast<std::uint32_t>(schedule_.scratch_rows.size() - 1)};
}

RankSchedule Builder::finish() && { return std::move(schedule_); }

}  // namespace rondo::schedule
