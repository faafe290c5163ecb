#include "transport/ring/recv_lane.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/store_before_loads.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {

static_assert(kLineCount == 64, "one bit of given_back_ for each line");

/// Shorter ones cost more to be offered than to be copied.
constexpr std::size_t kLeastOffered = std::size_t{32} << 10;

RecvLane::RecvLane(const RecvPort& port)
    : port_(port), pending_(port.window), offer_(*port.copy_offers, *port.copy_answers) {}

void RecvLane::push(const Transfer& transfer, std::uint32_t group) {
  pending_[tail_ % pending_.size()] = {.data = transfer.data,
                                       .bytes = transfer.bytes,
                                       .room = transfer.room,
                                       .group = group,
                                       .is_view = transfer.kind == TransferKind::kRecvView};
  ++tail_;
}

Status RecvLane::progress(const Call& call, RingGroups& groups, bool& consumed) {
  const std::uint64_t consumed_before = consumed_;
  has_copied_ = false;
  while (head_ != tail_ && (run_.left != 0 || has_line())) {
    Pending& pending = pending_[head_ % pending_.size()];
    RingGroup& group = groups[pending.group];
    bool taken = false;
    RONDO_TRY(take_next(call, pending, group.view, taken));
    if (!taken) break;
    if (pending.arrived_bytes < pending.bytes) continue;
    received_bytes_ += pending.bytes;
    --group.remaining;
    ++head_;
  }
  consumed |= consumed_ != consumed_before;
  return {};
}

/// What is left of a run, or the next line; `taken` stays false where that is of a later call.
Status RecvLane::take_next(const Call& call, Pending& pending, LentView& view, bool& taken) {
  taken = true;
  if (run_.left != 0) return take_of_run(call, pending, view, taken);
  const LineContent content = next_line().content;
  // From here on only the copy is looked at: the peer could still write to the line.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  RONDO_ASSIGN(taken, belongs_to(call, content));
  if (!taken) return {};
  if (content.kind() == LineKind::kLentRun || content.kind() == LineKind::kStoredRun) {
    RONDO_TRY(begin_run(call, content));
    return take_of_run(call, pending, view, taken);
  }
  if (content.bytes() != pending.bytes) return wrong_size(call, content.bytes(), pending.bytes);
  RONDO_TRY(take(content, pending, view));
  ++next_line_;
  return {};
}

Status RecvLane::begin_run(const Call& call, const LineContent& content) {
  if (content.where.unit == 0 || content.bytes() == 0) return damaged("a run of nothing");
  Run run{.left = content.bytes(),
          .bytes = content.bytes(),
          .unit = content.where.unit,
          .line = next_line_,
          .sequence = call.sequence};
  if (content.kind() == LineKind::kLentRun) {
    auto source = port_.memory->address_of(content.where.location, run.left);
    if (!source.ok()) return std::move(source).status().with_culprit(port_.peer);
    run.data = *source;
  }
  run_ = run;
  ++next_line_;
  return {};
}

Status RecvLane::take_of_run(const Call& call, Pending& pending, LentView& view, bool& taken) {
  const std::size_t bytes = std::min(run_.unit, run_.left);
  if (run_.sequence != call.sequence) return wrong_size(call, run_.left, 0);
  if (bytes != pending.bytes) return wrong_size(call, bytes, pending.bytes);
  if (run_.data == nullptr) {
    if (pending.is_view) return damaged("a stored message can't be viewed");
    took_stored_ = true;
  } else if (pending.is_view) {
    view = {.data = run_.data, .line = run_.line, .lane = port_.lane, .holds_line = true};
    ++views_[run_.line % kLineCount];
  } else {
    taken = copy_of_run(pending);
    if (!taken) return {};
  }
  pending.arrived_bytes = bytes;
  if (run_.data != nullptr) run_.data += bytes;
  run_.left -= bytes;
  if (run_.left == 0 && views_[run_.line % kLineCount] == 0) consume(run_.line);
  return {};
}

/// The run's next bytes, unless the sender has copied them; false while it is at that.
bool RecvLane::copy_of_run(const Pending& pending) {
  const std::size_t begin = run_.bytes - run_.left;
  if (offer_.is_out() && begin == run_.offered) {
    const CopyOffer::Copied copied = offer_.take_back();
    if (copied == CopyOffer::Copied::kNotYet) return false;
    run_.is_copied = copied == CopyOffer::Copied::kBySender;
  }
  if (run_.is_copied && begin < run_.offered_end) return true;
  if (!offer_.is_out()) offer_part(pending);
  begin_copy(pending.bytes);
  copy_bytes(pending.data, run_.data, pending.bytes);
  return true;
}

/// To the sender, of what is left of the run: as much as this side copies before it comes to that.
void RecvLane::offer_part(const Pending& pending) {
  const std::size_t left = std::min(run_.left, pending.room);
  const std::size_t bytes = std::min(left / 2, kMostStoredBytes) / run_.unit * run_.unit;
  if (bytes < kLeastOffered) return;
  const std::byte* const target = pending.data + bytes;
  for (std::size_t region = 0; region < port_.stores->size(); ++region) {
    const std::span<const std::byte> store = (*port_.stores)[region];
    if (target < store.data() || target + bytes > store.data() + store.size()) continue;
    if (!port_.memory->location_of(target, bytes)) return;  // no peer maps it
    run_.offered = run_.bytes - run_.left + bytes;
    run_.offered_end = run_.offered + bytes;
    run_.is_copied = false;
    const StorePlace place{region, static_cast<std::uint64_t>(target - store.data())};
    offer_.make({.line = run_.line,
                 .begin = run_.offered,
                 .bytes = bytes,
                 .place = place.word(),
                 .core = sched_getcpu()});
    return;
  }
}

Result<bool> RecvLane::recv_eager(const Call& call, std::size_t bytes, LentView& view) {
  has_copied_ = false;
  // A peer that runs the same schedule with groups may cut the message into several slots.
  while (has_line()) {
    const LineContent content = next_line().content;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // as in progress
    RONDO_ASSIGN(const bool is_now, belongs_to(call, content));
    if (!is_now) break;
    if (content.bytes() != bytes) return wrong_size(call, content.bytes(), bytes);
    if (eager_.arrived_bytes == 0)
      eager_ = {.bytes = bytes, .is_view = true, .may_be_stored = true};
    RONDO_TRY(take(content, eager_, view));
    ++next_line_;
    if (eager_.arrived_bytes < bytes) continue;
    eager_.arrived_bytes = 0;
    received_bytes_ += bytes;
    return true;
  }
  return false;
}

Result<bool> RecvLane::look_at_heading(Heading& heading) const {
  if (!has_line()) return false;
  const LineContent content = next_line().content;
  std::atomic_signal_fence(std::memory_order_seq_cst);  // as in progress
  if (!content.is_headed()) return damaged("a message without a heading");
  heading = content.heading();
  return true;
}

Result<bool> RecvLane::take_headed(std::span<std::byte> target) {
  const LineContent content = next_line().content;
  std::atomic_signal_fence(std::memory_order_seq_cst);  // as in progress
  if (content.bytes() != target.size())
    return damaged(fmt::format("{} bytes whose heading says {}", content.bytes(), target.size()));
  if (content.kind() == LineKind::kSlot && target.size() > port_.slots.bytes) return false;
  Pending pending{.data = target.data(), .bytes = target.size()};
  LentView no_view;
  RONDO_TRY(take(content, pending, no_view));
  ++next_line_;
  received_bytes_ += target.size();
  return true;
}

Status RecvLane::wrong_size(const Call& call, std::uint64_t sent_bytes,
                            std::size_t expected_bytes) const {
  return Status(ErrorCode::kMismatch,
                fmt::format("rank {} sent {} bytes where rank {} expected {} in {}", port_.peer,
                            sent_bytes, port_.rank, expected_bytes, to_string(call.fingerprint)),
                port_.peer);
}

Status RecvLane::check_left_over(const Call& call) const {
  if (!has_line()) return {};
  const LineContent content = next_line().content;
  std::atomic_signal_fence(std::memory_order_seq_cst);  // as in progress
  return belongs_to(call, content).status();
}

Result<bool> RecvLane::belongs_to(const Call& call, const LineContent& content) const {
  if (content.is_headed()) {
    if (port_.lane == kBufferedLane) return true;
    return damaged("a heading");
  }
  if (content.sequence == call.sequence && content.fingerprint == call.fingerprint) return true;
  RONDO_TRY(check_call(port_.rank, call, port_.peer, content.sequence, content.fingerprint));
  if (content.sequence > call.sequence) return false;
  // A message that this rank's own call of that number had no use for: the two calls differ.
  if (const auto ours = port_.own_calls->find(content.sequence))
    RONDO_TRY(check_call(port_.rank, {content.sequence, call.epoch, *ours}, port_.peer,
                         content.sequence, content.fingerprint));
  return damaged(
      fmt::format("a message of call {} came in call {}", content.sequence, call.sequence));
}

Status RecvLane::take(const LineContent& content, Pending& pending, LentView& view) {
  const bool needs_line_only =
      content.kind() == LineKind::kInline || content.kind() == LineKind::kStored;
  if (pending.bytes <= kInlineBytes && !needs_line_only)
    return damaged(fmt::format("{} bytes outside the line", pending.bytes));
  switch (content.kind()) {
    case LineKind::kInline: return take_inline(content, pending, view);
    case LineKind::kSlot: return take_slot(content, pending, view);
    case LineKind::kLent: return take_lent(content, pending, view);
    case LineKind::kPrivate: return take_private(content, pending, view);
    case LineKind::kStored:
      if (pending.is_view && !pending.may_be_stored)
        return damaged("a stored message can't be viewed");
      if (pending.is_view) view = {.data = Endpoint::stored(), .lane = port_.lane};
      took_stored_ = true;
      pending.arrived_bytes = pending.bytes;
      consume(next_line_);
      return {};
    case LineKind::kLentRun:
    case LineKind::kStoredRun: break;  // for take_next alone
  }
  return damaged(fmt::format("unknown kind {} of message", static_cast<int>(content.kind())));
}

Status RecvLane::take_inline(const LineContent& content, Pending& pending, LentView& view) {
  if (pending.bytes > kInlineBytes)
    return damaged(fmt::format("{} bytes in one line", pending.bytes));
  pending.arrived_bytes = pending.bytes;
  if (pending.is_view) {
    view = lend(next_line().content.inline_bytes.data(), pending.bytes);
    return {};
  }
  if (pending.bytes > 0) std::memcpy(pending.data, content.inline_bytes.data(), pending.bytes);
  consume(next_line_);
  return {};
}

Status RecvLane::take_slot(const LineContent& content, Pending& pending, LentView& view) {
  const std::uint64_t slot = content.where.slot;
  if (slot >= port_.slots.count)
    return damaged(fmt::format("slot {} of {}", slot, port_.slots.count));
  const std::byte* piece = port_.slots.memory + slot * port_.slots.bytes;
  if (pending.is_view && pending.bytes <= port_.slots.bytes) {
    pending.arrived_bytes = pending.bytes;
    view = lend(piece, pending.bytes);
    view.slot = static_cast<std::uint16_t>(slot);
    return {};
  }
  RONDO_TRY(provide_target(pending));
  const std::size_t piece_bytes =
      std::min(port_.slots.bytes, pending.bytes - pending.arrived_bytes);
  begin_copy(piece_bytes);
  copy_bytes(pending.data + pending.arrived_bytes, piece, piece_bytes);
  pending.arrived_bytes += piece_bytes;
  consume(next_line_);
  if (pending.is_view)
    view = {.data = pending.data, .lane = port_.lane, .staging = pending.staging};
  return {};
}

/// Where the bytes of a lent message are to be read: where they lay, or where their sender has
/// copied them since.
Result<const std::byte*> RecvLane::find_lent(const LineContent& content, std::size_t bytes) {
  if (port_.relocations != nullptr) {
    store_before_loads(port_.relocations->reading, next_line_ + 1);
    const std::uint64_t moved =
        port_.peer_relocations->moved[next_line_ % kLineCount].load(std::memory_order_seq_cst);
    if (moved >> Relocations::kSlotBits == next_line_ + 1) {
      const std::size_t slot = moved % (1u << Relocations::kSlotBits);
      if (slot >= port_.slots.count || bytes > (port_.slots.count - slot) * port_.slots.bytes)
        return damaged(
            fmt::format("{} bytes from slot {} of {} on", bytes, slot, port_.slots.count));
      return port_.slots.memory + slot * port_.slots.bytes;
    }
  }
  auto source = port_.memory->address_of(content.where.location, bytes);
  if (!source.ok()) return std::move(source).status().with_culprit(port_.peer);
  return *source;
}

Status RecvLane::take_lent(const LineContent& content, Pending& pending, LentView& view) {
  RONDO_ASSIGN(const std::byte* const source, find_lent(content, pending.bytes));
  pending.arrived_bytes = pending.bytes;
  if (pending.is_view) {
    view = lend(source, pending.bytes);
    return {};
  }
  begin_copy(pending.bytes);
  copy_bytes(pending.data, source, pending.bytes);
  consume(next_line_);
  return {};
}

Status RecvLane::take_private(const LineContent& content, Pending& pending, LentView& view) {
  RONDO_TRY(provide_target(pending));
  begin_copy(pending.bytes);
  RONDO_TRY(port_.memory->read_private(content.where.location, pending.data, pending.bytes));
  pending.arrived_bytes = pending.bytes;
  consume(next_line_);
  if (pending.is_view)
    view = {.data = pending.data, .lane = port_.lane, .staging = pending.staging};
  return {};
}

void RecvLane::begin_copy(std::size_t bytes) {
  copied_bytes_ += bytes;
  if (bytes >= kLongCopyBytes && !std::exchange(has_copied_, true)) copying_since_ = ticks_now();
}

// A view of bytes that have to be copied together first gets a buffer of the endpoint.
Status RecvLane::provide_target(Pending& pending) {
  if (!pending.is_view || pending.staging != Staging::kNone) return {};
  RONDO_ASSIGN(pending.staging, port_.staging->acquire(pending.bytes));
  pending.data = port_.staging->data(pending.staging);
  return {};
}

LentView RecvLane::lend(const std::byte* data, std::size_t bytes) const {
  return {.data = data, .bytes = bytes, .line = next_line_, .lane = port_.lane, .holds_line = true};
}

std::byte* RecvLane::write_back(LentView& view, std::uint64_t place) const {
  if (view.slot == LentView::kNoSlot || view.place) return nullptr;
  view.place = place;
  return port_.slots.memory + view.slot * port_.slots.bytes;
}

bool RecvLane::release(const LentView& view) {
  if (view.staging != Staging::kNone) port_.staging->release(view.staging);
  if (!view.holds_line) return false;
  if (view.place) {
    WriteBack& back = (*port_.write_backs)[view.slot];
    back.place.store(*view.place, std::memory_order_relaxed);
    back.stamp.store(view.line + 1, std::memory_order_release);
  }
  std::uint32_t& views = views_[view.line % kLineCount];
  if (views != 0 && (--views != 0 || (run_.left != 0 && run_.line == view.line))) return false;
  const std::uint64_t before = consumed_;
  consume(view.line);
  return consumed_ != before;
}

void RecvLane::consume(std::uint64_t line) {
  given_back_ |= std::uint64_t{1} << (line % kLineCount);
  while ((given_back_ >> (consumed_ % kLineCount)) & 1) {
    given_back_ &= ~(std::uint64_t{1} << (consumed_ % kLineCount));
    ++consumed_;
  }
  port_.consumed->count.store(consumed_, std::memory_order_release);
}

Status RecvLane::damaged(const std::string& what) const {
  return Status(
      ErrorCode::kDataLoss,
      fmt::format("rank {} wrote a damaged message to lane {}: {}", port_.peer, port_.lane, what),
      port_.peer);
}

}  // namespace rondo::transport
