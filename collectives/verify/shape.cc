#include "collectives/verify/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/schedule/print.h"

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Request;
using schedule::Slice;
using schedule::Sweep;

std::string check_request(const Request& request, const Request& first, std::size_t rank, int world,
                          std::size_t schedules) {
  if (request.rank != static_cast<schedule::Rank>(rank)) {
    return fmt::format("schedule {} of the world is made for rank {}", rank, request.rank);
  }
  if (request.world != world) {
    return fmt::format("made for a world of {}, but there are {} schedules", request.world,
                       schedules);
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
  if (!schedule::may_have_rows(request.collective, request.world, request.rows)) {
    return fmt::format("{} rows; expected {}, for {} of {} ranks", request.rows,
                       schedule::expected_rows(request.collective, request.world),
                       to_string(request.collective), world);
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
  SweepShape(std::span<const FusedSchedule> bases, const schedule::Rotation& rotation,
             std::size_t rank, std::size_t lane, const Sweep& sweep)
      : bases_(bases),
        rotation_(rotation),
        own_(bases[rank]),
        rank_(rank),
        lane_(lane),
        sweep_(sweep) {}

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
    if (sweep_.by_rank && (rotation_.order() == 1 || !are_by_rank(own_, sources))) {
      return "only turns of each other combine their sources by rank, and from ascending ranks";
    }
    for (const auto side : {sources, targets}) {
      const bool is_target = side.data() == targets.data();
      for (const Port& port : side) {
        if (std::string why = check_port(port, is_target); !why.empty()) return why;
      }
    }
    if (std::string why = check_channels(sources); !why.empty()) return why;
    if (std::string why = check_channels(targets); !why.empty()) return why;
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

  std::string check_port(const Port& port, bool is_target) const {
    if (!port.is_channel()) {
      if (is_target && port.slice.buffer == BufferRole::kInput) return "writes to the input";
      return port.direct ? "only a channel can be direct"
                         : check_slice(own_, port.slice, sweep_.row);
    }
    if (port.peer < 0 || port.peer >= rotation_.world() ||
        static_cast<std::size_t>(port.peer) == rank_) {
      return fmt::format("rank {} is no peer", port.peer);
    }
    const FusedSchedule& peer = bases_[static_cast<std::size_t>(rotation_.base(port.peer))];
    if (lane_ >= peer.lanes.size()) return fmt::format("rank {} has no such lane", port.peer);
    if (!port.direct) return {};
    if (!is_target) return "only a target can be direct";
    if (own_.request.collective == schedule::Collective::kBarrier)
      return "a barrier stores nothing";
    if (port.slice.buffer == BufferRole::kInput) return "stores into a peer's input";
    if (port.slice.buffer != BufferRole::kScratch && port.slice.chunk >= own_.request.rows) {
      return fmt::format("there is no row {}", port.slice.chunk);
    }
    const int back = -rotation_.turn(port.peer);
    return check_slice(peer, rotation_.turned(port.slice, back),
                       rotation_.turned_row(sweep_.row, back));
  }

  static std::string check_channels(std::span<const Port> side) {
    if (side.size() == 1) return {};
    std::vector<schedule::Rank> peers;
    for (const Port& port : side) {
      if (port.is_channel()) peers.push_back(port.peer);
    }
    std::ranges::sort(peers);
    const auto twice = std::ranges::adjacent_find(peers);
    if (twice == peers.end()) return {};
    return fmt::format("two messages of one sweep share the channel of rank {}", *twice);
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

  std::span<const FusedSchedule> bases_;
  const schedule::Rotation& rotation_;
  const FusedSchedule& own_;
  std::size_t rank_;
  std::size_t lane_;
  const Sweep& sweep_;
};

/// Whether turning the rows that `rank_0` has makes those that `rank` has.
bool turns(const schedule::RowRange& rank_0, const schedule::RowRange& rank,
           const schedule::Rotation& rotation, int turn) {
  if (rank_0.count != rank.count) return false;
  for (std::uint32_t i = 0; i < rank_0.count; ++i) {
    if (!rank.contains(rotation.turned_row(rank_0.row(i), turn))) return false;
  }
  return true;
}

/// What is asked of every rank is what is asked of rank 0, turned.
bool turns(const Request& rank_0, const schedule::Rotation& rotation) {
  if (schedule::has_root(rank_0.collective)) return false;
  if (rotation.turns_rows() && rotation.rows() != rank_0.rows) return false;
  for (int turn = 1; turn < rotation.order(); ++turn) {
    Request request = rank_0;
    request.rank = rotation.turned(0, turn);
    const bool all = input_rows(rank_0).count == rank_0.rows;
    if (!all && !turns(input_rows(rank_0), input_rows(request), rotation, turn)) return false;
    const bool gives_all = output_rows(rank_0).count == rank_0.rows;
    if (!gives_all && !turns(output_rows(rank_0), output_rows(request), rotation, turn)) {
      return false;
    }
  }
  return true;
}

Status check_rotation(std::span<const FusedSchedule> bases, const schedule::Rotation& rotation) {
  if (bases.size() != static_cast<std::size_t>(rotation.bases())) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a world of {} with {} bases, but there are {} schedules",
                              rotation.world(), rotation.bases(), bases.size()));
  }
  if (rotation.order() == 1 || turns(bases[0].request, rotation)) return {};
  return Status(
      ErrorCode::kInvalidArgument,
      "the rotation doesn't turn what is asked of one rank into what is asked of the next");
}

}  // namespace

Status check_shape(std::span<const FusedSchedule> world) {
  return check_shape(world, schedule::Rotation::none(static_cast<int>(world.size())));
}

Status check_shape(std::span<const FusedSchedule> bases, const schedule::Rotation& rotation) {
  if (bases.empty()) return Status(ErrorCode::kInvalidArgument, "a world has at least one rank");
  RONDO_TRY(check_rotation(bases, rotation));
  for (std::size_t rank = 0; rank < bases.size(); ++rank) {
    const std::string wrong =
        check_request(bases[rank].request, bases[0].request, rank, rotation.world(), bases.size());
    if (!wrong.empty()) {
      return Status(ErrorCode::kInvalidArgument, wrong, static_cast<int>(rank));
    }
  }
  for (std::size_t rank = 0; rank < bases.size(); ++rank) {
    for (std::size_t lane = 0; lane < bases[rank].lanes.size(); ++lane) {
      for (std::size_t index = 0; index < bases[rank].lanes[lane].size(); ++index) {
        const Sweep& sweep = bases[rank].lanes[lane][index];
        std::string why = SweepShape(bases, rotation, rank, lane, sweep).check();
        if (why.empty()) continue;
        return Status(ErrorCode::kInvalidArgument, std::move(why), static_cast<int>(rank),
                      fmt::format("rank {}, {} {}/{} of lane {}", rank, word_for_sweep(bases[rank]),
                                  index + 1, bases[rank].lanes[lane].size(), lane));
      }
    }
  }
  return {};
}

}  // namespace rondo::verify
