#pragma once

// Both sides of the handshake that opens a connection, as state machines: the driver feeds what
// happened (bytes, the deadline, the end of the stream) and does what the action says. Memory is
// bounded by one hello or one answer.
// Pure: no sockets, no clocks. Threads: one at a time per object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/status.h"
#include "transport/wire/hello.h"

namespace rondo::transport {

struct BytesArrived {
  std::span<const std::byte> bytes;  ///< at most as many as the last action asked for
};
struct DeadlinePassed {};
struct StreamEnded {};
using HandshakeEvent = std::variant<BytesArrived, DeadlinePassed, StreamEnded>;

struct HandshakeAction {
  enum class Kind : std::uint8_t {
    kRead,     ///< read at most `read_bytes` more
    kWelcome,  ///< send `send`; the connection belongs to `peer` from then on
    kRefuse,   ///< send `send`, then close: the other side is told `why`
    kDrop,     ///< close; `why` is for the log (a dialler may try again)
  };
  Kind kind = Kind::kRead;
  std::size_t read_bytes = 0;
  std::vector<std::byte> send{};
  Hello peer{};
  Status why{};
};

/// The side that was dialled.
class AcceptHandshake {
 public:
  /// `own.from` is this rank; `own`'s limits are what it can take.
  explicit AcceptHandshake(const Hello& own) : own_(own) {}
  static HandshakeAction start() { return {.read_bytes = kHelloBytes}; }
  HandshakeAction step(const HandshakeEvent& event);

 private:
  HandshakeAction judge();

  Hello own_;
  std::array<std::byte, kHelloBytes> block_{};
  std::size_t filled_bytes_ = 0;
};

/// The side that dials. `kRefuse` means that the other side refused, or speaks another protocol
/// version; there is nothing to send then.
class DialHandshake {
 public:
  explicit DialHandshake(const Hello& own) : own_(own) {}
  HandshakeAction start() const;
  HandshakeAction step(const HandshakeEvent& event);

 private:
  HandshakeAction judge() const;

  Hello own_;
  std::array<std::byte, kAnswerBytes> block_{};
  std::size_t filled_bytes_ = 0;
};

/// Refuses a connection for a reason that only the driver knows.
HandshakeAction refuse(Status why);

}  // namespace rondo::transport
