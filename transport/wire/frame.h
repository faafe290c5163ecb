#pragma once

// Frames of a data connection: a 52-byte header, then the payload. A frame carries the number and
// the fingerprint of the call it belongs to, so that a mismatch shows at the first one.
// Pure: no sockets, no clocks, no allocation but for errors. Threads: one at a time per object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/status.h"
#include "transport/endpoint/call.h"

namespace rondo::transport {

enum class FrameKind : std::uint8_t {
  kData = 1,
  kGoodbye = 2,  ///< the sender leaves after call `sequence`; nothing follows
};

struct FrameHeader {
  FrameKind kind = FrameKind::kData;
  std::uint16_t lane = 0;
  std::uint64_t payload_bytes = 0;
  /// Its number on its lane, modulo 2^32: a lane's messages may come by several connections.
  std::uint32_t message = 0;
  /// How many of the lane's messages the other way the sender has consumed, likewise.
  std::uint32_t consumed = 0;
  Call call;
};

inline constexpr std::size_t kFrameHeaderBytes = 52;

void encode_frame_header(const FrameHeader& header, std::span<std::byte, kFrameHeaderBytes> block);

/// Cuts a stream of frames, in whatever pieces it arrives, into headers and payloads. The payload
/// never passes through here: the driver puts it where it belongs and says how much it put there.
class FrameReader {
 public:
  FrameReader(int peer, std::uint64_t max_payload_bytes)
      : peer_(peer), max_payload_bytes_(max_payload_bytes) {}

  /// While no header is known: takes bytes off the front of `bytes`, at most to the header's end.
  /// True once `header()` is known; the next payload_left() bytes of the stream are its payload.
  /// Errors: Internal (culprit: the peer) for anything but a frame within the agreed limits.
  Result<bool> step(std::span<const std::byte>& bytes);

  bool has_header() const { return has_header_; }
  const FrameHeader& header() const { return header_; }
  std::uint64_t payload_left() const { return payload_left_; }

  /// `bytes` (<= payload_left()) of the payload have been taken from the stream.
  void took_payload(std::uint64_t bytes) { payload_left_ -= bytes; }
  /// The frame is dealt with (its payload taken): the next header follows.
  void next_frame() { has_header_ = false; }
  /// True between two frames: a stream that ends here loses nothing.
  bool at_boundary() const { return !has_header_ && filled_bytes_ == 0; }

 private:
  Status decode(std::span<const std::byte, kFrameHeaderBytes> block);

  int peer_;
  std::uint64_t max_payload_bytes_;
  std::array<std::byte, kFrameHeaderBytes> block_{};
  std::size_t filled_bytes_ = 0;
  bool has_header_ = false;
  FrameHeader header_;
  std::uint64_t payload_left_ = 0;
};

}  // namespace rondo::transport
