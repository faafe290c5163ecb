#pragma once

// One place's sends and receives, with every peer it has any with, itself included. They are no
// part of the sequence of collective calls, and move on beside them.
// Threads: the holder of the baton. Allocates only for the first message of a pair, and while more
// is outstanding, or kept, than ever before.

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/communicator/pending_call.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/execute/messages/conversation.h"
#include "collectives/execute/messages/own_messages.h"
#include "core/status.h"
#include "transport/mesh/mesh.h"

namespace rondo::communicator {

/// The error of a message that was withdrawn: `cause`, and that nothing else has failed.
Status ended_alone(const Status& cause);

class Conversations {
 public:
  explicit Conversations(const transport::Mesh& mesh)
      : mesh_(mesh), peers_(static_cast<std::size_t>(mesh.size())), own_(mesh.rank()) {}

  /// A send or a receive; it comes back by `step`, but for an error. Errors: Mismatch.
  Status add(PendingCall& call);
  /// Makes the call at once, after so many looks at most; false where that can't be now: nothing
  /// has happened then, and `add` and `step` will do it, or say why not. While nobody drives.
  bool make_at_once(const CallArguments& arguments, int looks);
  /// Does what can be done now; true if anything moved. Calls that are done are appended to
  /// `done`. Errors: Mismatch, DataLoss, PeerLost, or what a peer gave up with.
  /// `keeps_peers`: a collective is under way, whose endpoints must not be paused.
  Result<bool> step(std::vector<PendingCall*>& done, bool keeps_peers);
  /// In a long wait: what peers send that nobody has asked for, as far as it is kept, so that they
  /// get on. Errors: as step.
  Result<bool> take_unexpected(std::vector<PendingCall*>& done, bool keeps_peers);
  /// Nobody drives for a while: peers that steps have kept are paused.
  void pause();
  /// All calls that aren't done; they are forgotten. Those that are done, and weren't given by a
  /// step before, are appended to `done`.
  std::vector<PendingCall*> take_all(std::vector<PendingCall*>& done);
  /// Forgets the call, whose memory isn't touched any more; it won't come back by `step`. False
  /// where the peer knows of it, or it is done: then nothing has happened.
  bool withdraw(const PendingCall& call);
  /// Timeout where a call hasn't moved for as long as it is to wait: its own deadline, or
  /// `timeout_ms` where it has none. One with a deadline of its own that can be withdrawn has
  /// expired instead. Looks at them now and then, however often it is asked.
  Status check_deadlines(std::int64_t timeout_ms);
  /// Calls that were withdrawn at their deadlines, each with its status; they are to be ended, and
  /// the list cleared.
  std::vector<PendingCall*>& expired() { return expired_; }
  /// When the first of them is over, as of the last look.
  std::chrono::steady_clock::time_point next_deadline() const { return next_deadline_; }

 private:
  /// With one peer. Where it has left, that matters once it is needed.
  struct Peer {
    std::unique_ptr<execute::Conversation> conversation;
    Status gone;
  };
  Status add_new(PendingCall& call);
  execute::Conversation& conversation_with(int rank);
  const std::vector<execute::Outstanding>& list_outstanding();
  Status judge(PendingCall& call, std::int64_t timeout_ms);
  Status timed_out(const PendingCall& call, std::int64_t timeout_ms) const;
  Result<bool> step_all(bool keeps_peers);
  Result<bool> step(Peer& peer, bool keeps_peers);
  void finish(std::vector<PendingCall*>& done);

  const transport::Mesh& mesh_;
  std::vector<Peer> peers_;  ///< by rank
  execute::OwnMessages own_;
  std::vector<void*> done_;
  std::vector<PendingCall*> expired_;
  std::vector<execute::Outstanding> outstanding_;  ///< as of the last time that it was asked for
  std::chrono::steady_clock::time_point next_check_{};
  std::chrono::steady_clock::time_point next_deadline_ = execute::WaitLimit::kNever;
  bool has_kept_peers_ = false;    ///< since the last pause
  std::size_t own_deadlines_ = 0;  ///< calls outstanding that have one
};

}  // namespace rondo::communicator
