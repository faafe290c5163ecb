// Messages that were lent to a peer that doesn't look for them: copied, so that their sender may go
// on. Part of SendLane.

#include "core/copy_bytes.h"
#include "core/store_before_loads.h"
#include "transport/ring/send_lane.h"

namespace rondo::transport {

bool SendLane::copy_lent() {
  if (port_.relocations == nullptr || head_ == emitted_ || !refresh().ok()) return false;
  bool copied = false;
  for (std::uint64_t i = head_; i != emitted_; ++i) {
    Pending& pending = at(i);
    if (pending.kind != LineKind::kLent || pending.was_read || done(pending)) continue;
    if (!move_to_slots(pending)) break;
    copied |= !pending.was_read;
  }
  return copied;
}

/// False where there is no room.
bool SendLane::move_to_slots(Pending& pending) {
  const std::size_t count = (pending.bytes + port_.slots.bytes - 1) / port_.slots.bytes;
  const auto first = free_run_of_slots(count);
  if (!first) return false;
  copy_into_cache(port_.slots.memory + *first * port_.slots.bytes, pending.data, pending.bytes);
  copied_bytes_ += pending.bytes;
  for (std::size_t slot = *first; slot < *first + count; ++slot)
    slots_[slot] = {.free_at = pending.last_line + 1};
  store_before_loads(port_.relocations->moved[pending.last_line % kLineCount],
                     ((pending.last_line + 1) << Relocations::kSlotBits) | *first);
  pending.was_read =
      port_.peer_relocations->reading.load(std::memory_order_seq_cst) > pending.last_line;
  if (!pending.was_read) {
    pending.kind = LineKind::kSlot;
    moved_at_ = seen_consumed_;
  }
  return true;
}

/// The first of so many slots that are free and lie one behind the other, now taken.
std::optional<std::size_t> SendLane::free_run_of_slots(std::size_t count) {
  if (count > port_.slots.count) return std::nullopt;
  const std::size_t next = next_slot_ % port_.slots.count;
  const std::size_t skipped = next + count > port_.slots.count ? port_.slots.count - next : 0;
  const std::size_t first = skipped == 0 ? next : 0;
  for (std::size_t slot = first; slot < first + count; ++slot)
    if (slots_[slot].free_at > seen_consumed_) return std::nullopt;
  next_slot_ += skipped + count;
  return first;
}

}  // namespace rondo::transport
