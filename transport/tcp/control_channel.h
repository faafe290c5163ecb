#pragma once

// One endpoint's control connection. What can't be written at once is given up: each kind of
// message either replaces an older one (credits, announcements) or is best effort (abort).
// Threads: one at a time.

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/status.h"
#include "core/unique_fd.h"
#include "transport/wire/control.h"

namespace rondo::transport {

class ControlChannel {
 public:
  ControlChannel(UniqueFd socket, int peer, std::uint32_t epoch)
      : socket_(std::move(socket)), epoch_(epoch), reader_(peer, epoch) {}

  /// False if the socket is full or gone: the message wasn't taken.
  bool send(const ControlMessage& message);
  /// Writes on with a message that the socket took half of. False if some of it is still waiting.
  bool flush();

  /// The next message that came; nothing if none is there.
  Result<std::optional<ControlMessage>> next();
  /// The peer closed the connection, or it broke; nothing more will come.
  bool ended() const { return ended_; }
  /// The socket was full, and that hasn't been made good.
  bool wants_write() const { return wants_write_; }

  int socket() const { return socket_.get(); }

 private:
  UniqueFd socket_;
  std::uint32_t epoch_;
  ControlReader reader_;
  std::array<std::byte, 1024> input_;
  std::span<const std::byte> unread_;
  std::array<std::byte, kMaxControlBytes> output_;
  std::span<const std::byte> unwritten_;
  bool ended_ = false;
  bool wants_write_ = false;
};

}  // namespace rondo::transport
