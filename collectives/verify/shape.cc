#include "collectives/verify/shape.h"

#include <fmt/format.h>

#include <string>

#include "collectives/schedule/print.h"

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Request;
using schedule::Slice;
using schedule::Sweep;

std::string check_request(const Request& request, const Request& first, std::size_t rank,
                          std::size_t world) {
  if (request.rank != static_cast<schedule::Rank>(rank)) {
    return fmt::format("schedule {} of the world is made for rank {}", rank, request.rank);
  }
  if (request.world != static_cast<int>(world)) {
    return fmt::format("made for a world of {}, but there are {} schedules", request.world, world);
  }
  if (request.collective != first.collective || request.rows != first.rows ||
      request.root != first.root) {
    return "collective, rows or root differ from those of rank 0";
  }
  if (request.layout != first.layout && *layout_of(request) != *layout_of(first)) {
    return "the layout differs from that of rank 0";
  }
  if (request.layout && request.layout->world() != request.world) {
    return fmt::format("made for a world of {}, but the layout has {} ranks", request.world,
                       request.layout->world());
  }
  if (request.rows == 0) return "a schedule needs at least one row";
  if (request.root < 0 || request.root >= request.world) {
    return fmt::format("root {} is not a rank of a world of {}", request.root, request.world);
  }
  if (request.rows % schedule::rows_unit(request.collective, request.world) != 0) {
    return fmt::format("{} rows can't be shared equally by {} ranks", request.rows, world);
  }
  return {};
}

std::string check_slice(const FusedSchedule& owner, Slice slice, std::uint32_t row) {
  bool exists = false;
  std::uint32_t slice_row = slice.chunk;
  switch (slice.buffer) {
    case BufferRole::kInput: exists = input_rows(owner.request).contains(slice.chunk); break;
    case BufferRole::kOutput: exists = output_rows(owner.request).contains(slice.chunk); break;
    case BufferRole::kScratch:
      exists = slice.chunk < owner.scratch_rows.size();
      if (exists) slice_row = owner.scratch_rows[slice.chunk];
      break;
  }
  const auto rank = owner.request.rank;
  if (!exists) return fmt::format("rank {} has no {}", rank, to_string(slice));
  if (slice_row == row) return {};
  return fmt::format("{} of rank {} has the size of row {}, not of row {}", to_string(slice), rank,
                     slice_row, row);
}

class SweepShape {
 public:
  SweepShape(std::span<const FusedSchedule> world, std::size_t rank, std::size_t lane,
             const Sweep& sweep)
      : world_(world), own_(world[rank]), rank_(rank), lane_(lane), sweep_(sweep) {}

  std::string check() const {
    if (sweep_.is_wait) return check_wait();
    const auto ports = std::span(own_.ports);
    const auto end = [](std::uint32_t first, std::uint32_t count) {
      return std::uint64_t{first} + count;
    };
    if (sweep_.source_count == 0 || sweep_.target_count == 0 ||
        end(sweep_.first_source, sweep_.source_count) > ports.size() ||
        end(sweep_.first_target, sweep_.target_count) > ports.size()) {
      return "a sweep needs sources and targets among the schedule's ports";
    }
    if (sweep_.row >= own_.request.rows) return fmt::format("there is no row {}", sweep_.row);
    const auto sources = ports.subspan(sweep_.first_source, sweep_.source_count);
    const auto targets = ports.subspan(sweep_.first_target, sweep_.target_count);
    for (const auto side : {sources, targets}) {
      for (std::size_t i = 0; i < side.size(); ++i) {
        const bool is_target = side.data() == targets.data();
        if (std::string why = check_port(side, i, is_target); !why.empty()) return why;
      }
    }
    return check_backing(sources, targets);
  }

 private:
  std::string check_wait() const {
    if (sweep_.wait_lane >= own_.lanes.size() ||
        sweep_.wait_sweep >= own_.lanes[sweep_.wait_lane].size()) {
      return "waits for a sweep that doesn't exist";
    }
    return {};
  }

  std::string check_port(std::span<const Port> side, std::size_t index, bool is_target) const {
    const Port& port = side[index];
    if (!port.is_channel()) {
      if (is_target && port.slice.buffer == BufferRole::kInput) return "writes to the input";
      return port.direct ? "only a channel can be direct"
                         : check_slice(own_, port.slice, sweep_.row);
    }
    if (port.peer < 0 || static_cast<std::size_t>(port.peer) >= world_.size() ||
        static_cast<std::size_t>(port.peer) == rank_) {
      return fmt::format("rank {} is no peer", port.peer);
    }
    for (const Port& other : side.first(index)) {
      if (other.is_channel() && other.peer == port.peer) {
        return fmt::format("two messages of one sweep share the channel of rank {}", port.peer);
      }
    }
    const FusedSchedule& peer = world_[static_cast<std::size_t>(port.peer)];
    if (lane_ >= peer.lanes.size()) return fmt::format("rank {} has no such lane", port.peer);
    if (!port.direct) return {};
    if (!is_target) return "only a target can be direct";
    if (own_.request.collective == schedule::Collective::kBarrier)
      return "a barrier stores nothing";
    if (port.slice.buffer == BufferRole::kInput) return "stores into a peer's input";
    return check_slice(peer, port.slice, sweep_.row);
  }

  std::string check_backing(std::span<const Port> sources, std::span<const Port> targets) const {
    bool sends = false;
    bool stores = false;
    for (const Port& port : targets) {
      (port.is_channel() ? sends : stores) = true;
    }
    const bool one_memory = sources.size() == 1 && !sources[0].is_channel();
    return sends && !stores && !one_memory ? "sends a value that lies in no memory" : "";
  }

  std::span<const FusedSchedule> world_;
  const FusedSchedule& own_;
  std::size_t rank_;
  std::size_t lane_;
  const Sweep& sweep_;
};

}  // namespace

Status check_shape(std::span<const FusedSchedule> world) {
  if (world.empty()) return Status(ErrorCode::kInvalidArgument, "a world has at least one rank");
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    const FusedSchedule& own = world[rank];
    const std::string wrong = check_request(own.request, world[0].request, rank, world.size());
    if (!wrong.empty()) {
      return Status(ErrorCode::kInvalidArgument, wrong, static_cast<int>(rank));
    }
  }
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    for (std::size_t lane = 0; lane < world[rank].lanes.size(); ++lane) {
      for (std::size_t index = 0; index < world[rank].lanes[lane].size(); ++index) {
        const Sweep& sweep = world[rank].lanes[lane][index];
        std::string why = SweepShape(world, rank, lane, sweep).check();
        if (why.empty()) continue;
        return Status(ErrorCode::kInvalidArgument, std::move(why), static_cast<int>(rank),
                      fmt::format("rank {}, sweep {}/{} of lane {}", rank, index + 1,
                                  world[rank].lanes[lane].size(), lane));
      }
    }
  }
  return {};
}

}  // namespace rondo::verify
