#include "collectives/execute/messages/message_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>

namespace rondo::execute {
namespace {

using transport::Transfer;
using transport::TransferKind;

/// Headers, each perhaps with a payload, under way at once: within every endpoint's window.
constexpr std::size_t kMostPosted = 4;
/// Segments of the stream under way at once, and their size.
constexpr std::size_t kMostSegments = 8;
constexpr std::size_t kSegmentBytes = std::size_t{256} << 10;

}  // namespace

Result<bool> MessageStream::step(std::vector<void*>& done) {
  RONDO_ASSIGN(bool moved, post());
  while (!tokens_.empty()) {
    RONDO_ASSIGN(const bool arrived, endpoint_.poll(tokens_.front()));
    if (!arrived) break;
    moved = true;
    ++moves_;
    tokens_.pop();
    const Message& message = messages_.front();
    done_bytes_ += std::min(kSegmentBytes, message.bytes - done_bytes_);
    if (done_bytes_ < message.bytes) continue;
    done.push_back(message.owner);
    messages_.pop();
    posted_bytes_ = done_bytes_ = 0;
  }
  return moved;
}

void MessageStream::outstanding(std::vector<Outstanding>& list) const {
  for (const Message& one : messages_)
    list.push_back({&one, Outstanding::Stage::kStreamed, moves_});
}

Result<bool> MessageStream::post() {
  bool posted = false;
  while (!messages_.empty() && posted_bytes_ < messages_.front().bytes &&
         tokens_.size() < kMostSegments) {
    const Message& message = messages_.front();
    const Transfer segment{.kind = kind_,
                           .lane = kStreamLane,
                           .data = message.data + posted_bytes_,
                           .bytes = std::min(kSegmentBytes, message.bytes - posted_bytes_)};
    RONDO_ASSIGN(const transport::Token token, endpoint_.post({&segment, 1}));
    tokens_.push(token);
    posted_bytes_ += segment.bytes;
    posted = true;
  }
  return posted;
}

bool MessageSender::send_at_once(const Message& message) {
  if (message.bytes > endpoint_.headed_bytes() || !queue_.empty()) return false;
  const auto sent = endpoint_.send_headed(
      encode({.type = message.type, .tag = message.tag, .bytes = message.bytes}),
      {message.data, message.bytes});
  return sent.ok() && *sent;
}

void MessageSender::send(const Message& message) {
  MessageHeader header{.type = message.type, .tag = message.tag, .bytes = message.bytes};
  ++queued_;
  if (message.bytes <= kEagerBytes) {
    queue_.push({.header = encode(header), .message = message});
    return;
  }
  header.kind = MessageKind::kRequest;
  header.id = ++last_id_;
  requested_.push({header.id, message, queued_});
  queue_.push({.header = encode(header), .message = {}});
}

Status MessageSender::ready(std::uint64_t id) {
  const auto found =
      std::ranges::find_if(requested_, [id](const Requested& one) { return one.id == id; });
  if (found == requested_.end()) {
    return Status(ErrorCode::kDataLoss,
                  fmt::format("rank {} answers request {}, which this rank hasn't made",
                              endpoint_.peer(), id),
                  endpoint_.peer());
  }
  stream_.add(found->message);
  requested_.erase(found);
  return {};
}

Result<bool> MessageSender::step(std::vector<void*>& done) {
  RONDO_ASSIGN(const bool sent, send_queue(done));
  RONDO_ASSIGN(const bool answered, answers_.step());
  RONDO_ASSIGN(const bool allowed, take_answers());
  RONDO_ASSIGN(const bool streamed, stream_.step(done));
  return sent || answered || allowed || streamed;
}

Result<bool> MessageSender::take_answers() {
  bool moved = false;
  while (!requested_.empty()) {
    RONDO_ASSIGN(const std::optional<std::uint64_t> id, answers_.next());
    if (!id.has_value()) break;
    RONDO_TRY(ready(*id));
    moved = true;
  }
  return moved;
}

Result<bool> MessageSender::send_queue(std::vector<void*>& done) {
  bool moved = false;
  auto next = std::next(queue_.begin(), static_cast<std::ptrdiff_t>(posted_));
  for (; posted_ < kMostPosted && next != queue_.end(); ++posted_, ++next) {
    RONDO_TRY(post(*next));
    moved = true;
  }
  while (posted_ > 0) {
    RONDO_ASSIGN(const bool sent, endpoint_.poll(queue_.front().token));
    if (!sent) break;
    if (void* owner = queue_.front().message.owner) done.push_back(owner);
    queue_.pop();
    --posted_;
    ++moves_;
    moved = true;
  }
  return moved;
}

bool MessageSender::withdraw(const void* owner) {
  const std::uint64_t place = place_of(owner);
  if (place <= moves_ + posted_) return false;
  queue_.erase(std::next(queue_.begin(), static_cast<std::ptrdiff_t>(place - moves_ - 1)));
  --queued_;
  const auto requested = std::ranges::find(
      requested_, owner, [](const Requested& one) -> const void* { return one.message.owner; });
  if (requested != requested_.end()) requested_.erase(requested);
  for (Requested& behind : requested_)
    if (behind.place > place) --behind.place;
  return true;
}

/// That of its header in the queue, counted as in Requested; 0 where there is none.
std::uint64_t MessageSender::place_of(const void* owner) const {
  for (const Requested& one : requested_)
    if (one.message.owner == owner) return one.place;
  std::uint64_t place = moves_;
  for (const Outgoing& one : queue_) {
    ++place;
    if (one.message.owner == owner) return place;
  }
  return 0;
}

/// Together: in one line where that has a heading, in one write of a socket.
Status MessageSender::post(Outgoing& outgoing) {
  if (endpoint_.has_headings()) {
    const Transfer headed{.kind = TransferKind::kSend,
                          .lane = kHeaderLane,
                          .data = outgoing.message.data,
                          .bytes = outgoing.message.bytes,
                          .heading = &outgoing.header};
    RONDO_ASSIGN(outgoing.token, endpoint_.post({&headed, 1}));
    return {};
  }
  const std::array<Transfer, 2> parts = {Transfer{.kind = TransferKind::kSend,
                                                  .lane = kHeaderLane,
                                                  .data = outgoing.header.data(),
                                                  .bytes = outgoing.header.size()},
                                         Transfer{.kind = TransferKind::kSend,
                                                  .lane = kHeaderLane,
                                                  .data = outgoing.message.data,
                                                  .bytes = outgoing.message.bytes}};
  const std::size_t count = outgoing.message.bytes == 0 ? 1 : 2;
  RONDO_ASSIGN(outgoing.token, endpoint_.post(std::span(parts).first(count)));
  return {};
}

void MessageSender::outstanding(std::vector<Outstanding>& list) const {
  using Stage = Outstanding::Stage;
  for (const Outgoing& one : queue_)
    if (one.message.owner != nullptr) list.push_back({&one.message, Stage::kQueued, moves_});
  for (const Requested& one : requested_) {
    list.push_back({.message = &one.message});
    if (one.place > moves_) list.back() = {&one.message, Stage::kQueued, moves_};
  }
  stream_.outstanding(list);
}

}  // namespace rondo::execute
