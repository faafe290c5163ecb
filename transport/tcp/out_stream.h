#pragma once

// The frames that one data connection has taken and not written wholly: header and payload of
// several go out in one system call.
// Threads: one at a time. Allocates only while more frames are lent than ever before.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/tcp/fifo.h"
#include "transport/tcp/socket_io.h"
#include "transport/tcp/staged_view.h"
#include "transport/tcp/zero_copy.h"
#include "transport/wire/frame.h"

namespace rondo::transport {

struct OutFrame {
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;

  std::array<std::byte, kFrameHeaderBytes> header{};
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
  std::size_t written_bytes = 0;  ///< of header and payload together
  std::uint32_t group = kNoGroup;
  std::uint64_t lent_until = 0;  ///< the connection's last send that lent payload, counted from 1

  std::size_t bytes() const { return kFrameHeaderBytes + payload_bytes; }
};

class OutStream {
 public:
  /// Payloads of at least `zero_copy_bytes` are lent to the kernel instead of copied; 0: none.
  explicit OutStream(std::size_t zero_copy_bytes)
      : frames_(kMostFrames), lender_(zero_copy_bytes) {}

  /// Takes frames off the queue up to so many bytes, at least one if there is room for any.
  void take(Fifo<OutFrame>& queue, std::size_t most_bytes);
  bool empty() const { return frames_.empty(); }
  /// A frame of which a part is written already; there is none before it.
  void go_on_with(const OutFrame& frame) { frames_.push(frame); }
  /// Payloads of so many bytes aren't lent.
  bool copies(std::size_t bytes) const { return !lender_.is_for(bytes); }
  /// One write; what it has finished is counted off `groups` and added to `sent_bytes`.
  IoResult write(int socket, TcpGroups& groups, std::uint64_t& sent_bytes);
  /// Something was sent that the kernel may not have read yet: it says so by an error event.
  bool lends() const { return !lender_.all_read(); }
  /// What the kernel has read is counted off `groups`.
  void collect(int socket, TcpGroups& groups);

 private:
  static constexpr std::size_t kMostFrames = 8;
  // Copying so little costs less than telling the kernel of its pieces.
  static constexpr std::size_t kMostCopiedBytes = 2048;
  using Pieces = std::array<iovec, 2 * kMostFrames>;

  struct Lent {
    std::uint32_t group = OutFrame::kNoGroup;
    std::uint64_t until = 0;
  };

  struct Gathered {
    std::size_t count = 0;
    bool lent_next = false;  ///< the last piece is a header whose payload is to be lent
  };

  Gathered gather(Pieces& pieces);
  IoResult write_gathered(int socket);
  IoResult lend(int socket, OutFrame& frame);
  void advance(std::size_t written_bytes, TcpGroups& groups, std::uint64_t& sent_bytes);
  static void complete(std::uint32_t group, TcpGroups& groups);

  Fifo<OutFrame> frames_;
  ZeroCopy lender_;
  Fifo<Lent> lent_;  // whole frames, by the kernel's turn
};

}  // namespace rondo::transport
