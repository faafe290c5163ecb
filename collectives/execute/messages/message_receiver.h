#pragma once

// The receiving half of a conversation with one peer: matches what comes with what was asked for,
// by tag, in order. A message that nobody has asked for yet is kept, up to a bound; beyond it
// nothing more is taken from the peer, so its sends wait.
// Threads: one at a time. Allocates only while queues grow, or more is kept than ever before.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/execute/messages/message_header.h"
#include "collectives/execute/messages/message_memory.h"
#include "collectives/execute/messages/message_sender.h"
#include "core/status.h"
#include "core/steady_list.h"

namespace rondo::execute {

class MessageReceiver {
 public:
  /// Bounds of what is kept for nobody: messages, and their bytes.
  static constexpr std::size_t kMostUnexpected = 1024;
  static constexpr std::size_t kMostUnexpectedBytes = std::size_t{4} << 20;

  MessageReceiver(transport::Endpoint& endpoint, MessageSender& sender, int rank)
      : endpoint_(endpoint),
        sender_(sender),
        rank_(rank),
        stream_(endpoint, transport::TransferKind::kRecv) {}

  /// Errors: Mismatch (what has come with this tag is of another size or type).
  Status receive(const Message& message, std::vector<void*>& done);
  enum class AtOnce { kDone, kNothingCame, kImpossible };
  /// Takes it now, where nothing else was asked for, and it has come and is the next; otherwise
  /// nothing has happened.
  AtOnce receive_at_once(const Message& message);
  /// Errors: Mismatch, DataLoss, PeerLost, or what the peer gave up with.
  Result<bool> step(std::vector<void*>& done);
  /// Forgets the receive of `owner`, whose memory isn't touched any more. False where that can't
  /// be: its message has come to it, or is on its way.
  bool withdraw(const void* owner);

  /// Adds the receives that aren't done.
  void outstanding(std::vector<Outstanding>& list) const;
  bool idle() const;
  /// Where too much has come that nobody asks for: what, for the error of whoever waits; else
  /// empty.
  std::string describe_congestion() const;

 private:
  /// A message that came before it was asked for; a request has no bytes yet.
  struct Unexpected {
    MessageHeader header;
    MessageMemory::Block bytes;  ///< those that the header names
    bool is_arriving = false;
    std::optional<Message> claimed{};  ///< asked for while it arrives
  };
  /// The bytes that follow the last header, and are still to come.
  struct Payload {
    transport::Token token = 0;
    std::optional<Message> message;  ///< nothing: of the newest unexpected one
  };
  Result<const MessageHeaderBlock*> next_header();
  Result<bool> take_next(std::vector<void*>& done);
  Result<bool> finish_payload(std::vector<void*>& done);
  Status take(const MessageHeader& header, std::vector<void*>& done);
  Status take_asked_for(const MessageHeader& header, const Message& message,
                        std::vector<void*>& done);
  Status keep(const MessageHeader& header);
  bool has_room(const MessageHeader& header) const;
  SteadyList<Unexpected>::Iterator find_kept(int tag);
  void hand_over(Unexpected& kept, const Message& message);
  Result<bool> take_payload(std::byte* data, std::size_t bytes, std::optional<Message> message);
  Status check(const MessageHeader& header, const Message& message) const;

  transport::Endpoint& endpoint_;
  MessageSender& sender_;
  int rank_;
  SteadyList<Message> asked_for_;
  SteadyList<Unexpected> unexpected_;  ///< bytes may be arriving of the newest alone
  std::size_t unexpected_bytes_ = 0;
  /// Blocks are up to twice as large as what is in them.
  MessageMemory memory_{2 * kMostUnexpectedBytes};
  MessageHeaderBlock header_{};
  std::optional<transport::Token> header_token_;
  std::optional<MessageHeader> held_;  ///< came, and there is no room for it
  std::optional<Payload> payload_;
  MessageStream stream_;
};

}  // namespace rondo::execute
