// Bulletins (channel.h): what RingEndpoint does with them.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/prefetch.h"
#include "core/relax.h"
#include "transport/ring/ring_endpoint.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
using InlineWords = std::array<std::uint64_t, kInlineWords>;

/// Of a message that fits a line; whole words without a call of memcpy.
InlineWords words_of(std::span<const std::byte> message) {
  InlineWords words{};
  for (std::uint64_t& word : words) {
    if (message.size() < kWord) {
      if (!message.empty()) std::memcpy(&word, message.data(), message.size());
      break;
    }
    std::memcpy(&word, message.data(), kWord);
    message = message.subspan(kWord);
  }
  return words;
}

bool is_of(const Call& call, const LineContent& content, std::size_t bytes) {
  return content.sequence == call.sequence && content.fingerprint == call.fingerprint &&
         content.bytes() == bytes;
}

}  // namespace

Status RingEndpoint::publish(const Call& call, std::span<const std::byte> message) {
  if (!failure_.ok()) [[unlikely]]
    return failure_;
  ++bulletin_;
  // Written for all peers by the first of their endpoints.
  if (own_bulletin().stamp.load(std::memory_order_relaxed) != bulletin_) {
    if (message.size() <= kInlineBytes) {
      write_bulletin(call, message.size(), words_of(message));
    } else {
      write_long_bulletin(call, message);
    }
  }
  bulletin_sizes_[bulletin_ % kBulletins] = message.size();
  bulletin_bytes_sent_ += message.size();
  wake_peer();
  return {};
}

[[gnu::noinline]] void RingEndpoint::write_long_bulletin(const Call& call,
                                                         std::span<const std::byte> message) {
  std::memcpy(link_.own_bulletins->rooms[bulletin_ % kBulletins].bytes.data(), message.data(),
              message.size());
  write_bulletin(call, message.size(), {});
}

/// Its words right behind each other: peers look at this line all the time, and would take it back
/// between two stores. Out of registers: a copy made in words can't be read in wider pieces before
/// all stores under way have left the core.
inline void RingEndpoint::write_bulletin(const Call& call, std::size_t bytes,
                                         const InlineWords& words) {
  Line& line = own_bulletin();
  line.content.sequence = call.sequence;
  line.content.fingerprint = call.fingerprint;
  line.content.kind_and_bytes = LineContent::pack(LineKind::kInline, bytes);
  line.content.where = {.location = words[0], .slot = words[1], .unit = words[2]};
  line.stamp.store(bulletin_, std::memory_order_release);
}

Result<const std::byte*> RingEndpoint::read_bulletin(std::size_t bytes, int looks) {
  while (!bulletin_is_here()) {
    if (--looks == 0) return miss_bulletin();
    relax();
  }
  return take_bulletin(call_, bytes);
}

Status RingEndpoint::skip_bulletin(std::size_t bytes) {
  if (!failure_.ok()) return failure_;
  skipped_ = {call_, bytes};
  set_skipped(true);
  return {};
}

Result<bool> RingEndpoint::settle_bulletin() {
  if (!has_skipped()) return true;
  const bool is_here = bulletin_is_here();
  RONDO_ASSIGN(const std::byte* const theirs,
               is_here ? take_bulletin(skipped_.call, skipped_.bytes) : miss_bulletin());
  if (theirs == nullptr) return false;
  set_skipped(false);
  return true;
}

/// It isn't here.
[[gnu::noinline]] Result<const std::byte*> RingEndpoint::miss_bulletin() {
  if (!failure_.ok()) return failure_;
  awaits_bulletin_ = true;
  if (left_.ok()) return nullptr;
  fail(left_);
  return failure_;
}

inline Result<const std::byte*> RingEndpoint::take_bulletin(const Call& call, std::size_t bytes) {
  if (!failure_.ok()) [[unlikely]]
    return failure_;
  awaits_bulletin_ = false;
  const LineContent& content = awaited_bulletin().content;
  if (!is_of(call, content, bytes) || has_left_overs()) [[unlikely]]
    RONDO_TRY(examine(call, content, bytes));
  bulletin_bytes_received_ += bytes;
  return bytes <= kInlineBytes ? content.inline_bytes.data()
                               : link_.peer_bulletins->rooms[bulletin_ % kBulletins].bytes.data();
}

// What lies there was published two calls ago, and all have read it. The next but one will be about
// as long as this one: calls alternate, as those of a loop with a barrier do.
void RingEndpoint::expect_publish() {
  const std::size_t next = (bulletin_ + 2) % kBulletins;
  prefetch_to_write(reinterpret_cast<const std::byte*>(&link_.own_bulletins->lines[next]));
  const std::size_t bytes = bulletin_sizes_[bulletin_ % kBulletins];
  if (bytes <= kInlineBytes) return;
  const std::byte* const memory = link_.own_bulletins->rooms[next].bytes.data();
  for (std::size_t i = 0; i < bytes; i += kCacheLineBytes) prefetch_to_write(memory + i);
}

/// An error of a bulletin that isn't what was expected ends the endpoint.
Status RingEndpoint::examine(const Call& call, const LineContent& content, std::size_t bytes) {
  Status status = check_bulletin(call, content, bytes);
  if (status.ok()) status = check_left_overs();
  if (status.ok()) return {};
  look_for_notice();
  fail(std::move(status));
  return failure_;
}

/// Calls with bulletins take no messages: what an earlier call, that differed, has left behind
/// would not show.
bool RingEndpoint::has_left_overs() const {
  for (std::uint32_t lanes = used_lanes_; lanes != 0; lanes &= lanes - 1) {
    if (recv_lanes_[static_cast<std::size_t>(std::countr_zero(lanes))].has_message()) return true;
  }
  return false;
}

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
  if (is_of(call, content, bytes)) return {};
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
