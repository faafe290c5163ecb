#pragma once

// The frames that one data connection has taken and not written wholly: header and payload of
// several go out in one system call.
// Threads: one at a time. Allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/tcp/fifo.h"
#include "transport/tcp/socket_io.h"
#include "transport/tcp/staged_view.h"
#include "transport/wire/frame.h"

namespace rondo::transport {

struct OutFrame {
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;

  std::array<std::byte, kFrameHeaderBytes> header{};
  const std::byte* payload = nullptr;
  std::size_t payload_bytes = 0;
  std::size_t written_bytes = 0;  ///< of header and payload together
  std::uint32_t group = kNoGroup;

  std::size_t bytes() const { return kFrameHeaderBytes + payload_bytes; }
};

class OutStream {
 public:
  OutStream() : frames_(kMostFrames) {}

  /// Takes frames off the queue up to so many bytes, at least one if there is room for any.
  void take(Fifo<OutFrame>& queue, std::size_t most_bytes);
  bool empty() const { return frames_.empty(); }
  /// One write; what it has finished is counted off `groups` and added to `sent_bytes`.
  IoResult write(int socket, TcpGroups& groups, std::uint64_t& sent_bytes);

 private:
  static constexpr std::size_t kMostFrames = 8;
  // Copying so little costs less than telling the kernel of its pieces.
  static constexpr std::size_t kMostCopiedBytes = 2048;
  using Pieces = std::array<iovec, 2 * kMostFrames>;

  std::size_t gather(Pieces& pieces);
  void advance(std::size_t written_bytes, TcpGroups& groups, std::uint64_t& sent_bytes);

  Fifo<OutFrame> frames_;
};

}  // namespace rondo::transport
