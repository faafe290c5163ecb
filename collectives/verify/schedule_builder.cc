// Schedules that are written op by op (rondo/schedule_builder.h): the same values that files hold.

#include "rondo/schedule_builder.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "collectives/schedule/schedule_file.h"
#include "collectives/verify/written.h"
#include "core/json/reader.h"
#include "rondo/error.h"

namespace rondo {
inline namespace v1 {

using schedule::BufferRole;
using schedule::Op;
using schedule::OpKind;
using schedule::RankSchedule;
using schedule::Slice;

namespace {

void require(std::int64_t value, std::int64_t least, std::int64_t below, const char* what) {
  if (value >= least && value < below) return;
  if (below <= least) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("schedule builder: {} {}: there is none yet", what, value));
  }
  throw Error(ErrorCode::kInvalidArgument, fmt::format("schedule builder: {} {}: expected {} to {}",
                                                       what, value, least, below - 1));
}

void require(const schedule::WrittenSize& size) {
  const Status status = size.check();
  if (!status.ok()) throw Error(status.code(), "schedule builder: " + status.message());
}

void require_name(std::string_view name) {
  if (json::is_name(name)) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("schedule builder: name: expected one line of UTF-8, 1 to {} bytes",
                          json::kMostNameBytes));
}

BufferRole role_of(ScheduleBuilder::Place::Memory memory) {
  using Memory = ScheduleBuilder::Place::Memory;
  if (memory == Memory::kScratch) return BufferRole::kScratch;
  return memory == Memory::kInput ? BufferRole::kInput : BufferRole::kOutput;
}

}  // namespace

struct ScheduleBuilder::Impl {
  schedule::WrittenSchedule written;
  schedule::WrittenSize size;

  /// Throws, and leaves what there is as it was, where it would be too much.
  void grow(const schedule::WrittenSize& by) {
    const schedule::WrittenSize all{
        .cells = size.cells + by.cells, .lanes = size.lanes + by.lanes, .ops = size.ops + by.ops};
    require(all);
    size = all;
  }
  RankSchedule& rank(int rank) {
    require(rank, 0, static_cast<std::int64_t>(written.ranks.size()), "rank");
    return written.ranks[static_cast<std::size_t>(rank)];
  }
  Slice slice(int of, const Place& place) {
    const RankSchedule& own = rank(of);
    const bool is_slot = place.memory == Place::Memory::kScratch;
    require(place.index, 0,
            is_slot ? static_cast<std::int64_t>(own.scratch_rows.size())
                    : std::int64_t{own.request.rows},
            is_slot ? "scratch slot" : "row");
    return {role_of(place.memory), place.index};
  }
  std::uint32_t add(int of, int lane, Op op) {
    op.lane = static_cast<std::uint16_t>(lane);
    require(lane, 0, schedule::kMostWrittenLanes, "lane");
    auto& lanes = rank(of).lanes;
    const std::size_t least = static_cast<std::size_t>(lane) + 1;
    const std::size_t more = least > lanes.size() ? least - lanes.size() : 0;
    grow({.lanes = static_cast<std::int64_t>(more), .ops = 1});
    if (more > 0) lanes.resize(least);
    auto& ops = lanes[static_cast<std::size_t>(lane)];
    ops.push_back(op);
    return static_cast<std::uint32_t>(ops.size() - 1);
  }
  int peer(int peer) const {
    require(peer, 0, written.request().world, "peer");
    return peer;
  }
};

ScheduleBuilder::ScheduleBuilder(std::string name, Collective collective, int ranks,
                                 std::uint32_t rows, int root)
    : impl_(std::make_unique<Impl>()) {
  require_name(name);
  require(ranks, 1, schedule::kMostWrittenRanks + 1, "ranks");
  require(rows, 1, schedule::kMostWrittenRows + 1, "rows");
  require(root, 0, ranks, "root");
  impl_->grow({.cells = std::int64_t{ranks} * rows, .lanes = ranks});
  impl_->written.name = std::move(name);
  for (int rank = 0; rank < ranks; ++rank) {
    RankSchedule& own = impl_->written.ranks.emplace_back();
    own.request.collective = collective;
    own.request.world = ranks;
    own.request.rank = rank;
    own.request.root = root;
    own.request.rows = rows;
    own.lanes.resize(1);
  }
}

ScheduleBuilder::~ScheduleBuilder() = default;
ScheduleBuilder::ScheduleBuilder(ScheduleBuilder&&) noexcept = default;
ScheduleBuilder& ScheduleBuilder::operator=(ScheduleBuilder&&) noexcept = default;

void ScheduleBuilder::turns() { impl_->written.turns = true; }

ScheduleBuilder::Place ScheduleBuilder::scratch(int rank, std::uint32_t row) {
  RankSchedule& own = impl_->rank(rank);
  require(row, 0, own.request.rows, "row");
  impl_->grow({.cells = 1});
  own.scratch_rows.push_back(row);
  return {Place::Memory::kScratch, static_cast<std::uint32_t>(own.scratch_rows.size() - 1)};
}

std::uint32_t ScheduleBuilder::send(int rank, int peer, Place source, int lane) {
  Op op;
  op.kind = OpKind::kSend;
  op.peer = impl_->peer(peer);
  op.source = impl_->slice(rank, source);
  return impl_->add(rank, lane, op);
}

std::uint32_t ScheduleBuilder::recv(int rank, int peer, Place target, int lane) {
  Op op;
  op.kind = OpKind::kRecv;
  op.peer = impl_->peer(peer);
  op.target = impl_->slice(rank, target);
  return impl_->add(rank, lane, op);
}

std::uint32_t ScheduleBuilder::recv_reduce(int rank, int peer, Place source, Place target,
                                           bool final, int lane) {
  Op op;
  op.kind = OpKind::kRecvReduce;
  op.peer = impl_->peer(peer);
  op.source = impl_->slice(rank, source);
  op.target = impl_->slice(rank, target);
  op.final = final;
  return impl_->add(rank, lane, op);
}

std::uint32_t ScheduleBuilder::copy(int rank, Place source, Place target, int lane) {
  Op op;
  op.kind = OpKind::kCopy;
  op.source = impl_->slice(rank, source);
  op.target = impl_->slice(rank, target);
  return impl_->add(rank, lane, op);
}

std::uint32_t ScheduleBuilder::reduce(int rank, Place source, Place other, Place target, bool final,
                                      int lane) {
  Op op;
  op.kind = OpKind::kReduce;
  op.source = impl_->slice(rank, source);
  op.other = impl_->slice(rank, other);
  op.target = impl_->slice(rank, target);
  op.final = final;
  return impl_->add(rank, lane, op);
}

std::uint32_t ScheduleBuilder::wait(int rank, int other_lane, std::uint32_t op, int lane) {
  const auto& lanes = impl_->rank(rank).lanes;
  require(other_lane, 0, static_cast<std::int64_t>(lanes.size()), "lane waited for");
  require(op, 0, static_cast<std::int64_t>(lanes[static_cast<std::size_t>(other_lane)].size()),
          "op waited for");
  Op wait;
  wait.kind = OpKind::kWait;
  wait.wait.lane = static_cast<std::uint32_t>(other_lane);
  wait.wait.op = op;
  return impl_->add(rank, lane, wait);
}

std::string ScheduleBuilder::json() const {
  const auto& ranks = impl_->written.ranks;
  for (std::size_t rank = 1; impl_->written.turns && rank < ranks.size(); ++rank) {
    if (ranks[rank].lanes.size() == 1 && ranks[rank].lanes.front().empty()) continue;
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("schedule builder: turns: rank 0's ops stand for all, but rank {} has "
                            "ops of its own",
                            rank));
  }
  return to_json(impl_->written);
}

std::string ScheduleBuilder::build() const {
  std::string text = json();
  const std::string name = fmt::format("schedule '{}'", impl_->written.name);
  const auto written = value_or_throw(schedule::parse_schedule(text, name));
  value_or_throw(verify::verify_written(written, name));
  return text;
}

}  // namespace v1
}  // namespace rondo
