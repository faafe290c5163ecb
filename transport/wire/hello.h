#pragma once

// The first bytes of every connection. The dialler says who it is and whom it wants in a hello of
// fixed size; the other side answers with a welcome or with the reason for its refusal. Nothing
// else is read before the hello has been checked. Pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/status.h"
#include "transport/endpoint/transport.h"

namespace rondo::transport {

/// Another where what ranks tell each other, or what they share in memory, is another.
inline constexpr std::uint16_t kProtocolVersion = 11;
inline constexpr std::size_t kHelloBytes = 64;
inline constexpr std::size_t kAnswerBytes = 256;

enum class Purpose : std::uint8_t { kControl = 1, kData = 2 };
const char* to_string(Purpose purpose);

/// Who speaks, to whom, and what it can take. Both sides use the smaller of two limits.
struct Hello {
  std::uint16_t version = kProtocolVersion;
  Purpose purpose = Purpose::kControl;
  std::uint8_t socket = 0;  ///< which of several connections of one purpose
  Identity from;            ///< the speaker, with its job, epoch and world
  int to = 0;
  std::uint64_t nonce = 0;  ///< drawn by the dialler; the answer repeats it
  std::uint64_t max_message_bytes = 0;
  std::uint32_t window = 0;
  std::uint8_t data_sockets = 1;
};

std::array<std::byte, kHelloBytes> encode_hello(const Hello& hello);
/// Errors: Internal for bytes that aren't a hello, Mismatch for another protocol version.
Result<Hello> decode_hello(std::span<const std::byte, kHelloBytes> block);
/// Whether `prefix` (the first bytes that came) can still become a hello.
bool may_be_hello(std::span<const std::byte> prefix);

/// A job's number as errors may tell it to a stranger: its last digits only, for whoever knows all
/// of it is let in.
std::string short_job(std::uint64_t job);

/// Whether a connection that says `hello` is meant for `own`.
/// Errors: Mismatch, naming what differs and both values.
Status check_hello(const Hello& hello, const Identity& own);

/// The reply: a welcome carries the answerer's own hello, a refusal only its reason.
struct Answer {
  bool welcome = false;
  Hello hello{};
  std::string reason;  ///< at most 188 bytes travel
};

std::array<std::byte, kAnswerBytes> encode_answer(const Answer& answer);
/// Errors: as decode_hello.
Result<Answer> decode_answer(std::span<const std::byte, kAnswerBytes> block);

}  // namespace rondo::transport
