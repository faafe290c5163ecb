#include "transport/ring/send_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/copy_bytes.h"
#include "core/prefetch.h"

namespace rondo::transport {
namespace {

/// Of what may be copied or lent, so much is copied at once: it costs no more.
constexpr std::size_t kCopiedBytes = 1024;
/// Whoever looks so often, and never sleeps, won't wait for the peer any longer.
constexpr std::uint32_t kPatientLooks = 1u << 14;

/// More would push out what is worth more.
constexpr std::size_t kMostClaimedBytes = 4096;

}  // namespace

SendLane::SendLane(const SendPort& port)
    : port_(port), pending_(port.window), slot_stores_(ns_per_tick()) {}

void SendLane::push(const Transfer& transfer, std::uint32_t group) {
  Pending& pending = at(tail_);
  pending = {.data = transfer.data,
             .bytes = transfer.bytes,
             .heading = transfer.heading,
             .unit = transfer.unit,
             .group = group};
  if (transfer.kind == TransferKind::kStored) {
    pending.kind = transfer.unit == 0 ? LineKind::kStored : LineKind::kStoredRun;
  } else if (transfer.unit != 0) {
    choose_route_of_run(pending);
  } else {
    choose_route(pending);
  }
  ++tail_;
}

// A line's own bytes are cheapest; memory that the peer maps needs no copy here; a system call on
// the peer's side saves one of two copies, which is worth it for larger messages.
void SendLane::choose_route(Pending& pending) const {
  if (pending.bytes <= kInlineBytes) {
    pending.kind = LineKind::kInline;
    return;
  }
  if (port_.relocations != nullptr) {
    choose_buffered_route(pending);
    return;
  }
  if (const auto location = port_.memory->location_of(pending.data, pending.bytes)) {
    pending.kind = LineKind::kLent;
    pending.location = *location;
    return;
  }
  pending.location = reinterpret_cast<std::uint64_t>(pending.data);
  pending.kind =
      port_.memory->peer_reads_private(pending.bytes) ? LineKind::kPrivate : LineKind::kSlot;
}

/// Lent where the peer is about to read it: it has consumed something since it last kept this rank
/// waiting.
void SendLane::choose_buffered_route(Pending& pending) const {
  pending.kind = LineKind::kSlot;
  if (pending.bytes <= kCopiedBytes) return;
  if (port_.consumed->count.load(std::memory_order_acquire) == moved_at_) return;
  const auto location = port_.memory->location_of(pending.data, pending.bytes);
  if (!location) return;
  pending.kind = LineKind::kLent;
  pending.location = *location;
}

/// Whoever posts a run has asked whether it is lent.
void SendLane::choose_route_of_run(Pending& pending) const {
  pending.kind = LineKind::kLentRun;
  pending.location = port_.memory->location_of(pending.data, pending.bytes).value_or(kNowhere);
}

Status SendLane::progress(const Call& call, RingGroups& groups, bool& wrote) {
  const std::uint64_t first_line = next_line_;
  while (emitted_ != tail_) {
    RONDO_ASSIGN(const bool emitted, emit(call, at(emitted_)));
    if (!emitted) break;
    sent_bytes_ += at(emitted_).bytes;
    ++emitted_;
  }
  wrote |= next_line_ != first_line;
  while (head_ != emitted_) {
    if (!done(at(head_))) {
      RONDO_TRY(refresh());
      if (!done(at(head_)) && (++idle_looks_ < kPatientLooks || !copy_lent())) break;
      idle_looks_ = 0;
      if (!done(at(head_))) break;
    }
    --groups[at(head_).group].remaining;
    ++head_;
  }
  return {};
}

bool SendLane::can_progress() const { return head_ != tail_ && has_news(); }

SendLane::LentRun SendLane::lent_run() const {
  if (head_ == emitted_) return {};
  const Pending& oldest = pending_[head_ % pending_.size()];
  if (oldest.kind != LineKind::kLentRun) return {};
  return {.data = oldest.data, .bytes = oldest.bytes, .line = oldest.last_line};
}

bool SendLane::done(const Pending& pending) const {
  const bool is_lent = pending.kind == LineKind::kLent || pending.kind == LineKind::kPrivate ||
                       pending.kind == LineKind::kLentRun;
  return !is_lent || seen_consumed_ > pending.last_line;
}

Status SendLane::refresh() {
  const std::uint64_t count = port_.consumed->count.load(std::memory_order_acquire);
  if (count < seen_consumed_ || count > next_line_)
    return Status(ErrorCode::kDataLoss,
                  fmt::format("rank {} says it has consumed {} messages, between {} and {} can be "
                              "true: its shared memory is damaged",
                              port_.peer, count, seen_consumed_, next_line_),
                  port_.peer);
  seen_consumed_ = count;
  return {};
}

Status SendLane::take_write_backs() {
  bool copies = false;
  for (std::size_t slot = 0; slot < port_.slots.count; ++slot) {
    RONDO_TRY(take_write_back(slot, copies));
  }
  return {};
}

/// `copies` is told, and tells, of long copies in this look.
Status SendLane::take_write_back(std::size_t slot, bool& copies) {
  SlotUse& use = slots_[slot];
  if (!use.may_come_back) return {};
  const WriteBack& back = (*port_.write_backs)[slot];
  if (back.stamp.load(std::memory_order_acquire) != use.free_at) return {};
  use.may_come_back = false;
  const auto [region, offset] = StorePlace::of(back.place.load(std::memory_order_relaxed));
  const std::span<std::byte> store =
      region < port_.stores->size() ? (*port_.stores)[region] : std::span<std::byte>();
  if (offset > store.size() || use.bytes > store.size() - offset)
    return Status(ErrorCode::kDataLoss,
                  fmt::format("rank {} gave {} bytes back for offset {} of memory {}, of which it "
                              "may store to {} bytes: its shared memory is damaged",
                              port_.peer, use.bytes, offset, region, store.size()),
                  port_.peer);
  if (use.bytes >= kLongCopyBytes && !std::exchange(copies, true)) copying_since_ = ticks_now();
  copy_bytes(store.data() + offset, port_.slots.memory + slot * port_.slots.bytes, use.bytes);
  copied_bytes_ += use.bytes;
  return {};
}

Result<bool> SendLane::has_room() {
  if (next_line_ - seen_consumed_ < kLineCount) return true;
  RONDO_TRY(refresh());
  return next_line_ - seen_consumed_ < kLineCount;
}

Line& SendLane::begin_line(const Call& call, const Pending& pending) {
  Line& line = (*port_.lines)[next_line_ % kLineCount];
  line.content.sequence = call.sequence;
  line.content.fingerprint = call.fingerprint;
  line.content.kind_and_bytes = LineContent::pack(pending.kind, pending.bytes);
  if (pending.heading != nullptr) line.content.set_heading(*pending.heading);
  return line;
}

void SendLane::publish(Line& line) {
  line.stamp.store(next_line_ + 1, std::memory_order_release);
  ++next_line_;
}

Result<bool> SendLane::emit(const Call& call, Pending& pending) {
  if (pending.kind == LineKind::kSlot) return emit_slots(call, pending);
  RONDO_ASSIGN(const bool room, has_room());
  if (!room) return false;
  Line& line = begin_line(call, pending);
  if (pending.kind == LineKind::kInline) {
    if (pending.bytes > 0)
      std::memcpy(line.content.inline_bytes.data(), pending.data, pending.bytes);
  } else {
    line.content.where = {.location = pending.location, .slot = 0, .unit = pending.unit};
  }
  pending.last_line = next_line_;
  publish(line);
  return true;
}

std::size_t SendLane::eager_bytes() const {
  return port_.slots.count == 0 ? kInlineBytes : std::max(kInlineBytes, port_.slots.bytes);
}

Result<bool> SendLane::send_eager(const Call& call, std::span<const std::byte> message) {
  Pending pending{.data = message.data(),
                  .bytes = message.size(),
                  .kind = message.size() <= kInlineBytes ? LineKind::kInline : LineKind::kSlot};
  RONDO_ASSIGN(const bool sent, emit(call, pending));
  if (sent) sent_bytes_ += message.size();
  return sent;
}

std::size_t SendLane::headed_bytes() const { return std::min(eager_bytes(), kCopiedBytes); }

Result<bool> SendLane::send_headed(const Heading& heading, std::span<const std::byte> message) {
  Pending pending{.data = message.data(),
                  .bytes = message.size(),
                  .heading = &heading,
                  .kind = message.size() <= kInlineBytes ? LineKind::kInline : LineKind::kSlot};
  RONDO_ASSIGN(const bool sent, emit(kNoCall, pending));
  if (!sent) return false;
  sent_bytes_ += message.size();
  if (pending.kind == LineKind::kInline) claim_next_line();
  return true;
}

Result<bool> SendLane::lend_eager(const Call& call, std::span<const std::byte> message) {
  Pending pending{.data = message.data(), .bytes = message.size()};
  choose_route(pending);
  RONDO_ASSIGN(const bool sent, emit(call, pending));
  if (!sent) return false;
  sent_bytes_ += message.size();
  if (pending.kind != LineKind::kInline) lent_through_ = next_line_;
  return true;
}

Result<bool> SendLane::stored_eager(const Call& call, std::size_t bytes) {
  Pending pending{.bytes = bytes, .kind = LineKind::kStored};
  RONDO_ASSIGN(const bool sent, emit(call, pending));
  if (sent) sent_bytes_ += bytes;
  return sent;
}

Result<bool> SendLane::returned_eager() {
  if (seen_consumed_ < lent_through_) RONDO_TRY(refresh());
  return seen_consumed_ >= lent_through_;
}

Result<bool> SendLane::has_free_slot() {
  const std::size_t slot = next_slot_ % port_.slots.count;
  if (slots_[slot].free_at > seen_consumed_) {
    RONDO_TRY(refresh());
    if (slots_[slot].free_at > seen_consumed_) return false;
  }
  bool copies = false;
  RONDO_TRY(take_write_back(slot, copies));
  return true;
}

Result<bool> SendLane::emit_slots(const Call& call, Pending& pending) {
  while (pending.written_bytes < pending.bytes) {
    RONDO_ASSIGN(const bool room, has_room());
    if (!room) return false;
    RONDO_ASSIGN(const bool slot_is_free, has_free_slot());
    if (!slot_is_free) return false;
    const std::uint64_t slot = next_slot_ % port_.slots.count;
    const std::size_t piece_bytes =
        std::min(port_.slots.bytes, pending.bytes - pending.written_bytes);
    slot_stores_.copy(port_.slots.memory + slot * port_.slots.bytes,
                      pending.data + pending.written_bytes, piece_bytes);
    Line& line = begin_line(call, pending);
    line.content.where = {.location = 0, .slot = slot, .unit = 0};
    slots_[slot] = {.free_at = next_line_ + 1,
                    .bytes = piece_bytes,
                    .may_come_back = piece_bytes == pending.bytes};
    ++next_slot_;
    pending.written_bytes += piece_bytes;
    copied_bytes_ += piece_bytes;
    publish(line);
  }
  claim_next_slot(pending.bytes);
  return true;
}

/// The peer has read what stands there long ago, and looks at it again only when it has done with
/// this message. (Behind one in slots, whose own lines are asked for, a tenth longer, not shorter.)
void SendLane::claim_next_line() const {
  const Line& line = (*port_.lines)[next_line_ % kLineCount];
  prefetch_to_write(reinterpret_cast<const std::byte*>(&line));
}

/// The next message will often be like this one. Its slot's lines are the reader's still; they come
/// while this rank waits for its peers.
void SendLane::claim_next_slot(std::size_t bytes) const {
  if (bytes > kMostClaimedBytes || slot_stores_.is_past_caches(bytes)) return;
  const std::byte* const slot =
      port_.slots.memory + next_slot_ % port_.slots.count * port_.slots.bytes;
  for (std::size_t i = 0; i < bytes; i += kCacheLineBytes) prefetch_to_write(slot + i);
}

}  // namespace rondo::transport
