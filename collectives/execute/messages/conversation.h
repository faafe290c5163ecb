#pragma once

// Messages between this rank and one peer, matched by tag, beside the collectives: they use the
// lanes that belong to no call.
// Threads: one at a time.

#include <string>
#include <vector>

#include "collectives/execute/messages/message_receiver.h"
#include "collectives/execute/messages/message_sender.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class Conversation {
 public:
  Conversation(transport::Endpoint& endpoint, int rank)
      : endpoint_(endpoint), sender_(endpoint), receiver_(endpoint, sender_, rank) {}

  void send(const Message& message) { sender_.send(message); }
  /// Errors: Mismatch.
  Status receive(const Message& message, std::vector<void*>& done) {
    return receiver_.receive(message, done);
  }

  /// Sends, or receives, now and whole, with nothing of the same direction outstanding. Where that
  /// can't be, why is for `step` to say.
  bool send_at_once(const Message& message) { return sender_.send_at_once(message); }
  MessageReceiver::AtOnce receive_at_once(const Message& message) {
    return receiver_.receive_at_once(message);
  }

  /// Does what can be done now; true if anything moved. Owners of what is done are appended to
  /// `done`. Errors: Mismatch, DataLoss, PeerLost, or what the peer gave up with.
  Result<bool> step(std::vector<void*>& done);
  /// Forgets the send or the receive of `owner`, of which the peer knows nothing. False where
  /// something of it is under way, or it is done.
  bool withdraw(const void* owner) { return sender_.withdraw(owner) || receiver_.withdraw(owner); }
  /// Nothing of this rank's is outstanding; messages may come.
  bool idle() const { return sender_.idle() && receiver_.idle(); }
  /// Adds all that isn't done.
  void outstanding(std::vector<Outstanding>& list) const;
  /// What is waited for, for an error.
  std::string describe() const;
  transport::Endpoint& endpoint() { return endpoint_; }

 private:
  transport::Endpoint& endpoint_;
  MessageSender sender_;
  MessageReceiver receiver_;
};

}  // namespace rondo::execute
