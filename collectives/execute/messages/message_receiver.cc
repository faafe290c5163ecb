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

/// It comes whole, and is what was asked for.
bool is_as_asked(const MessageHeader& header, const Message& message) {
  return header.kind == MessageKind::kEager && header.bytes == message.bytes &&
         header.type == message.type;
}

}  // namespace

Status MessageReceiver::receive(const Message& message, std::vector<void*>& done) {
  const auto found = find_kept(message.tag);
  if (found == unexpected_.end()) {
    asked_for_.push(message);
    return {};
  }
  RONDO_TRY(check(found->header, message));
  if (found->is_arriving) {
    found->claimed = message;
    note_met(message);
    return {};
  }
  if (found->header.kind == MessageKind::kRequest) {
    sender_.answer(found->header.id);
    stream_.add(message);
  } else {
    hand_over(*found, message);
    done.push_back(message.owner);
  }
  unexpected_.erase(found);
  return {};
}

SteadyList<MessageReceiver::Unexpected>::Iterator MessageReceiver::find_kept(int tag) {
  return std::ranges::find_if(unexpected_, [tag](const Unexpected& one) {
    return one.header.tag == tag && !one.claimed.has_value();
  });
}

/// Whatever is out of the ordinary is left to `receive` and `step`.
MessageReceiver::AtOnce MessageReceiver::receive_at_once(const Message& message) {
  if (!endpoint_.has_headings() || !asked_for_.empty() || payload_.has_value() || held_.has_value())
    return AtOnce::kImpossible;
  if (!unexpected_.empty()) {
    const auto kept = find_kept(message.tag);
    if (kept != unexpected_.end()) {
      if (kept->is_arriving || !is_as_asked(kept->header, message)) return AtOnce::kImpossible;
      hand_over(*kept, message);
      unexpected_.erase(kept);
      return AtOnce::kDone;
    }
  }
  const auto heading = endpoint_.next_heading();
  if (!heading.ok()) return AtOnce::kImpossible;
  if (*heading == nullptr) return AtOnce::kNothingCame;
  const auto header = decode(**heading, endpoint_.peer());
  if (!header.ok() || header->tag != message.tag || !is_as_asked(*header, message))
    return AtOnce::kImpossible;
  const auto taken = endpoint_.take_headed({message.data, message.bytes});
  return taken.ok() && *taken ? AtOnce::kDone : AtOnce::kImpossible;
}

Result<bool> MessageReceiver::step(std::vector<void*>& done) {
  bool moved = false;
  while (true) {
    RONDO_ASSIGN(const bool more, payload_.has_value() ? finish_payload(done) : take_next(done));
    if (!more) break;
    moved = true;
  }
  RONDO_ASSIGN(const bool streamed, stream_.step(done));
  return moved || streamed;
}

Result<bool> MessageReceiver::take_next(std::vector<void*>& done) {
  if (held_.has_value()) {
    const bool asked_for = std::ranges::any_of(
        asked_for_, [this](const Message& message) { return message.tag == held_->tag; });
    if (!asked_for && !has_room(*held_)) return false;
    RONDO_TRY(take(*std::exchange(held_, std::nullopt), done));
    return true;
  }
  RONDO_ASSIGN(const MessageHeaderBlock* const block, next_header());
  if (block == nullptr) return false;
  RONDO_ASSIGN(const MessageHeader header, decode(*block, endpoint_.peer()));
  RONDO_TRY(take(header, done));
  return true;
}

/// Null where none has come.
Result<const MessageHeaderBlock*> MessageReceiver::next_header() {
  if (endpoint_.has_headings()) return endpoint_.next_heading();
  if (!header_token_.has_value()) {
    const Transfer transfer{.kind = TransferKind::kRecv,
                            .lane = kHeaderLane,
                            .data = header_.data(),
                            .bytes = header_.size()};
    RONDO_ASSIGN(header_token_, endpoint_.post({&transfer, 1}));
  }
  RONDO_ASSIGN(const bool came, endpoint_.poll(*header_token_));
  if (!came) return nullptr;
  header_token_.reset();
  return &header_;
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
  Status taken = take_asked_for(header, message, done);
  // It is still to be told that it has failed.
  if (!taken.ok()) asked_for_.push(message);
  return taken;
}

Status MessageReceiver::take_asked_for(const MessageHeader& header, const Message& message,
                                       std::vector<void*>& done) {
  if (header.kind == MessageKind::kRequest) {
    RONDO_TRY(take_payload(nullptr, 0, std::nullopt).status());
    sender_.answer(header.id);
    stream_.add(message);
    return {};
  }
  RONDO_ASSIGN(const bool is_here, take_payload(message.data, message.bytes, message));
  if (is_here) {
    done.push_back(message.owner);
  } else {
    note_met(message);
  }
  return {};
}

Status MessageReceiver::keep(const MessageHeader& header) {
  if (!has_room(header)) {
    held_ = header;
    return {};
  }
  const std::size_t bytes = kept_bytes(header);
  RONDO_ASSIGN(MessageMemory::Block block, memory_.take(bytes));
  RONDO_ASSIGN(const bool is_here, take_payload(block.get(), bytes, std::nullopt));
  unexpected_.push({.header = header, .bytes = std::move(block), .is_arriving = !is_here});
  unexpected_bytes_ += bytes;
  return {};
}

bool MessageReceiver::has_room(const MessageHeader& header) const {
  return unexpected_.size() < kMostUnexpected &&
         unexpected_bytes_ + kept_bytes(header) <= kMostUnexpectedBytes;
}

void MessageReceiver::hand_over(Unexpected& kept, const Message& message) {
  const std::size_t bytes = kept_bytes(kept.header);
  if (bytes > 0) copy_bytes(message.data, kept.bytes.get(), bytes);
  memory_.give_back(std::move(kept.bytes), bytes);
  unexpected_bytes_ -= bytes;
}

/// False where they are still to come: then `payload_` has them.
Result<bool> MessageReceiver::take_payload(std::byte* data, std::size_t bytes,
                                           std::optional<Message> message) {
  if (endpoint_.has_headings()) {
    RONDO_ASSIGN(const bool taken, endpoint_.take_headed({data, bytes}));
    if (taken) return true;
  } else if (bytes == 0) {
    return true;
  }
  const Transfer transfer{
      .kind = TransferKind::kRecv, .lane = kHeaderLane, .data = data, .bytes = bytes};
  RONDO_ASSIGN(const transport::Token token, endpoint_.post({&transfer, 1}));
  payload_ = {token, message};
  return false;
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
  hand_over(*arrived, *arrived->claimed);
  done.push_back(arrived->claimed->owner);
  unexpected_.erase(arrived);
  return true;
}

/// What nothing has come for no endpoint knows of, and no peer.
bool MessageReceiver::withdraw(const void* owner) {
  const auto found = std::ranges::find(asked_for_, owner, &Message::owner);
  if (found == asked_for_.end()) return false;
  asked_for_.erase(found);
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

void MessageReceiver::outstanding(std::vector<Outstanding>& list) const {
  using Stage = Outstanding::Stage;
  if (payload_.has_value() && payload_->message.has_value())
    list.push_back({.message = &*payload_->message, .stage = Stage::kArriving});
  for (const Unexpected& one : unexpected_)
    if (one.claimed.has_value())
      list.push_back({.message = &*one.claimed, .stage = Stage::kArriving});
  stream_.outstanding(list);
  for (const Message& one : asked_for_) list.push_back({.message = &one});
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
