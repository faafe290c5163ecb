#pragma once

// What one endpoint has yet to write to its data connection: a queue of frames, written header and
// payload together. A lane may be at most `window` messages ahead of what its receiver has
// consumed; what is beyond waits here, so that a lane whose receiver is slow can't fill the
// connection and hold up the others.
// Threads: one at a time. Allocates only while queues grow.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/tcp/fifo.h"
#include "transport/tcp/socket_io.h"
#include "transport/tcp/staged_view.h"
#include "transport/wire/frame.h"

namespace rondo::transport {

class Outbox {
 public:
  Outbox(std::size_t window, TcpGroups& groups) : window_(window), groups_(groups) {}

  /// `payload` stays the caller's until `group` has this transfer completed.
  void send(const FrameHeader& header, const std::byte* payload, std::uint32_t group);
  /// The last frame of the connection.
  void send_goodbye(const Call& last_call);
  /// The peer has consumed `consumed` messages of `lane` since the beginning.
  void credit(std::uint16_t lane, std::uint64_t consumed);

  /// Writes what the socket takes.
  IoResult flush(int socket);
  /// Something waits for the socket.
  bool pending() const { return !queue_.empty(); }
  /// Nothing waits, neither for the socket nor for credit.
  bool empty() const { return queue_.empty() && held_ == 0; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;
  struct Frame {
    std::array<std::byte, kFrameHeaderBytes> header;
    const std::byte* payload = nullptr;
    std::size_t payload_bytes = 0;
    std::size_t written_bytes = 0;  ///< of header and payload together
    std::uint32_t group = kNoGroup;
  };
  struct Lane {
    std::uint64_t sent = 0;
    std::uint64_t consumed = 0;
    Fifo<Frame> held;
  };
  static constexpr std::size_t kFramesPerWrite = 8;

  std::size_t gather(std::array<iovec, 2 * kFramesPerWrite>& pieces);
  void advance(std::size_t written_bytes);

  std::size_t window_;
  TcpGroups& groups_;
  Fifo<Frame> queue_;
  std::vector<Lane> lanes_;
  std::size_t held_ = 0;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace rondo::transport
