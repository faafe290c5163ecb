#pragma once

// What goes before a message between two ranks: who it is for (its tag), how long it is and how it
// travels. Eager: its bytes follow at once. Request: they follow, on another lane, once the
// receiver has answered that it has a place for them. 24 bytes, little endian. Pure.

#include <cstdint>

#include "core/status.h"
#include "rondo/types.h"
#include "transport/endpoint/call.h"

namespace rondo::execute {

enum class MessageKind : std::uint8_t { kEager = 1, kRequest, kReady };

struct MessageHeader {
  MessageKind kind = MessageKind::kEager;
  DataType type = DataType::kU8;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t id = 0;  ///< of a request and its answer
};

using MessageHeaderBlock = transport::Heading;

MessageHeaderBlock encode(const MessageHeader& header);
/// Errors: DataLoss (culprit: `peer`) for anything but a header.
Result<MessageHeader> decode(const MessageHeaderBlock& block, int peer);

}  // namespace rondo::execute
