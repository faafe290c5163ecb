#include "collectives/execute/messages/message_receiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/copy_bytes.h"

namespace rondo::execute {
namespace {

using transport::Transfer;
using transport::TransferKind;

static_assert(kEagerBytes <= MessageMemory::kLargestBytes);

/// What a message kept in `header`'s name has in it.
std::size_t kept_bytes(const MessageHeader& header) {
  return header.kind == MessageKind::kRequest ? 0 : header.bytes;
}

}  // namespace

Status MessageReceiver::receive(const Message& message, std::vector<void*>& done) {
  const auto found = std::ranges::find_if(unexpected_, [&message](const Unexpected& one) {
    return one.header.tag == message.tag && !one.claimed.has_value();
  });
  if (found == unexpected_.end()) {
    asked_for_.push(message);
    return {};
  }
  RONDO_TRY(check(found->header, message));
  if (found->is_arriving) {
    found->claimed = message;
    return {};
  }
  if (found->header.kind == MessageKind::kRequest) {
    sender_.answer(found->header.id);
    stream_.add(message);
  } else {
    hand_over(*found, message, done);
  }
  unexpected_.erase(found);
  return {};
}

Result<bool> MessageReceiver::step(std::vector<void*>& done) {
  bool moved = false;
  while (true) {
    RONDO_ASSIGN(const bool more, payload_.has_value() ? finish_payload(done) : next_header(done));
    if (!more) break;
    moved = true;
  }
  RONDO_ASSIGN(const bool streamed, stream_.step(done));
  return moved || streamed;
}

Result<bool> MessageReceiver::next_header(std::vector<void*>& done) {
  if (held_.has_value()) {
    const bool asked_for = std::ranges::any_of(
        asked_for_, [this](const Message& message) { return message.tag == held_->tag; });
    if (!asked_for && !has_room(*held_)) return false;
    RONDO_TRY(take(*std::exchange(held_, std::nullopt), done));
    return true;
  }
  if (!header_token_.has_value()) {
    const Transfer transfer{.kind = TransferKind::kRecv,
                            .lane = kHeaderLane,
                            .data = header_.data(),
                            .bytes = header_.size()};
    RONDO_ASSIGN(header_token_, endpoint_.post({&transfer, 1}));
  }
  RONDO_ASSIGN(const bool came, endpoint_.poll(*header_token_));
  if (!came) return false;
  header_token_.reset();
  RONDO_ASSIGN(const MessageHeader header, decode(header_, endpoint_.peer()));
  RONDO_TRY(take(header, done));
  return true;
}

Status MessageReceiver::take(const MessageHeader& header, std::vector<void*>& done) {
  if (header.kind == MessageKind::kReady) {
    return Status(
        ErrorCode::kDataLoss,
        fmt::format("rank {} answers a request where its messages are expected", endpoint_.peer()),
        endpoint_.peer());
  }
  if (header.kind == MessageKind::kEager && header.bytes > kEagerBytes) {
    return Status(ErrorCode::kDataLoss,
                  fmt::format("rank {} sends {} bytes at once, at most {} are allowed",
                              endpoint_.peer(), header.bytes, kEagerBytes),
                  endpoint_.peer());
  }
  const auto asked_for = std::ranges::find(asked_for_, header.tag, &Message::tag);
  if (asked_for == asked_for_.end()) return keep(header);
  const Message message = *asked_for;
  RONDO_TRY(check(header, message));
  asked_for_.erase(asked_for);
  return take_asked_for(header, message, done);
}

Status MessageReceiver::take_asked_for(const MessageHeader& header, const Message& message,
                                       std::vector<void*>& done) {
  if (header.kind == MessageKind::kRequest) {
    sender_.answer(header.id);
    stream_.add(message);
    return {};
  }
  if (message.bytes > 0) return post_payload(message.data, message.bytes, message);
  done.push_back(message.owner);
  return {};
}

Status MessageReceiver::keep(const MessageHeader& header) {
  if (!has_room(header)) {
    held_ = header;
    return {};
  }
  const std::size_t bytes = kept_bytes(header);
  RONDO_ASSIGN(MessageMemory::Block block, memory_.take(bytes));
  unexpected_.push({.header = header, .bytes = std::move(block), .is_arriving = bytes > 0});
  unexpected_bytes_ += bytes;
  if (bytes == 0) return {};
  return post_payload(unexpected_.back().bytes.get(), bytes, std::nullopt);
}

bool MessageReceiver::has_room(const MessageHeader& header) const {
  return unexpected_.size() < kMostUnexpected &&
         unexpected_bytes_ + kept_bytes(header) <= kMostUnexpectedBytes;
}

void MessageReceiver::hand_over(Unexpected& kept, const Message& message,
                                std::vector<void*>& done) {
  const std::size_t bytes = kept_bytes(kept.header);
  if (bytes > 0) copy_bytes(message.data, kept.bytes.get(), bytes);
  memory_.give_back(std::move(kept.bytes), bytes);
  unexpected_bytes_ -= bytes;
  done.push_back(message.owner);
}

Status MessageReceiver::post_payload(std::byte* data, std::size_t bytes,
                                     std::optional<Message> message) {
  const Transfer transfer{
      .kind = TransferKind::kRecv, .lane = kHeaderLane, .data = data, .bytes = bytes};
  RONDO_ASSIGN(const transport::Token token, endpoint_.post({&transfer, 1}));
  payload_ = {token, message};
  return {};
}

Result<bool> MessageReceiver::finish_payload(std::vector<void*>& done) {
  RONDO_ASSIGN(const bool came, endpoint_.poll(payload_->token));
  if (!came) return false;
  const std::optional<Message> message = payload_->message;
  payload_.reset();
  if (message.has_value()) {
    done.push_back(message->owner);
    return true;
  }
  const auto arrived = std::prev(unexpected_.end());
  arrived->is_arriving = false;
  if (!arrived->claimed.has_value()) return true;
  hand_over(*arrived, *arrived->claimed, done);
  unexpected_.erase(arrived);
  return true;
}

Status MessageReceiver::check(const MessageHeader& header, const Message& message) const {
  if (header.bytes == message.bytes && header.type == message.type) return {};
  return Status(ErrorCode::kMismatch,
                fmt::format("rank {} sent {} bytes of {} with tag {} where rank {} receives {} "
                            "bytes of {}: both must name the same count and type",
                            endpoint_.peer(), header.bytes, to_string(header.type), header.tag,
                            rank_, message.bytes, to_string(message.type)),
                endpoint_.peer());
}

std::vector<const Message*> MessageReceiver::outstanding() const {
  std::vector<const Message*> list;
  if (payload_.has_value() && payload_->message.has_value()) list.push_back(&*payload_->message);
  for (const Unexpected& one : unexpected_)
    if (one.claimed.has_value()) list.push_back(&*one.claimed);
  for (const Message& one : stream_.messages()) list.push_back(&one);
  for (const Message& one : asked_for_) list.push_back(&one);
  return list;
}

bool MessageReceiver::idle() const {
  const bool awaits_payload = payload_.has_value() && (payload_->message.has_value() ||
                                                       unexpected_.back().claimed.has_value());
  return !awaits_payload && asked_for_.empty() && stream_.messages().empty();
}

std::string MessageReceiver::describe_congestion() const {
  if (!held_.has_value()) return {};
  return fmt::format(
      "{} messages ({} bytes) have come from rank {} that nobody receives, the "
      "first with tag {}; no more are taken",
      unexpected_.size(), unexpected_bytes_, endpoint_.peer(), unexpected_.front().header.tag);
}

}  // namespace rondo::execute
