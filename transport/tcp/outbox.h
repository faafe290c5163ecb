#pragma once

// What one endpoint has yet to write to its data connections: a queue of frames, of which each
// connection takes the next whenever it has room. A lane may be at most its window (window_of_lane)
// of messages ahead of what its receiver has consumed; what is beyond waits here, so that a lane
// whose receiver is slow can't fill the connections and hold up the others.
// Threads: one at a time. Allocates only while queues grow.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/unique_fd.h"
#include "transport/tcp/out_stream.h"

namespace rondo::transport {

class Outbox {
 public:
  /// `zero_copy_bytes` as in TcpOptions.
  Outbox(std::size_t window, std::size_t sockets, TcpGroups& groups,
         std::size_t zero_copy_bytes = 0)
      : window_(window), groups_(groups), streams_(sockets, OutStream(zero_copy_bytes)) {}

  /// `payload` stays the caller's until `group` has this transfer completed. Numbers the message.
  /// False where it waits for credit. `begun_bytes`: what `send_at_once` has written of it.
  bool send(FrameHeader header, const std::byte* payload, std::uint32_t group,
            std::size_t begun_bytes = 0);
  /// The same of a message that nothing goes before, in one write without the queue. Returns what
  /// has been written, header and payload; where that isn't all of it, whatever the reason, `send`
  /// has to follow with it. Nothing of messages that are long or lent.
  std::size_t send_at_once(FrameHeader header, std::span<const std::byte> payload,
                           const UniqueFd& first_socket);
  /// The last frame of every connection.
  void send_goodbye(const Call& last_call);
  /// The peer has consumed `consumed` messages of `lane` since the beginning.
  void credit(std::uint16_t lane, std::uint64_t consumed);
  /// The same, modulo 2^32.
  void credit_modulo(std::uint16_t lane, std::uint32_t consumed);
  /// Messages of a lane that have got past the wait for credit, and those the peer has consumed.
  std::uint64_t sent(std::uint16_t lane) const { return lanes_[lane].sent; }
  std::uint64_t consumed(std::uint16_t lane) const {
    return lane < lanes_.size() ? lanes_[lane].consumed : 0;
  }

  /// Writes what the sockets take; false once one of them is broken.
  bool flush(std::span<const UniqueFd> sockets);
  /// Something waits for that socket, or for any.
  bool pending(std::size_t socket) const { return !streams_[socket].empty(); }
  bool pending() const;
  /// Something written is lent: the kernel will say by an error event that it has read it.
  bool lends(std::size_t socket) const { return streams_[socket].lends(); }
  bool lends() const;
  /// Takes in what the kernel has read of that.
  void collect(std::span<const UniqueFd> sockets);
  /// Nothing waits, neither for a socket nor for credit.
  bool empty() const { return !pending() && held_ == 0; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  // To copy so little beside its header costs less than telling the kernel of two pieces.
  static constexpr std::size_t kAtOnceBytes = 2048;
  // Of several connections none takes more at once: the others would have nothing to do.
  static constexpr std::size_t kShareBytes = std::size_t{128} * 1024;

  struct Lane {
    std::uint32_t numbered = 0;
    std::uint64_t sent = 0;
    std::uint64_t consumed = 0;
    Fifo<OutFrame> held;
  };

  bool has_credit(const Lane& lane, std::uint16_t index) const;

  std::size_t window_;
  TcpGroups& groups_;
  Fifo<OutFrame> queue_;
  std::vector<OutStream> streams_;  // by socket
  std::vector<Lane> lanes_;
  std::size_t held_ = 0;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace rondo::transport
