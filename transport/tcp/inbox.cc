#include "transport/tcp/inbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "transport/wire/protocol_error.h"

namespace rondo::transport {

Inbox::Inbox(int own_rank, int peer, const Limits& limits, TcpGroups& groups,
             CallHistory& peer_calls, const CallHistory& own_calls)
    : own_rank_(own_rank),
      peer_(peer),
      limits_(limits),
      groups_(groups),
      peer_calls_(peer_calls),
      own_calls_(own_calls),
      reader_(peer, limits.max_message_bytes) {}

Inbox::Lane& Inbox::lane(std::size_t index) {
  if (index >= lanes_.size()) {
    lanes_.resize(index + 1);
    consumed_.resize(index + 1);
  }
  return lanes_[index];
}

Status Inbox::expect(std::uint16_t lane_index, const Posted& posted) {
  Lane& queue = lane(lane_index);
  queue.posted.push(posted);
  ++posted_;
  if (is_free_lane(lane_index)) ++posted_free_;
  if (queue.early.empty()) return {};
  const Early early = queue.early.front();
  RONDO_ASSIGN(const bool is_now, belongs_now(lane_index, early.call));
  if (!is_now) return {};
  queue.early.pop();
  return deliver_early(lane_index, early);
}

Status Inbox::pump(int socket) {
  bool more = true;
  while (more) {
    RONDO_TRY(pump_buffered());
    if (stalled() || left_after_ || ended_) return {};
    more = fill(socket);
  }
  return pump_buffered();
}

Status Inbox::pump_buffered() {
  bool moved = true;
  while (moved && !left_after_) RONDO_TRY(step(moved));
  return {};
}

// One step with the bytes at hand: the header, the place of the message, its payload.
Status Inbox::step(bool& moved) {
  moved = false;
  if (!reader_.has_header()) {
    auto bytes =
        std::span<const std::byte>(ahead_).subspan(ahead_begin_, ahead_end_ - ahead_begin_);
    RONDO_ASSIGN(const bool complete, reader_.step(bytes));
    ahead_begin_ = ahead_end_ - bytes.size();
    moved = complete;
    return {};
  }
  if (!placed_) {
    RONDO_ASSIGN(moved, place());
    return {};
  }
  if (reader_.payload_left() > 0) {
    moved = copy_buffered();
    return {};
  }
  moved = true;
  return finish_message();
}

// Reads once: the rest of a payload to its place and what follows into the read-ahead buffer, which
// is empty here. False if the socket has no more for now: it gave less than there was room for.
bool Inbox::fill(int socket) {
  const auto payload_bytes = placed_ ? static_cast<std::size_t>(reader_.payload_left()) : 0;
  std::array<iovec, 2> targets{{{target_, payload_bytes}, {ahead_.data(), ahead_.size()}}};
  const auto used = std::span<const iovec>(targets).subspan(payload_bytes > 0 ? 0 : 1);
  const IoResult result = read_some(socket, used);
  if (result.ended) {
    ended_ = true;
    end_error_ = result.error;
  }
  const std::size_t direct_bytes = std::min(result.bytes, payload_bytes);
  target_ += direct_bytes;
  reader_.took_payload(direct_bytes);
  ahead_begin_ = 0;
  ahead_end_ = result.bytes - direct_bytes;
  return result.bytes == payload_bytes + ahead_.size();
}

// Finds the place of the message whose header came; false: it has to wait.
Result<bool> Inbox::place() {
  const FrameHeader& header = reader_.header();
  if (header.kind == FrameKind::kGoodbye) {
    left_after_ = header.call.sequence;
    return false;
  }
  if (header.lane >= kMaxTcpLanes)
    return protocol_error(peer_,
                          fmt::format("message on lane {} of {}", header.lane, kMaxTcpLanes));
  if (!is_free_lane(header.lane)) peer_calls_.note(header.call.sequence, header.call.fingerprint);
  RONDO_ASSIGN(const bool is_now, belongs_now(header.lane, header.call));
  if (!is_now && posted_free_ == 0) return false;
  Lane& queue = lane(header.lane);
  if (is_now && !queue.posted.empty()) {
    const Posted& posted = queue.posted.front();
    RONDO_TRY(check_size(posted, header.payload_bytes));
    early_ = false;
    if (posted.view) return stage(posted.bytes);
    set_target(Staging::kNone, posted.data);
    return true;
  }
  if (posted_ == 0) return false;
  if (queue.early.size() >= limits_.window)
    return protocol_error(
        peer_, fmt::format("more than {} messages ahead on lane {}", limits_.window, header.lane));
  early_ = true;
  return stage(header.payload_bytes);
}

Result<bool> Inbox::stage(std::size_t bytes) {
  RONDO_ASSIGN(const std::uint32_t slot, staging_.acquire(bytes));
  set_target(slot, staging_.data(slot));
  return true;
}

void Inbox::set_target(std::uint32_t slot, std::byte* target) {
  placed_ = true;
  slot_ = slot;
  target_ = target;
}

/// False for a message of a call that this rank hasn't begun.
Result<bool> Inbox::belongs_now(std::size_t lane_index, const Call& theirs) const {
  if (is_free_lane(lane_index)) return true;
  RONDO_TRY(check_order(theirs));
  return theirs.sequence <= call_.sequence;
}

Status Inbox::check_order(const Call& theirs) const {
  // Before the first call there is nothing to compare with.
  if (call_.sequence == 0) return {};
  if (theirs.epoch != call_.epoch)
    return protocol_error(peer_, fmt::format("message of epoch {}, rank {} is in epoch {}",
                                             theirs.epoch, own_rank_, call_.epoch));
  if (theirs.sequence < call_.sequence) {
    // A message that this rank's own call of that number had no use for: the two calls differ.
    if (const auto ours = own_calls_.find(theirs.sequence))
      RONDO_TRY(check_call(own_rank_, {theirs.sequence, call_.epoch, *ours}, peer_, theirs.sequence,
                           theirs.fingerprint));
    return protocol_error(peer_, fmt::format("message of call #{}, rank {} is in call #{} already",
                                             theirs.sequence, own_rank_, call_.sequence));
  }
  return check_call(own_rank_, call_, peer_, theirs.sequence, theirs.fingerprint);
}

Status Inbox::check_size(const Posted& posted, std::size_t message_bytes) const {
  if (posted.bytes == message_bytes) return {};
  return Status(ErrorCode::kMismatch,
                fmt::format("call #{}: rank {} sent {} bytes where rank {} expects {}: counts of "
                            "the two ranks must agree",
                            call_.sequence, peer_, message_bytes, own_rank_, posted.bytes),
                peer_);
}

bool Inbox::copy_buffered() {
  const std::size_t bytes =
      std::min(ahead_end_ - ahead_begin_, static_cast<std::size_t>(reader_.payload_left()));
  if (bytes == 0) return false;
  std::memcpy(target_, ahead_.data() + ahead_begin_, bytes);
  ahead_begin_ += bytes;
  target_ += bytes;
  reader_.took_payload(bytes);
  return true;
}

Status Inbox::finish_message() {
  const FrameHeader& header = reader_.header();
  received_bytes_ += header.payload_bytes;
  placed_ = false;
  reader_.next_frame();
  Lane& queue = lane(header.lane);
  if (early_) {
    const Early early{slot_, static_cast<std::size_t>(header.payload_bytes), header.call};
    RONDO_ASSIGN(const bool is_now, belongs_now(header.lane, header.call));
    if (is_now && !queue.posted.empty()) return deliver_early(header.lane, early);
    queue.early.push(early);
    return {};
  }
  const std::uint32_t group = queue.posted.front().group;
  if (slot_ != Staging::kNone) groups_[group].view.slot = slot_;
  complete(header.lane, group);
  return {};
}

// Hands a staged message to the receive that was posted first on its lane.
Status Inbox::deliver_early(std::uint16_t lane_index, const Early& early) {
  const Posted& posted = lanes_[lane_index].posted.front();
  RONDO_TRY(check_size(posted, early.bytes));
  if (posted.view) {
    groups_[posted.group].view.slot = early.slot;
  } else {
    if (early.bytes > 0) std::memcpy(posted.data, staging_.data(early.slot), early.bytes);
    staging_.release(early.slot);
  }
  complete(lane_index, posted.group);
  return {};
}

void Inbox::complete(std::uint16_t lane_index, std::uint32_t group) {
  lanes_[lane_index].posted.pop();
  --posted_;
  if (is_free_lane(lane_index)) --posted_free_;
  ++consumed_[lane_index];
  --groups_[group].remaining;
}

std::string Inbox::describe_end() const {
  std::string text;
  if (reader_.has_header())
    text = fmt::format(" in the middle of a message ({} of {} bytes had come)",
                       reader_.header().payload_bytes - reader_.payload_left(),
                       reader_.header().payload_bytes);
  else if (!reader_.at_boundary())
    text = " in the middle of a message's header";
  if (end_error_ != 0) text += fmt::format(": {}", std::strerror(end_error_));
  return text;
}

}  // namespace rondo::transport
