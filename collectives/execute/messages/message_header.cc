#include "collectives/execute/messages/message_header.h"

#include <fmt/format.h>

#include "transport/wire/byte_codec.h"

namespace rondo::execute {

/// Kind, type, two bytes of nothing and the tag in one word: what is read as a whole, as lines of
/// shared memory are, before its parts have left the core, waits for them.
MessageHeaderBlock encode(const MessageHeader& header) {
  MessageHeaderBlock block;
  transport::ByteWriter writer(block);
  writer.put(std::uint64_t{static_cast<std::uint8_t>(header.kind)} |
             std::uint64_t{static_cast<std::uint8_t>(header.type)} << 8 |
             std::uint64_t{static_cast<std::uint32_t>(header.tag)} << 32);
  writer.put(header.bytes);
  writer.put(header.id);
  return block;
}

Result<MessageHeader> decode(const MessageHeaderBlock& block, int peer) {
  transport::ByteReader reader(block);
  const auto kind = reader.get<std::uint8_t>();
  const auto type = reader.get<std::uint8_t>();
  reader.get<std::uint16_t>();
  MessageHeader header;
  header.kind = static_cast<MessageKind>(kind);
  header.type = static_cast<DataType>(type);
  header.tag = reader.get_int();
  header.bytes = reader.get<std::uint64_t>();
  header.id = reader.get<std::uint64_t>();
  const bool known = kind >= static_cast<std::uint8_t>(MessageKind::kEager) &&
                     kind <= static_cast<std::uint8_t>(MessageKind::kReady) &&
                     type <= static_cast<std::uint8_t>(DataType::kF64);
  if (known) return header;
  return Status(
      ErrorCode::kDataLoss,
      fmt::format("rank {} sent a damaged message header: kind {}, type {}", peer, kind, type),
      peer);
}

}  // namespace rondo::execute
