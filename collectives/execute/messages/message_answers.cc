#include "collectives/execute/messages/message_answers.h"

#include <fmt/format.h>

#include <iterator>

namespace rondo::execute {
namespace {

using transport::Transfer;
using transport::TransferKind;

/// Under way at once: within every endpoint's window.
constexpr std::size_t kMostPosted = 4;

}  // namespace

void MessageAnswers::answer(std::uint64_t id) {
  queue_.push({.block = encode({.kind = MessageKind::kReady, .id = id})});
}

Result<bool> MessageAnswers::step() {
  bool moved = false;
  auto next = std::next(queue_.begin(), static_cast<std::ptrdiff_t>(posted_));
  for (; posted_ < kMostPosted && next != queue_.end(); ++posted_, ++next) {
    RONDO_TRY(post(*next));
    moved = true;
  }
  while (posted_ > 0) {
    RONDO_ASSIGN(const bool sent, endpoint_.poll(queue_.front().token));
    if (!sent) break;
    queue_.pop();
    --posted_;
    moved = true;
  }
  return moved;
}

Status MessageAnswers::post(Outgoing& outgoing) {
  const Transfer transfer{.kind = TransferKind::kSend,
                          .lane = kAnswerLane,
                          .data = outgoing.block.data(),
                          .bytes = outgoing.block.size()};
  RONDO_ASSIGN(outgoing.token, endpoint_.post({&transfer, 1}));
  return {};
}

Result<std::optional<std::uint64_t>> MessageAnswers::next() {
  if (!coming_token_.has_value()) {
    const Transfer transfer{.kind = TransferKind::kRecv,
                            .lane = kAnswerLane,
                            .data = coming_.data(),
                            .bytes = coming_.size()};
    RONDO_ASSIGN(coming_token_, endpoint_.post({&transfer, 1}));
  }
  RONDO_ASSIGN(const bool came, endpoint_.poll(*coming_token_));
  if (!came) return std::optional<std::uint64_t>();
  coming_token_.reset();
  RONDO_ASSIGN(const MessageHeader header, decode(coming_, endpoint_.peer()));
  if (header.kind == MessageKind::kReady) return std::optional(header.id);
  return Status(ErrorCode::kDataLoss,
                fmt::format("rank {} sends a message where its answer to a request is expected",
                            endpoint_.peer()),
                endpoint_.peer());
}

}  // namespace rondo::execute
