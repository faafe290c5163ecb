#include "collectives/communicator/conversations.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/relax.h"

namespace rondo::communicator {
namespace {

bool sends(const CallArguments& arguments) { return arguments.exchange == Exchange::kSend; }
bool sends(const PendingCall& call) { return sends(call.arguments); }
bool has_deadline(const PendingCall& call) { return call.arguments.timeout_ms > 0; }

PendingCall* call_of(const execute::Outstanding& one) {
  return static_cast<PendingCall*>(one.message->owner);
}

/// Since it was looked at last, or it never was.
bool has_moved(const PendingCall& call, const execute::Outstanding& now) {
  return call.still_since == std::chrono::steady_clock::time_point{} ||
         call.seen.stage != now.stage || call.seen.moves != now.moves;
}

// A send is only read; both directions share one description.
execute::Message message_of(const CallArguments& arguments, void* owner) {
  const bool is_send = sends(arguments);
  void* const data =
      is_send ? const_cast<void*>(arguments.input.pointer) : arguments.output.pointer;
  const ConstBuffer buffer = is_send ? arguments.input : ConstBuffer(arguments.output);
  return {.data = static_cast<std::byte*>(data),
          .bytes = buffer.count * size_of(buffer.dtype),
          .type = buffer.dtype,
          .tag = arguments.tag,
          .owner = owner};
}

bool receive_at_once(execute::Conversation& conversation, const execute::Message& message,
                     int looks) {
  using AtOnce = execute::MessageReceiver::AtOnce;
  AtOnce received = conversation.receive_at_once(message);
  for (; received == AtOnce::kNothingCame && looks > 1; --looks) {
    relax();
    received = conversation.receive_at_once(message);
  }
  return received == AtOnce::kDone;
}

}  // namespace

Status ended_alone(const Status& cause) {
  return Status(cause.code(),
                cause.message() +
                    "; nothing of it was under way, so that it has ended alone: the communicator "
                    "can still be used",
                cause.culprit());
}

Status Conversations::add(PendingCall& call) {
  call.seen = {};
  call.still_since = {};
  RONDO_TRY(add_new(call));
  if (!has_deadline(call)) return {};
  ++own_deadlines_;
  call.still_since = std::chrono::steady_clock::now();
  next_check_ = {};
  return {};
}

Status Conversations::add_new(PendingCall& call) {
  const int rank = call.arguments.root;
  execute::Message message = message_of(call.arguments, &call);
  if (call.entered != 0) message.met = &call.met;
  if (rank == mesh_.rank())
    return sends(call) ? own_.send(message, done_) : own_.receive(message, done_);
  execute::Conversation& conversation = conversation_with(rank);
  if (!sends(call)) return conversation.receive(message, done_);
  conversation.send(message);
  return {};
}

execute::Conversation& Conversations::conversation_with(int rank) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  if (peer.conversation == nullptr) {
    peer.conversation =
        std::make_unique<execute::Conversation>(*mesh_.endpoint(rank), mesh_.rank());
  }
  return *peer.conversation;
}

bool Conversations::make_at_once(const CallArguments& arguments, int looks) {
  Peer& peer = peers_[static_cast<std::size_t>(arguments.root)];
  if (peer.conversation == nullptr || !peer.gone.ok()) return false;
  execute::Conversation& conversation = *peer.conversation;
  const execute::Message message = message_of(arguments, nullptr);
  if (!conversation.endpoint().resume().ok()) return false;
  const bool made = sends(arguments) ? conversation.send_at_once(message)
                                     : receive_at_once(conversation, message, looks);
  conversation.endpoint().pause();
  return made;
}

void Conversations::pause() {
  if (!std::exchange(has_kept_peers_, false)) return;
  for (Peer& peer : peers_)
    if (peer.conversation != nullptr) peer.conversation->endpoint().pause();
}

Result<bool> Conversations::step(std::vector<PendingCall*>& done, bool keeps_peers) {
  has_kept_peers_ |= keeps_peers;
  auto moved = step_all(keeps_peers);
  const bool any_done = !done_.empty();
  finish(done);
  if (!moved.ok()) return moved;
  return *moved || any_done;
}

Result<bool> Conversations::take_unexpected(std::vector<PendingCall*>& done, bool keeps_peers) {
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    const bool is_met = peers_[static_cast<std::size_t>(rank)].conversation != nullptr;
    if (rank != mesh_.rank() && !is_met && mesh_.endpoint(rank)->has_unexpected())
      conversation_with(rank);
  }
  return step(done, keeps_peers);
}

Result<bool> Conversations::step_all(bool keeps_peers) {
  bool moved = false;
  for (Peer& peer : peers_) {
    if (peer.conversation == nullptr) continue;
    RONDO_ASSIGN(const bool peer_moved, step(peer, keeps_peers));
    moved |= peer_moved;
  }
  return moved;
}

Result<bool> Conversations::step(Peer& peer, bool keeps_peers) {
  execute::Conversation& conversation = *peer.conversation;
  if (!peer.gone.ok()) {
    if (conversation.idle()) return false;
    return peer.gone;
  }
  Status status = conversation.endpoint().resume();
  bool moved = false;
  if (status.ok()) {
    auto stepped = conversation.step(done_);
    if (stepped.ok()) moved = *stepped;
    status = std::move(stepped).status();
  }
  if (!keeps_peers) conversation.endpoint().pause();
  if (status.ok()) return moved;
  // What it sent before it left may have been all that was waited for.
  if (!conversation.idle()) return status;
  peer.gone = std::move(status);
  return false;
}

void Conversations::finish(std::vector<PendingCall*>& done) {
  for (void* owner : done_) {
    auto* const call = static_cast<PendingCall*>(owner);
    if (has_deadline(*call)) --own_deadlines_;
    done.push_back(call);
  }
  done_.clear();
}

std::vector<PendingCall*> Conversations::take_all(std::vector<PendingCall*>& done) {
  finish(done);
  std::vector<PendingCall*> all;
  for (const execute::Outstanding& one : list_outstanding()) all.push_back(call_of(one));
  all.insert(all.end(), expired_.begin(), expired_.end());
  expired_.clear();
  for (Peer& peer : peers_) peer.conversation.reset();
  own_ = execute::OwnMessages(mesh_.rank());
  own_deadlines_ = 0;
  return all;
}

const std::vector<execute::Outstanding>& Conversations::list_outstanding() {
  outstanding_.clear();
  for (const Peer& peer : peers_)
    if (peer.conversation != nullptr) peer.conversation->outstanding(outstanding_);
  own_.outstanding(outstanding_);
  return outstanding_;
}

Status Conversations::check_deadlines(std::int64_t timeout_ms) {
  /// Where a call has a deadline of its own, and where none has.
  constexpr auto kPeriod = std::chrono::milliseconds(1);
  constexpr auto kLongPeriod = std::chrono::milliseconds(50);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_check_) return {};
  next_check_ = now + (own_deadlines_ == 0 ? kLongPeriod : kPeriod);
  next_deadline_ = execute::WaitLimit::kNever;
  for (const execute::Outstanding& one : list_outstanding()) {
    PendingCall& call = *call_of(one);
    if (has_moved(call, one)) {
      call.seen = one;
      call.still_since = now;
    }
    const std::int64_t limit_ms = has_deadline(call) ? call.arguments.timeout_ms : timeout_ms;
    const auto deadline = call.still_since + std::chrono::milliseconds(limit_ms);
    if (now < deadline) {
      next_deadline_ = std::min(next_deadline_, deadline);
    } else {
      RONDO_TRY(judge(call, limit_ms));
    }
  }
  return {};
}

/// Its time is over. What is said of it names what is outstanding, itself among it.
Status Conversations::judge(PendingCall& call, std::int64_t timeout_ms) {
  Status cause = timed_out(call, timeout_ms);
  if (!has_deadline(call) || !withdraw(call)) return cause;
  call.status = ended_alone(cause);
  expired_.push_back(&call);
  return {};
}

bool Conversations::withdraw(const PendingCall& call) {
  const int rank = call.arguments.root;
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  const bool is_withdrawn =
      rank == mesh_.rank() ? own_.withdraw(&call)
                           : peer.conversation != nullptr && peer.conversation->withdraw(&call);
  if (is_withdrawn && has_deadline(call)) --own_deadlines_;
  return is_withdrawn;
}

Status Conversations::timed_out(const PendingCall& call, std::int64_t timeout_ms) const {
  const int rank = call.arguments.root;
  const std::string limit = has_deadline(call)
                                ? fmt::format("the deadline of the {} with tag {}",
                                              sends(call) ? "send" : "receive", call.arguments.tag)
                                : "RONDO_TIMEOUT_MS sets the limit";
  if (rank == mesh_.rank()) {
    return Status(ErrorCode::kTimeout,
                  fmt::format("for {} ms rank {} has made no call that belongs to its send to, or "
                              "receive from, itself ({})",
                              timeout_ms, rank, limit),
                  rank);
  }
  const Peer& peer = peers_[static_cast<std::size_t>(rank)];
  return Status(ErrorCode::kTimeout,
                fmt::format("nothing moved for {} ms: {} ({})", timeout_ms,
                            peer.conversation->describe(), limit),
                rank);
}

}  // namespace rondo::communicator
