// Bulletins (channel.h): what RingEndpoint does with them.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "core/prefetch.h"
#include "core/relax.h"
#include "transport/ring/ring_endpoint.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {

Status RingEndpoint::publish(std::span<const std::byte> message) {
  if (!failure_.ok()) return failure_;
  ++bulletin_;
  Line& line = link_.own_head->bulletins[bulletin_ % 2];
  if (line.stamp.load(std::memory_order_relaxed) != bulletin_) {
    std::array<std::uint64_t, kInlineBytes / sizeof(std::uint64_t)> words{};
    if (message.size() <= kInlineBytes) {
      if (!message.empty()) std::memcpy(words.data(), message.data(), message.size());
    } else {
      std::memcpy(link_.own_head->bulletin_bytes[bulletin_ % 2].data(), message.data(),
                  message.size());
    }
    // Right behind each other: peers look at this line all the time, and would take it back between
    // two stores. Out of registers: a copy made in words can't be read in wider pieces before all
    // stores under way have left the core.
    line.content.sequence = call_.sequence;
    line.content.fingerprint = call_.fingerprint;
    line.content.kind_and_bytes = LineContent::pack(LineKind::kInline, message.size());
    line.content.where = {.location = words[0], .slot = words[1], .unit = words[2]};
    line.stamp.store(bulletin_, std::memory_order_release);
  }
  bulletin_sizes_[bulletin_ % 2] = message.size();
  bulletin_bytes_sent_ += message.size();
  wake_peer();
  return {};
}

bool RingEndpoint::bulletin_is_here() {
  awaits_bulletin_ = awaited_bulletin().stamp.load(std::memory_order_acquire) != bulletin_;
  return !awaits_bulletin_;
}

Result<const std::byte*> RingEndpoint::read_bulletin(std::size_t bytes) {
  return take_bulletin(call_, bytes);
}

Result<bool> RingEndpoint::settle_bulletin() {
  if (!skipped_) return true;
  RONDO_ASSIGN(const std::byte* const theirs, take_bulletin(skipped_->call, skipped_->bytes));
  if (theirs == nullptr) return false;
  skipped_.reset();
  return true;
}

Result<const std::byte*> RingEndpoint::take_bulletin(const Call& call, std::size_t bytes) {
  if (!failure_.ok()) return failure_;
  if (!bulletin_is_here()) {
    if (left_.ok()) return nullptr;
    fail(left_);
    return failure_;
  }
  const Line& line = awaited_bulletin();
  Status status = check_bulletin(call, line.content, bytes);
  if (status.ok()) status = check_left_overs();
  if (!status.ok()) {
    look_for_notice();
    fail(std::move(status));
    return failure_;
  }
  bulletin_bytes_received_ += bytes;
  return bytes <= kInlineBytes ? line.content.inline_bytes.data()
                               : link_.peer_head->bulletin_bytes[bulletin_ % 2].data();
}

Result<const std::byte*> RingEndpoint::swap_bulletins(std::span<const std::byte> own,
                                                      bool& published, std::size_t bytes,
                                                      int looks) {
  if (!published) {
    RONDO_ASSIGN(const bool settled, settle_bulletin());
    if (!settled) return nullptr;
    RONDO_TRY(publish(own));
    published = true;
  }
  while (!bulletin_is_here() && --looks > 0) relax();
  return take_bulletin(call_, bytes);
}

// The next will be about as long as the one before that lay there: calls alternate, as those of a
// loop with a barrier do. (To ask the line itself how long would be to wait for it.)
void RingEndpoint::expect_publish() {
  const std::size_t next = (bulletin_ + 1) % 2;
  prefetch_to_write(reinterpret_cast<const std::byte*>(&link_.own_head->bulletins[next]));
  const std::size_t bytes = bulletin_sizes_[next];
  if (bytes <= kInlineBytes) return;
  const std::byte* const memory = link_.own_head->bulletin_bytes[next].data();
  for (std::size_t i = 0; i < bytes; i += kCacheLineBytes) prefetch_to_write(memory + i);
}

/// Calls with bulletins take no messages: what an earlier call, that differed, has left behind
/// would not show.
Status RingEndpoint::check_left_overs() const {
  for (std::uint32_t lanes = used_lanes_; lanes != 0; lanes &= lanes - 1) {
    const RecvLane& lane = recv_lanes_[static_cast<std::size_t>(std::countr_zero(lanes))];
    if (lane.has_message()) RONDO_TRY(lane.check_left_over(call_));
  }
  return {};
}

/// All ranks' calls with bulletins are the same in the same order: one of another call is one too
/// many, or one too few.
Status RingEndpoint::check_bulletin(const Call& call, const LineContent& content,
                                    std::size_t bytes) const {
  const bool same_call =
      content.sequence == call.sequence && content.fingerprint == call.fingerprint;
  if (same_call && content.bytes() == bytes) return {};
  const auto ours = link_.own_head->board.find(content.sequence);
  if (ours) {
    RONDO_TRY(check_call(link_.rank, {content.sequence, call.epoch, *ours}, peer(),
                         content.sequence, content.fingerprint));
  }
  // A peer that is ahead has made a call of this number without showing anything.
  if (const auto theirs = link_.peer_head->board.find(call.sequence)) {
    RONDO_TRY(check_call(link_.rank, call, peer(), call.sequence, *theirs));
  }
  return Status(
      ErrorCode::kMismatch,
      fmt::format("rank {} shows {} bytes of call #{} where rank {} expects {} bytes of "
                  "call #{}: calls of the two ranks must agree",
                  peer(), content.bytes(), content.sequence, link_.rank, bytes, call.sequence),
      peer());
}

}  // namespace rondo::transport
