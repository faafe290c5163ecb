#pragma once

// The sending half of a conversation with one peer. Messages of up to kEagerBytes go out at once;
// longer ones announce themselves and follow, in segments on a lane of their own, once the receiver
// has a place for them, so that no rank has to hold what nobody has asked for.
// Threads: one at a time. Allocates only while queues grow.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/execute/messages/message_answers.h"
#include "collectives/execute/messages/message_header.h"
#include "core/status.h"
#include "core/steady_list.h"
#include "core/ticks.h"
#include "rondo/types.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

/// One send or one receive that was asked for.
struct Message {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  DataType type = DataType::kU8;
  int tag = 0;
  void* owner = nullptr;  ///< comes back when it is done
  Ticks* met = nullptr;   ///< is told when the peer has come to it; null: nobody asks
};

/// What isn't done yet, for whoever looks how long it has stood still.
struct Outstanding {
  enum class Stage : std::uint8_t { kQueued, kUnmatched, kArriving, kStreamed };
  const Message* message = nullptr;
  Stage stage = Stage::kUnmatched;
  std::uint64_t moves = 0;  ///< of what goes before it on its way, and of itself
};

/// From here on its bytes move.
inline void note_met(const Message& message) {
  if (message.met != nullptr) *message.met = ticks_now();
}

inline constexpr std::uint16_t kHeaderLane = transport::kBufferedLane;
inline constexpr std::uint16_t kStreamLane = transport::kFirstFreeLane + 1;
inline constexpr std::size_t kEagerBytes = std::size_t{64} << 10;

/// The segments of long messages, in order: what both halves do with the stream's lane.
class MessageStream {
 public:
  MessageStream(transport::Endpoint& endpoint, transport::TransferKind kind)
      : endpoint_(endpoint), kind_(kind) {}

  /// The peer has a place for it, or is about to send it.
  void add(const Message& message) {
    note_met(message);
    messages_.push(message);
  }
  /// True if anything moved; owners of what is done are appended to `done`.
  Result<bool> step(std::vector<void*>& done);
  const SteadyList<Message>& messages() const { return messages_; }
  void outstanding(std::vector<Outstanding>& list) const;

 private:
  Result<bool> post();

  transport::Endpoint& endpoint_;
  transport::TransferKind kind_;
  SteadyList<Message> messages_;
  std::size_t posted_bytes_ = 0;  ///< of the first message
  std::size_t done_bytes_ = 0;
  SteadyList<transport::Token> tokens_;
  std::uint64_t moves_ = 0;
};

class MessageSender {
 public:
  explicit MessageSender(transport::Endpoint& endpoint)
      : endpoint_(endpoint),
        answers_(endpoint),
        stream_(endpoint, transport::TransferKind::kSend) {}

  void send(const Message& message);
  /// Sends it now, with nothing before it on its way; false where that can't be.
  bool send_at_once(const Message& message);
  /// Tells the peer that there is a place for its request `id`.
  void answer(std::uint64_t id) { answers_.answer(id); }

  Result<bool> step(std::vector<void*>& done);
  /// Forgets the send of `owner`, of which the peer is never told. False where its header is under
  /// way, or was.
  bool withdraw(const void* owner);
  /// Adds all sends that aren't done, oldest first of each stage.
  void outstanding(std::vector<Outstanding>& list) const;
  bool idle() const {
    return queue_.empty() && answers_.idle() && requested_.empty() && stream_.messages().empty();
  }

 private:
  /// A header on its way, with the bytes of an eager message.
  struct Outgoing {
    MessageHeaderBlock header;
    Message message;  ///< owner null: a request
    transport::Token token = 0;
  };
  struct Requested {
    std::uint64_t id = 0;
    Message message;
    std::uint64_t place = 0;  ///< its header's in the queue, counted from the first that went out
  };
  Result<bool> send_queue(std::vector<void*>& done);
  Result<bool> take_answers();
  std::uint64_t place_of(const void* owner) const;
  /// The peer has a place for our request `id`. Errors: DataLoss (there is none).
  Status ready(std::uint64_t id);
  Status post(Outgoing& outgoing);

  transport::Endpoint& endpoint_;
  SteadyList<Outgoing> queue_;
  std::size_t posted_ = 0;    ///< so many of the queue are under way
  std::uint64_t queued_ = 0;  ///< ever, but for those that were withdrawn
  std::uint64_t moves_ = 0;   ///< so many of these have gone out
  MessageAnswers answers_;
  SteadyList<Requested> requested_;
  MessageStream stream_;
  std::uint64_t last_id_ = 0;
};

}  // namespace rondo::execute
