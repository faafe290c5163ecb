#pragma once

// What a TcpStore and its server say to each other, as bytes. Pure: whoever owns the socket moves
// them. A connection opens with the client's hello (fixed size: a stranger is known after 24
// bytes) and the server's reply; then the client sends one request at a time and gets one reply.
// Each message is a frame: its length in 4 bytes, little endian, then the fields.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "transport/rendezvous/key_table.h"

namespace rondo::rendezvous {

inline constexpr std::size_t kHelloBytes = 24;
inline constexpr std::size_t kFrameHeaderBytes = 4;
/// Keys that one request may name; a client asks for more in several requests.
inline constexpr std::size_t kMaxRequestKeys = 64;
inline constexpr std::size_t kMaxRequestBytes =
    2 * kMaxValueBytes + kMaxRequestKeys * (kMaxKeyBytes + 4) + 64;
inline constexpr std::size_t kMaxReplyBytes = kMaxRequestKeys * (kMaxValueBytes + 4) + 64 * 1024;

std::string encode_hello(std::uint64_t job);
/// The job of a client; DataLoss where these bytes are no hello, Unsupported for another version.
Result<std::uint64_t> decode_hello(std::string_view bytes);

enum class RequestKind : std::uint8_t {
  kSet = 1,
  kGet,
  kWait,
  kAdd,
  kCompareSet,
  kRemove,
  kWatch,
  kEnterGather,  ///< from here to kLeaveGather the server must not go away
  kLeaveGather,
};

struct Request {
  RequestKind kind = RequestKind::kGet;
  std::vector<std::string> keys{};        ///< kWait, kRemove: up to kMaxRequestKeys; the others one
  std::string value{};                    ///< kSet, kCompareSet: the new value
  std::optional<std::string> expected{};  ///< kCompareSet, kWatch
  std::int64_t delta = 0;                 ///< kAdd
  std::uint32_t timeout_ms = 0;           ///< kWait, kWatch
};

struct Reply {
  ErrorCode code = ErrorCode::kOk;
  std::string message{};              ///< of an error
  std::vector<std::string> values{};  ///< kGet: none or one; kWait after Timeout: the missing keys
  std::int64_t number = 0;            ///< kAdd
};

/// The length to expect after a frame's header; DataLoss where it is over `max_bytes`.
Result<std::size_t> decode_frame_header(std::string_view header, std::size_t max_bytes);

/// With the frame header.
std::string encode_request(const Request& request);
std::string encode_reply(const Reply& reply);
/// Without the frame header. Errors: DataLoss.
Result<Request> decode_request(std::string_view bytes);
Result<Reply> decode_reply(std::string_view bytes);

}  // namespace rondo::rendezvous
