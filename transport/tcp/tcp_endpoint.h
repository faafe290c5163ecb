#pragma once

// One place's side of its connections to one peer: data connections for messages and a control
// connection for everything that must get through while data waits.
//
// Invariant: the first error is kept and returned by every later call. An orderly goodbye is no
// error until this rank needs the peer again.
// `poll` only looks; `TcpTransport::progress`, `post`, `send_eager` and `recv_eager` move bytes.
// Threads: one at a time per place.

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/cache_line.h"
#include "transport/endpoint/endpoint.h"
#include "transport/endpoint/fork_guard.h"
#include "transport/endpoint/transport.h"
#include "transport/tcp/control_channel.h"
#include "transport/tcp/inbox.h"
#include "transport/tcp/joiner.h"
#include "transport/tcp/outbox.h"
#include "transport/tcp/staged_view.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {

class TcpEndpoint final : public Endpoint {
 public:
  /// `own_calls` is the place's, shared by its endpoints: a call may need only some of them.
  TcpEndpoint(const Identity& own, JoinedPeer peer, const TcpOptions& options,
              CallHistory& own_calls);

  TransportKind kind() const override { return TransportKind::kTcp; }
  int peer() const override { return peer_; }
  std::size_t window() const override { return window_; }
  bool gathers() const override { return true; }
  std::optional<std::size_t> eager_bytes() const override {
    return std::min(kEagerBytes, max_message_bytes_);
  }
  Result<bool> send_eager(std::span<const std::byte> message) override;
  Result<const std::byte*> recv_eager(std::size_t bytes) override;
  void release_eager() override;
  void begin(const Call& call, const std::array<std::span<std::byte>, 2>& stores) override;
  Result<Token> post(std::span<const Transfer> group) override;
  Result<bool> poll(Token token) override;
  const std::byte* view(Token token) override;
  void release(Token token) override;
  bool has_unexpected() override { return failure_.ok() && inbox_.has_unexpected(); }
  std::byte* peer_store(StoreRegion, std::size_t, std::size_t) override { return nullptr; }
  Status announce_call() override;
  std::optional<Fingerprint> peer_call(std::uint64_t sequence) override;
  void abort(const Status& cause) override;
  Traffic traffic() const override;
  Status left() const override;

  /// Moves what can be moved. Connections that nothing is expected from are looked at only if
  /// `look_everywhere`: that takes system calls.
  Status progress(bool look_everywhere);
  /// Once a second: in a wait that has become long, whether the peer's host is still there.
  Status check_host();

  /// epoll's events that this endpoint waits for; 0: nothing more will come.
  std::uint32_t data_interest(std::size_t socket) const;
  std::uint32_t control_interest() const;
  std::size_t data_sockets() const { return data_.size(); }
  int data_socket(std::size_t index) const { return data_[index].get(); }
  int control_socket() const { return control_.socket(); }
  /// An error is known, or about to be: sleeping would be wrong.
  bool restless() const { return !failure_.ok() || suspect_since_.has_value(); }

  /// Part of leaving: writes what is posted, then the goodbye. True once there is nothing to do.
  bool leave();
  void close();

 private:
  /// To copy so little takes less than to queue it.
  static constexpr std::size_t kEagerBytes = 8192;
  /// Messages that recv_eager takes without `progress`.
  static constexpr int kMostTakenInRow = 32;
  /// Of check_host in a row, all while nothing moves, before it asks the system.
  static constexpr int kLongWaitChecks = 5;
  static constexpr std::uint32_t kNoGroup = OutFrame::kNoGroup;

  /// What the peer has been told of inbox_.consumed().
  struct Credited {
    std::uint64_t consumed = 0;  ///< that it knows
    /// What a message of ours has told it once it has consumed so many of them; 0: none is on its
    /// way.
    std::uint64_t carried = 0;
    std::uint64_t arrives = 0;
  };

  Status check_transfer(const Transfer& transfer) const;
  Result<bool> take_at_once(std::size_t bytes);
  Status start(const Transfer& transfer, std::uint32_t group);
  bool is_quiet() const;
  Status move_data(bool look_everywhere);
  Status read_control();
  Status handle(const ControlMessage& message);
  Status check_ends();
  std::size_t send_at_once(FrameHeader header, std::span<const std::byte> message);
  void send(FrameHeader header, const std::byte* payload, std::uint32_t group,
            std::size_t begun_bytes = 0);
  std::uint64_t carry_consumed(FrameHeader& header) const;
  void note_carried(std::size_t lane, std::uint64_t own);
  Credited& credited(std::size_t lane);
  void grant_credit();
  Status write_out();
  Status left_but_needed() const;
  Status lost() const;
  Status host_lost() const;
  /// Keeps the first error.
  /// The first failure, this one or one before.
  Status fail(Status status) {
    return status.ok() && failure_.ok() ? Status() : fail_with(std::move(status));
  }
  Status fail_with(Status status);

  Identity own_;
  int peer_;
  std::string address_;
  std::size_t window_;
  std::size_t max_message_bytes_;
  std::chrono::milliseconds last_words_;
  std::chrono::milliseconds host_lost_after_;
  std::vector<UniqueFd> data_;
  ControlChannel control_;
  ForkGuard fork_guard_;  ///< of these connections

  Call call_;
  CallHistory& own_calls_;
  CallHistory peer_calls_;
  std::uint64_t announced_ = 0;  ///< number of the call that the peer was told of last
  TcpGroups groups_;
  Outbox outbox_;
  Inbox inbox_;
  std::array<std::byte, kEagerBytes> eager_copy_;  ///< of what send_eager sent last
  /// What recv_eager has taken at once: kernels and users' functions read it there.
  alignas(kCacheLineBytes) std::array<std::byte, kEagerBytes> eager_taken_;
  std::uint32_t eager_sent_ = kNoGroup;      ///< its group, while it isn't written
  std::uint32_t eager_received_ = kNoGroup;  ///< of recv_eager, until released
  int taken_in_row_ = 0;                     ///< messages at once
  bool has_looked_ = false;                  ///< recv_eager has read just now, in vain
  std::vector<Credited> credited_;           ///< by lane
  std::optional<std::uint64_t> left_after_;
  std::optional<Deadline> suspect_since_;  ///< a data connection ended, and nobody said why
  std::uint64_t moved_bytes_ = 0;          ///< both ways, at the last check_host
  int checks_in_wait_ = 0;
  bool write_broken_ = false;
  bool goodbye_sent_ = false;
  Status failure_;
};

}  // namespace rondo::transport
