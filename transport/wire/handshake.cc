#include "transport/wire/handshake.h"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::transport {
namespace {

using Kind = HandshakeAction::Kind;

HandshakeAction drop(Status why) { return {.kind = Kind::kDrop, .why = std::move(why)}; }

HandshakeAction read_more(std::size_t bytes) { return {.kind = Kind::kRead, .read_bytes = bytes}; }

// Appends to a block that fills in pieces; more than fits is the driver's mistake and is ignored.
void append(std::span<std::byte> block, std::size_t& filled_bytes,
            std::span<const std::byte> bytes) {
  const std::size_t take_bytes = std::min(bytes.size(), block.size() - filled_bytes);
  std::copy_n(bytes.begin(), take_bytes, block.begin() + static_cast<std::ptrdiff_t>(filled_bytes));
  filled_bytes += take_bytes;
}

Status ended_early(const HandshakeEvent& event, const char* what, std::size_t got_bytes) {
  if (std::holds_alternative<DeadlinePassed>(event))
    return Status(ErrorCode::kTimeout,
                  fmt::format("no {} came in time ({} bytes of it did)", what, got_bytes));
  return Status(ErrorCode::kPeerLost,
                fmt::format("the connection ended {} bytes into the {}", got_bytes, what));
}

template <std::size_t N>
std::vector<std::byte> to_vector(const std::array<std::byte, N>& block) {
  return {block.begin(), block.end()};
}

}  // namespace

HandshakeAction refuse(Status why) {
  const auto answer = encode_answer({.welcome = false, .reason = why.message()});
  return {.kind = Kind::kRefuse, .send = to_vector(answer), .why = std::move(why)};
}

HandshakeAction AcceptHandshake::step(const HandshakeEvent& event) {
  const auto* arrived = std::get_if<BytesArrived>(&event);
  if (arrived == nullptr) return drop(ended_early(event, "hello", filled_bytes_));
  append(block_, filled_bytes_, arrived->bytes);
  const auto prefix = std::span<const std::byte>(block_).first(filled_bytes_);
  if (filled_bytes_ < kHelloBytes && may_be_hello(prefix))
    return read_more(kHelloBytes - filled_bytes_);
  return judge();
}

HandshakeAction AcceptHandshake::judge() {
  Result<Hello> hello = decode_hello(block_);
  if (!hello.ok()) {
    // Whatever speaks another protocol wouldn't understand an answer.
    const bool another_version = hello.status().code() == ErrorCode::kMismatch;
    return another_version ? refuse(hello.status()) : drop(hello.status());
  }
  if (Status status = check_hello(*hello, own_.from); !status.ok())
    return refuse(std::move(status));
  if (hello->from.rank < own_.from.rank)
    return refuse(Status(ErrorCode::kMismatch,
                         fmt::format("rank {} dialled rank {}: of each pair the higher rank dials",
                                     hello->from.rank, own_.from.rank)));
  Hello reply = own_;
  reply.to = hello->from.rank;
  reply.purpose = hello->purpose;
  reply.socket = hello->socket;
  reply.nonce = hello->nonce;
  const auto answer = encode_answer({.welcome = true, .hello = reply, .reason = {}});
  return {.kind = Kind::kWelcome, .send = to_vector(answer), .peer = *hello};
}

HandshakeAction DialHandshake::start() const {
  HandshakeAction action = read_more(kAnswerBytes);
  action.send = to_vector(encode_hello(own_));
  return action;
}

HandshakeAction DialHandshake::step(const HandshakeEvent& event) {
  const auto* arrived = std::get_if<BytesArrived>(&event);
  if (arrived == nullptr) return drop(ended_early(event, "answer", filled_bytes_));
  append(block_, filled_bytes_, arrived->bytes);
  if (filled_bytes_ < kAnswerBytes) return read_more(kAnswerBytes - filled_bytes_);
  return judge();
}

HandshakeAction DialHandshake::judge() const {
  Result<Answer> answer = decode_answer(block_);
  if (!answer.ok()) {
    // Dialling again wouldn't bring the two versions together.
    const bool another_version = answer.status().code() == ErrorCode::kMismatch;
    return {.kind = another_version ? Kind::kRefuse : Kind::kDrop, .why = answer.status()};
  }
  if (!answer->welcome)
    return {.kind = Kind::kRefuse, .why = Status(ErrorCode::kMismatch, answer->reason)};
  if (Status status = check_hello(answer->hello, own_.from); !status.ok())
    return drop(std::move(status));
  if (answer->hello.from.rank != own_.to || answer->hello.nonce != own_.nonce)
    return drop(Status(ErrorCode::kMismatch,
                       fmt::format("rank {} answered a hello that was meant for rank {}",
                                   answer->hello.from.rank, own_.to)));
  return {.kind = Kind::kWelcome, .peer = answer->hello};
}

}  // namespace rondo::transport
