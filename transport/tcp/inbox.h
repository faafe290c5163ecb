#pragma once

// What arrives on one endpoint's data connections. A payload is read straight to where the posted
// receive wants it; a message that nobody has asked for stays in its socket, where it holds back
// its sender. The one exception: where it stands in the way of another posted receive it is put
// into staging memory, at most a window of messages per lane, so lanes never wait for each other.
// A message of a later call counts as in the way only of lanes that belong to no call.
// Threads: one at a time. Allocates only while queues and staging memory grow.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/unique_fd.h"
#include "transport/tcp/in_lane.h"
#include "transport/tcp/in_stream.h"
#include "transport/tcp/outbox.h"
#include "transport/tcp/staged_view.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {

inline constexpr std::size_t kMaxTcpLanes = 256;

class Inbox {
 public:
  struct Limits {
    std::size_t window = 0;
    std::size_t max_message_bytes = 0;
    std::size_t sockets = 1;
  };
  /// `outbox` is told what the peer has consumed.
  Inbox(int own_rank, int peer, const Limits& limits, TcpGroups& groups, Outbox& outbox,
        CallHistory& peer_calls, const CallHistory& own_calls);

  /// The call that this rank is in; messages of a later one wait.
  void begin(const Call& call) { call_ = call; }
  /// Messages that nobody has asked for are taken in, as if they stood in the way of one: their
  /// sender may not read before it has got rid of them.
  void take_early(bool takes) { takes_early_ = takes; }
  bool takes_early() const { return takes_early_; }
  /// Takes a posted receive; the last of a lane's queue.
  Status expect(std::uint16_t lane, const PostedReceive& posted);

  enum class AtOnce : std::uint8_t {
    kTaken,
    kNothingThere,  ///< a read brought nothing
    kOther,         ///< for `expect` and `pump`, with what has been read
  };
  /// The next message of lane 0, where none of the call is posted, and it is whole and of it after
  /// at most one read of the first connection, is copied to `target`, which has its size: what
  /// `expect` and `pump` do for any message, in a quarter of the instructions. Errors: as `pump`.
  Result<AtOnce> take_at_once(const UniqueFd& first_socket, std::span<std::byte> target);

  /// Reads what is there and wanted, but of each connection's large messages one at a time, so that
  /// it is worked on while the cache has it. Errors: Mismatch, Internal (the peer broke the
  /// protocol).
  Status pump(std::span<const UniqueFd> sockets);
  /// The same to the end of what is there.
  Status drain(std::span<const UniqueFd> sockets);
  /// Deals with what has been read already, without a system call.
  Status pump_buffered();

  /// Receives that are posted and not complete.
  std::size_t posted() const { return posted_; }
  /// Those that belong to a call.
  std::size_t posted_in_call() const { return posted_ - posted_free_; }
  /// That connection is worth reading: it goes on, and its next message is wanted.
  bool reads(std::size_t socket) const;
  /// A message on a free lane has come, or holds its connection up, and nobody has posted a receive
  /// on such a lane.
  bool has_unexpected() const;
  /// The peer said goodbye after this call, and everything before has been read.
  std::optional<std::uint64_t> left_after() const { return left_after_; }
  /// A connection ended without a goodbye.
  bool ended() const;
  /// No connection brings any more.
  bool exhausted() const;
  /// "in the middle of a message (5 of 4096 bytes)", for the error that follows an early end.
  std::string describe_end() const;

  /// Messages of each lane that have reached their receivers.
  std::span<const std::uint64_t> consumed() const { return consumed_; }
  std::uint64_t received_bytes() const { return received_bytes_; }
  /// See Traffic.
  std::uint64_t parted_bytes() const { return parted_bytes_; }
  std::uint64_t parted_ticks() const { return parted_ticks_; }
  Staging& staging() { return staging_; }

 private:
  // What is worth working on before more is read.
  static constexpr std::size_t kLargeBytes = std::size_t{64} * 1024;

  InLane& lane(std::size_t index);
  Status pump(InStream& stream, int socket, std::size_t most_bytes);
  Status pump_buffered(InStream& stream);
  Status step(InStream& stream, bool& moved);
  Result<bool> take_header(InStream& stream);
  Result<bool> read_header(InStream& stream, int socket);
  bool is_next_of_call(const FrameHeader& header, std::size_t bytes) const;
  Result<bool> place(InStream& stream);
  Result<bool> place(InStream& stream, InLane::Entry& entry);
  void take_goodbye(InStream& stream);
  Result<bool> belongs_now(std::size_t lane_index, const Call& theirs) const;
  Status check_order(const Call& theirs) const;
  Status check_size(const PostedReceive& posted, std::size_t message_bytes) const;
  Status finish_message(InStream& stream);
  Status deliver_staged(InLane::Entry& entry);
  void complete(std::uint16_t lane_index);

  int own_rank_;
  int peer_;
  Limits limits_;
  TcpGroups& groups_;
  Outbox& outbox_;
  CallHistory& peer_calls_;
  const CallHistory& own_calls_;
  Call call_;
  std::vector<InStream> streams_;  // by socket
  std::vector<InLane> lanes_;
  std::vector<std::uint64_t> consumed_;
  Staging staging_;
  bool takes_early_ = false;
  std::size_t posted_ = 0;
  std::size_t posted_free_ = 0;  ///< of those, on lanes that belong to no call
  std::optional<std::uint64_t> left_after_;
  std::uint64_t received_bytes_ = 0;
  std::uint64_t parted_bytes_ = 0;
  std::uint64_t parted_ticks_ = 0;
};

}  // namespace rondo::transport
