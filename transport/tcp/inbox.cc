#include "transport/tcp/inbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/copy_bytes.h"
#include "transport/tcp/tcp_options.h"
#include "transport/wire/protocol_error.h"

namespace rondo::transport {

using Message = InLane::Message;

Inbox::Inbox(int own_rank, int peer, const Limits& limits, TcpGroups& groups, Outbox& outbox,
             CallHistory& peer_calls, const CallHistory& own_calls)
    : own_rank_(own_rank),
      peer_(peer),
      limits_(limits),
      groups_(groups),
      outbox_(outbox),
      peer_calls_(peer_calls),
      own_calls_(own_calls),
      streams_(limits.sockets, InStream(peer, limits.max_message_bytes)) {}

InLane& Inbox::lane(std::size_t index) {
  if (index >= lanes_.size()) {
    lanes_.resize(index + 1);
    consumed_.resize(index + 1);
  }
  return lanes_[index];
}

Status Inbox::expect(std::uint16_t lane_index, const PostedReceive& posted) {
  InLane::Entry& entry = lane(lane_index).post(posted);
  ++posted_;
  if (is_free_lane(lane_index)) ++posted_free_;
  if (entry.message != Message::kStaged) return {};
  RONDO_ASSIGN(const bool is_now, belongs_now(lane_index, entry.call));
  if (!is_now) return {};
  RONDO_TRY(deliver_staged(entry));
  complete(lane_index);
  return {};
}

Result<Inbox::AtOnce> Inbox::take_at_once(const UniqueFd& first_socket,
                                          std::span<std::byte> target) {
  InStream& stream = streams_.front();
  if (posted_in_call() > 0 || lanes_.empty() || stream.placed() || stream.finished())
    return AtOnce::kOther;
  RONDO_ASSIGN(const bool has_header, read_header(stream, first_socket.get()));
  if (!has_header) return stream.at_boundary() ? AtOnce::kNothingThere : AtOnce::kOther;
  const FrameHeader& header = stream.header();
  const std::byte* const payload = stream.whole();
  if (payload == nullptr || !is_next_of_call(header, target.size())) return AtOnce::kOther;
  if (!lanes_.front().pass(header.message)) return AtOnce::kOther;
  if (!target.empty()) std::memcpy(target.data(), payload, target.size());
  peer_calls_.note(header.call.sequence, header.call.fingerprint);
  stream.took_whole();
  received_bytes_ += target.size();
  ++consumed_.front();
  // Who waits for what has been read along sleeps until something more comes.
  if (posted_free_ > 0) RONDO_TRY(pump_buffered(stream));
  return AtOnce::kTaken;
}

/// Of what has been read, or else with one read.
Result<bool> Inbox::read_header(InStream& stream, int socket) {
  if (stream.has_header()) return true;
  RONDO_ASSIGN(const bool is_there, take_header(stream));
  if (is_there || stream.ended()) return is_there;
  stream.fill(socket);
  return take_header(stream);
}

/// Whatever else it is, is for those that say what is wrong with it, or put it aside.
bool Inbox::is_next_of_call(const FrameHeader& header, std::size_t bytes) const {
  return header.kind == FrameKind::kData && header.lane == 0 && header.payload_bytes == bytes &&
         header.call.sequence == call_.sequence && header.call.epoch == call_.epoch &&
         header.call.fingerprint == call_.fingerprint;
}

Status Inbox::pump(std::span<const UniqueFd> sockets) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    RONDO_TRY(pump(streams_[i], sockets[i].get(), kLargeBytes));
  return {};
}

Status Inbox::drain(std::span<const UniqueFd> sockets) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    RONDO_TRY(pump(streams_[i], sockets[i].get(), std::numeric_limits<std::size_t>::max()));
  return {};
}

Status Inbox::pump(InStream& stream, int socket, std::size_t most_bytes) {
  const std::uint64_t before = received_bytes_;
  bool more = true;
  while (more && received_bytes_ - before < most_bytes) {
    RONDO_TRY(pump_buffered(stream));
    if (stream.stalled() || stream.finished() || stream.ended()) return {};
    more = stream.fill(socket);
  }
  RONDO_TRY(pump_buffered(stream));
  stream.note_parted();
  return {};
}

Status Inbox::pump_buffered() {
  for (InStream& stream : streams_) RONDO_TRY(pump_buffered(stream));
  return {};
}

Status Inbox::pump_buffered(InStream& stream) {
  bool moved = true;
  while (moved && !stream.finished()) RONDO_TRY(step(stream, moved));
  return {};
}

// One step with the bytes at hand: the header, the place of the message, its payload.
Status Inbox::step(InStream& stream, bool& moved) {
  moved = false;
  if (!stream.has_header()) {
    RONDO_ASSIGN(moved, take_header(stream));
    return {};
  }
  if (!stream.placed()) {
    RONDO_ASSIGN(moved, place(stream));
    return {};
  }
  if (!stream.payload_complete()) {
    moved = stream.copy_buffered();
    return {};
  }
  moved = true;
  return finish_message(stream);
}

Result<bool> Inbox::take_header(InStream& stream) {
  RONDO_ASSIGN(const bool is_there, stream.take_header());
  if (!is_there) return false;
  const FrameHeader& header = stream.header();
  if (header.kind == FrameKind::kData) outbox_.credit_modulo(header.lane, header.consumed);
  return true;
}

// Finds the place of the message whose header came; false: it has to wait.
Result<bool> Inbox::place(InStream& stream) {
  const FrameHeader& header = stream.header();
  if (header.kind == FrameKind::kGoodbye) {
    take_goodbye(stream);
    return false;
  }
  if (header.lane >= kMaxTcpLanes)
    return protocol_error(peer_,
                          fmt::format("message on lane {} of {}", header.lane, kMaxTcpLanes));
  InLane& queue = lane(header.lane);
  const std::size_t ahead = queue.ahead(header.message);
  if (const std::size_t window = window_of_lane(limits_.window, header.lane); ahead >= window)
    return protocol_error(
        peer_, fmt::format("message {} of lane {}, more than {} ahead of {}", header.message,
                           header.lane, window, queue.completed()));
  InLane::Entry& entry = queue.at(ahead);
  if (entry.message != Message::kAwaited)
    return protocol_error(
        peer_, fmt::format("message {} of lane {} for a second time", header.message, header.lane));
  return place(stream, entry);
}

Result<bool> Inbox::place(InStream& stream, InLane::Entry& entry) {
  const FrameHeader& header = stream.header();
  if (!is_free_lane(header.lane)) peer_calls_.note(header.call.sequence, header.call.fingerprint);
  RONDO_ASSIGN(const bool is_now, belongs_now(header.lane, header.call));
  if (!is_now && posted_free_ == 0) return false;
  const bool early = !is_now || !entry.posted;
  if (early && posted_ == 0 && !takes_early_) return false;
  if (!early) RONDO_TRY(check_size(entry.receive, header.payload_bytes));
  InStream::Place place{.target = entry.receive.data, .slot = Staging::kNone, .early = early};
  if (early || entry.receive.view) {
    RONDO_ASSIGN(place.slot, staging_.acquire(header.payload_bytes));
    place.target = staging_.data(place.slot);
  }
  entry.message = Message::kComing;
  stream.place(place);
  return true;
}

// What it sent before may come by other connections: it has left when all have brought their last.
void Inbox::take_goodbye(InStream& stream) {
  stream.finish();
  if (std::ranges::all_of(streams_, &InStream::finished))
    left_after_ = stream.header().call.sequence;
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

Status Inbox::check_size(const PostedReceive& posted, std::size_t message_bytes) const {
  if (posted.bytes == message_bytes) return {};
  return Status(ErrorCode::kMismatch,
                fmt::format("call #{}: rank {} sent {} bytes where rank {} expects {}: counts of "
                            "the two ranks must agree",
                            call_.sequence, peer_, message_bytes, own_rank_, posted.bytes),
                peer_);
}

Status Inbox::finish_message(InStream& stream) {
  const FrameHeader& header = stream.header();
  received_bytes_ += header.payload_bytes;
  if (const Ticks took = stream.parted_for(); took != 0) {
    parted_ticks_ += took;
    parted_bytes_ += header.payload_bytes;
  }
  const InStream::Place place = stream.place();
  stream.next_message();
  InLane& queue = lanes_[header.lane];
  InLane::Entry& entry = queue.at(queue.ahead(header.message));
  if (place.early) {
    entry.message = Message::kStaged;
    entry.slot = place.slot;
    entry.bytes = static_cast<std::size_t>(header.payload_bytes);
    entry.call = header.call;
    RONDO_ASSIGN(const bool is_now, belongs_now(header.lane, header.call));
    if (!is_now || !entry.posted) return {};
    RONDO_TRY(deliver_staged(entry));
  } else {
    entry.message = Message::kArrived;
    if (place.slot != Staging::kNone) groups_[entry.receive.group].view.slot = place.slot;
  }
  complete(header.lane);
  return {};
}

// Hands a message that came early to its receive.
Status Inbox::deliver_staged(InLane::Entry& entry) {
  RONDO_TRY(check_size(entry.receive, entry.bytes));
  if (entry.receive.view) {
    groups_[entry.receive.group].view.slot = entry.slot;
  } else {
    if (entry.bytes > 0) copy_bytes(entry.receive.data, staging_.data(entry.slot), entry.bytes);
    staging_.release(entry.slot);
  }
  entry.message = Message::kArrived;
  return {};
}

void Inbox::complete(std::uint16_t lane_index) {
  std::uint32_t group = 0;
  while (lanes_[lane_index].complete(group)) {
    --posted_;
    if (is_free_lane(lane_index)) --posted_free_;
    ++consumed_[lane_index];
    --groups_[group].remaining;
  }
}

bool Inbox::reads(std::size_t socket) const {
  const InStream& stream = streams_[socket];
  return !stream.ended() && !stream.finished() && !stream.stalled();
}

bool Inbox::has_unexpected() const {
  if (posted_free_ > 0) return false;
  const auto is_held_up = [](const InStream& stream) {
    return stream.has_header() && !stream.placed() && !stream.finished() &&
           is_free_lane(stream.header().lane);
  };
  const std::size_t end = std::min<std::size_t>(kFirstFreeLane + kFreeLanes, lanes_.size());
  for (std::size_t lane = kFirstFreeLane; lane < end; ++lane)
    if (lanes_[lane].has_staged()) return true;
  return std::ranges::any_of(streams_, is_held_up);
}

bool Inbox::ended() const { return std::ranges::any_of(streams_, &InStream::ended); }

bool Inbox::exhausted() const {
  return std::ranges::all_of(
      streams_, [](const InStream& stream) { return stream.ended() || stream.finished(); });
}

std::string Inbox::describe_end() const {
  std::string text;
  for (const InStream& stream : streams_) {
    if (stream.ended() && text.empty()) text = stream.describe_end();
  }
  return text;
}

}  // namespace rondo::transport
