#pragma once

// What arrives on one endpoint's data connection. A payload is read straight to where the posted
// receive wants it; a message that nobody has asked for stays in the socket, where it holds back
// its sender. The one exception: where it stands in the way of another lane's posted receive it is
// put into staging memory, at most a window of messages per lane, so lanes never wait for each
// other. A message of a later call counts as in the way only of lanes that belong to no call.
// Threads: one at a time. Allocates only while queues and staging memory grow.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/status.h"
#include "transport/tcp/fifo.h"
#include "transport/tcp/socket_io.h"
#include "transport/tcp/staged_view.h"
#include "transport/wire/call_history.h"
#include "transport/wire/frame.h"

namespace rondo::transport {

inline constexpr std::size_t kMaxTcpLanes = 256;

class Inbox {
 public:
  struct Limits {
    std::size_t window = 0;
    std::size_t max_message_bytes = 0;
  };
  struct Posted {
    bool view = false;  ///< to be lent: staging memory of `group`, not `data`
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::uint32_t group = 0;
  };
  Inbox(int own_rank, int peer, const Limits& limits, TcpGroups& groups, CallHistory& peer_calls,
        const CallHistory& own_calls);

  /// The call that this rank is in; messages of a later one wait.
  void begin(const Call& call) { call_ = call; }
  /// Takes a posted receive; the last of a lane's queue.
  Status expect(std::uint16_t lane, const Posted& posted);

  /// Reads what is there and wanted. Errors: Mismatch, Internal (the peer broke the protocol).
  Status pump(int socket);
  /// Deals with what has been read already, without a system call.
  Status pump_buffered();

  /// Receives that are posted and not complete.
  std::size_t posted() const { return posted_; }
  /// Nothing is read for now: the message at the head of the socket isn't wanted yet.
  bool stalled() const { return reader_.has_header() && !placed_; }
  /// The peer said goodbye after this call, and everything before has been read.
  std::optional<std::uint64_t> left_after() const { return left_after_; }
  /// The connection ended without a goodbye.
  bool ended() const { return ended_; }
  /// "in the middle of a message (5 of 4096 bytes)", for the error that follows an early end.
  std::string describe_end() const;

  /// Messages of each lane that have reached their receivers.
  std::span<const std::uint64_t> consumed() const { return consumed_; }
  std::uint64_t received_bytes() const { return received_bytes_; }
  Staging& staging() { return staging_; }

 private:
  struct Early {
    std::uint32_t slot = 0;
    std::size_t bytes = 0;
    Call call;
  };
  struct Lane {
    Fifo<Posted> posted;
    Fifo<Early> early;
  };
  // Small messages come out of one read together with the next headers; of a large message at most
  // this much is copied once more.
  static constexpr std::size_t kReadAheadBytes = 8192;

  Lane& lane(std::size_t index);
  Status step(bool& moved);
  bool fill(int socket);
  Result<bool> place();
  Result<bool> belongs_now(std::size_t lane_index, const Call& theirs) const;
  Status check_order(const Call& theirs) const;
  Status check_size(const Posted& posted, std::size_t message_bytes) const;
  Result<bool> stage(std::size_t bytes);
  void set_target(std::uint32_t slot, std::byte* target);
  bool copy_buffered();
  Status finish_message();
  Status deliver_early(std::uint16_t lane_index, const Early& early);
  void complete(std::uint16_t lane_index, std::uint32_t group);

  int own_rank_;
  int peer_;
  Limits limits_;
  TcpGroups& groups_;
  CallHistory& peer_calls_;
  const CallHistory& own_calls_;
  Call call_;
  FrameReader reader_;
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> consumed_;
  Staging staging_;
  std::size_t posted_ = 0;
  std::size_t posted_free_ = 0;  ///< of those, on lanes that belong to no call

  bool placed_ = false;          ///< the message being read has a target
  bool early_ = false;           ///< that target is staging memory, for nobody yet
  std::byte* target_ = nullptr;  ///< where its next byte goes
  std::uint32_t slot_ = Staging::kNone;

  std::array<std::byte, kReadAheadBytes> ahead_;
  std::size_t ahead_begin_ = 0;
  std::size_t ahead_end_ = 0;

  std::optional<std::uint64_t> left_after_;
  bool ended_ = false;
  int end_error_ = 0;
  std::uint64_t received_bytes_ = 0;
};

}  // namespace rondo::transport
