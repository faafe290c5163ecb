#pragma once

// What two ranks tell each other beside the data: a call they wait in, that they give up, that they
// leave, and how much they have consumed. Messages are a 16-byte head and a body of at most 520
// bytes, little endian, and can travel over any byte stream.
// Pure: no sockets, no clocks. Threads: one at a time per object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "core/status.h"
#include "transport/endpoint/call.h"

namespace rondo::transport {

/// The sender waits in call `sequence`.
struct CallAnnouncement {
  std::uint64_t sequence = 0;
  Fingerprint fingerprint;
};

/// The sender gives up, and why.
struct AbortNotice {
  ErrorCode code = ErrorCode::kInternal;
  int culprit = kNoCulprit;
  std::string text;  ///< cut to kMaxAbortTextBytes, "..." at the end then
};

/// The sender has destroyed its communicator after call `sequence`.
struct Goodbye {
  std::uint64_t sequence = 0;
};

/// The sender has consumed `consumed` messages of `lane` since the connection was made.
struct Credit {
  std::uint16_t lane = 0;
  std::uint64_t consumed = 0;
};

using ControlMessage = std::variant<CallAnnouncement, AbortNotice, Goodbye, Credit>;

inline constexpr std::size_t kControlHeadBytes = 16;
inline constexpr std::size_t kMaxAbortTextBytes = 512;
inline constexpr std::size_t kMaxControlBytes = kControlHeadBytes + 8 + kMaxAbortTextBytes;

/// Writes one message of membership `epoch` to `block`; the bytes it took.
std::size_t encode_control(const ControlMessage& message, std::uint32_t epoch,
                           std::span<std::byte, kMaxControlBytes> block);

/// Cuts a stream of control messages, in whatever pieces it arrives, into messages.
class ControlReader {
 public:
  ControlReader(int peer, std::uint32_t epoch) : peer_(peer), epoch_(epoch) {}

  /// Takes bytes off the front of `bytes`, at most to the end of one message, and returns that
  /// message; nothing if `bytes` ran out first. Call until `bytes` is empty.
  /// Errors: Internal (culprit: the peer) for anything that isn't a control message of this epoch;
  /// the stream is unusable then.
  Result<std::optional<ControlMessage>> step(std::span<const std::byte>& bytes);

 private:
  void fill(std::span<const std::byte>& bytes, std::size_t wanted_bytes);
  Status read_head();
  Result<std::optional<ControlMessage>> read_body();

  int peer_;
  std::uint32_t epoch_;
  std::array<std::byte, kMaxControlBytes> block_{};
  std::size_t filled_bytes_ = 0;
  std::uint8_t kind_ = 0;
  std::size_t body_bytes_ = 0;
};

/// What to tell peers about `cause`: code, culprit, and the text with the place where it happened.
AbortNotice abort_notice(const Status& cause);
/// Whether `status` is what abort_status made: the reason of another rank, which says where it was.
bool is_hearsay(const Status& status);
/// What a rank reports that learns of `notice`: same code and culprit, "rank 2 gave up: ...".
Status abort_status(const AbortNotice& notice, int from);

}  // namespace rondo::transport
