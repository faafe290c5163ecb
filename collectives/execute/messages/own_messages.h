#pragma once

// Messages of a rank to itself. Both sides are here: the second of the two moves the bytes, but
// for short sends, which are kept like those of other ranks, so that a rank may send first.
// Threads: one at a time. Allocates only while more is outstanding, or kept, than ever before.

#include <cstddef>
#include <vector>

#include "collectives/execute/messages/message_memory.h"
#include "collectives/execute/messages/message_receiver.h"
#include "collectives/execute/messages/message_sender.h"
#include "core/status.h"
#include "core/steady_list.h"

namespace rondo::execute {

class OwnMessages {
 public:
  explicit OwnMessages(int rank) : rank_(rank) {}

  /// Owners of what is done are appended to `done`. Errors: Mismatch (of size or type); System,
  /// where there is no memory to keep it.
  Status send(const Message& message, std::vector<void*>& done);
  Status receive(const Message& message, std::vector<void*>& done);

  /// Forgets the send or the receive of `owner`; false where there is none that isn't done.
  bool withdraw(const void* owner);

  /// Adds all that isn't done.
  void outstanding(std::vector<Outstanding>& list) const;

 private:
  struct Sent {
    Message message;
    MessageMemory::Block kept;  ///< where its bytes are, if they were copied
    bool is_kept = false;
  };
  bool may_be_kept(const Message& message) const;
  Status keep(Sent& sent, std::vector<void*>& done);
  Status move(const Message& from, const Message& to) const;

  int rank_;
  SteadyList<Sent> sent_;
  SteadyList<Message> asked_for_;
  std::size_t kept_ = 0;
  std::size_t kept_bytes_ = 0;
  /// Blocks are up to twice as large as what is in them.
  MessageMemory memory_{2 * MessageReceiver::kMostUnexpectedBytes};
};

}  // namespace rondo::execute
