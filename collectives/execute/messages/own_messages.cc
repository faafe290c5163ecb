#include "collectives/execute/messages/own_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rondo::execute {

Status OwnMessages::send(const Message& message, std::vector<void*>& done) {
  const auto receive = std::ranges::find(asked_for_, message.tag, &Message::tag);
  if (receive != asked_for_.end()) {
    RONDO_TRY(move(message, *receive));
    done.push_back(receive->owner);
    done.push_back(message.owner);
    asked_for_.erase(receive);
    return {};
  }
  Sent sent{.message = message, .kept = nullptr};
  if (may_be_kept(message)) RONDO_TRY(keep(sent, done));
  sent_.push(std::move(sent));
  return {};
}

bool OwnMessages::may_be_kept(const Message& message) const {
  return message.bytes <= kEagerBytes && kept_ < MessageReceiver::kMostUnexpected &&
         kept_bytes_ + message.bytes <= MessageReceiver::kMostUnexpectedBytes;
}

Status OwnMessages::keep(Sent& sent, std::vector<void*>& done) {
  Message& message = sent.message;
  RONDO_ASSIGN(sent.kept, memory_.take(message.bytes));
  if (message.bytes > 0) std::memcpy(sent.kept.get(), message.data, message.bytes);
  sent.is_kept = true;
  ++kept_;
  kept_bytes_ += message.bytes;
  done.push_back(message.owner);
  message.data = sent.kept.get();
  return {};
}

Status OwnMessages::receive(const Message& message, std::vector<void*>& done) {
  const auto sent = std::ranges::find_if(
      sent_, [&message](const Sent& one) { return one.message.tag == message.tag; });
  if (sent == sent_.end()) {
    asked_for_.push(message);
    return {};
  }
  RONDO_TRY(move(sent->message, message));
  if (sent->is_kept) {
    --kept_;
    kept_bytes_ -= message.bytes;
    memory_.give_back(std::move(sent->kept), message.bytes);
  } else {
    done.push_back(sent->message.owner);
  }
  done.push_back(message.owner);
  sent_.erase(sent);
  return {};
}

Status OwnMessages::move(const Message& from, const Message& to) const {
  if (from.bytes != to.bytes || from.type != to.type) {
    return Status(ErrorCode::kMismatch,
                  fmt::format("rank {} sends itself {} bytes of {} with tag {} and receives {} "
                              "bytes of {}",
                              rank_, from.bytes, to_string(from.type), from.tag, to.bytes,
                              to_string(to.type)),
                  rank_);
  }
  if (from.bytes > 0) std::memmove(to.data, from.data, from.bytes);
  return {};
}

bool OwnMessages::withdraw(const void* owner) {
  const auto sent = std::ranges::find_if(
      sent_, [owner](const Sent& one) { return one.message.owner == owner && !one.is_kept; });
  if (sent != sent_.end()) {
    sent_.erase(sent);
    return true;
  }
  const auto receive = std::ranges::find(asked_for_, owner, &Message::owner);
  if (receive == asked_for_.end()) return false;
  asked_for_.erase(receive);
  return true;
}

void OwnMessages::outstanding(std::vector<Outstanding>& list) const {
  for (const Sent& one : sent_)
    if (!one.is_kept) list.push_back({.message = &one.message});
  for (const Message& one : asked_for_) list.push_back({.message = &one});
}

}  // namespace rondo::execute
