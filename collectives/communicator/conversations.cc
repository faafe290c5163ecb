#include "collectives/communicator/conversations.h"

#include <fmt/format.h>

#include "core/relax.h"

namespace rondo::communicator {
namespace {

bool sends(const CallArguments& arguments) { return arguments.exchange == Exchange::kSend; }
bool sends(const PendingCall& call) { return sends(call.arguments); }

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

Status Conversations::add(PendingCall& call) {
  const int rank = call.arguments.root;
  const execute::Message message = message_of(call.arguments, &call);
  if (rank == mesh_.rank())
    return sends(call) ? own_.send(message, done_) : own_.receive(message, done_);
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  if (peer.conversation == nullptr) {
    peer.conversation =
        std::make_unique<execute::Conversation>(*mesh_.endpoint(rank), mesh_.rank());
  }
  if (!sends(call)) return peer.conversation->receive(message, done_);
  peer.conversation->send(message);
  return {};
}

bool Conversations::make_at_once(const CallArguments& arguments, int looks, bool keeps_peers) {
  Peer& peer = peers_[static_cast<std::size_t>(arguments.root)];
  if (peer.conversation == nullptr || !peer.gone.ok()) return false;
  execute::Conversation& conversation = *peer.conversation;
  const execute::Message message = message_of(arguments, nullptr);
  if (!conversation.endpoint().resume().ok()) return false;
  const bool made = sends(arguments) ? conversation.send_at_once(message)
                                     : receive_at_once(conversation, message, looks);
  if (!keeps_peers) conversation.endpoint().pause();
  return made;
}

Result<bool> Conversations::step(std::vector<PendingCall*>& done, bool keeps_peers) {
  auto moved = step_all(keeps_peers);
  const bool any_done = !done_.empty();
  finish(done);
  if (!moved.ok()) return moved;
  return *moved || any_done;
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
  for (void* owner : done_) done.push_back(static_cast<PendingCall*>(owner));
  done_.clear();
}

std::vector<PendingCall*> Conversations::take_all() {
  std::vector<PendingCall*> all;
  finish(all);
  for (Peer& peer : peers_) {
    if (peer.conversation == nullptr) continue;
    for (const execute::Message* message : peer.conversation->outstanding())
      all.push_back(static_cast<PendingCall*>(message->owner));
    peer.conversation.reset();
  }
  for (const execute::Message* message : own_.outstanding())
    all.push_back(static_cast<PendingCall*>(message->owner));
  own_ = execute::OwnMessages(mesh_.rank());
  return all;
}

Status Conversations::timed_out(std::int64_t timeout_ms) const {
  for (const Peer& peer : peers_) {
    if (peer.conversation == nullptr || peer.conversation->idle()) continue;
    return Status(ErrorCode::kTimeout,
                  fmt::format("nothing moved for {} ms: {} (RONDO_TIMEOUT_MS sets the limit)",
                              timeout_ms, peer.conversation->describe()),
                  peer.conversation->endpoint().peer());
  }
  return Status(ErrorCode::kTimeout,
                fmt::format("for {} ms rank {} has made no call that belongs to its send to, or "
                            "receive from, itself (RONDO_TIMEOUT_MS sets the limit)",
                            timeout_ms, mesh_.rank()),
                mesh_.rank());
}

}  // namespace rondo::communicator
