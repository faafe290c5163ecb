#include "transport/wire/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "transport/wire/byte_codec.h"
#include "transport/wire/protocol_error.h"

namespace rondo::transport {
namespace {

constexpr std::uint32_t kFrameMagic = 0x46444e52;  // "RNDF"

bool known(std::uint8_t kind) { return kind == 1 || kind == 2; }

}  // namespace

void encode_frame_header(const FrameHeader& header, std::span<std::byte, kFrameHeaderBytes> block) {
  ByteWriter writer(block);
  writer.put(kFrameMagic);
  writer.put(static_cast<std::uint8_t>(header.kind));
  writer.put(std::uint8_t{0});  // flags: none yet
  writer.put(header.lane);
  writer.put(header.payload_bytes);
  writer.put(header.call.sequence);
  writer.put(header.call.epoch);
  writer.put(header.message);
  writer.put(header.consumed);
  writer.put(header.call.fingerprint);
}

Result<bool> FrameReader::step(std::span<const std::byte>& bytes) {
  if (has_header_) return true;
  if (filled_bytes_ == 0 && bytes.size() >= kFrameHeaderBytes) {
    const auto block = bytes.first<kFrameHeaderBytes>();
    bytes = bytes.subspan(kFrameHeaderBytes);
    RONDO_TRY(decode(block));
    return true;
  }
  const std::size_t take_bytes = std::min(bytes.size(), kFrameHeaderBytes - filled_bytes_);
  std::copy_n(bytes.begin(), take_bytes,
              block_.begin() + static_cast<std::ptrdiff_t>(filled_bytes_));
  filled_bytes_ += take_bytes;
  bytes = bytes.subspan(take_bytes);
  if (filled_bytes_ < kFrameHeaderBytes) return false;
  filled_bytes_ = 0;
  RONDO_TRY(decode(block_));
  return true;
}

Status FrameReader::decode(std::span<const std::byte, kFrameHeaderBytes> block) {
  ByteReader reader(block);
  const auto magic = reader.get<std::uint32_t>();
  const auto kind = reader.get<std::uint8_t>();
  const auto flags = reader.get<std::uint8_t>();
  header_.lane = reader.get<std::uint16_t>();
  header_.payload_bytes = reader.get<std::uint64_t>();
  header_.call.sequence = reader.get<std::uint64_t>();
  header_.call.epoch = reader.get<std::uint32_t>();
  header_.message = reader.get<std::uint32_t>();
  header_.consumed = reader.get<std::uint32_t>();
  header_.call.fingerprint = reader.get_fingerprint();
  if (magic != kFrameMagic)
    return protocol_error(
        peer_, fmt::format("a frame starts with {:#010x}, not {:#010x}", magic, kFrameMagic));
  if (!known(kind) || flags != 0)
    return protocol_error(peer_,
                          fmt::format("frame of unknown kind {} (flags {:#x})", kind, flags));
  if (header_.payload_bytes > max_payload_bytes_)
    return protocol_error(peer_, fmt::format("frame of {} bytes where at most {} were agreed",
                                             header_.payload_bytes, max_payload_bytes_));
  header_.kind = static_cast<FrameKind>(kind);
  payload_left_ = header_.payload_bytes;
  has_header_ = true;
  return {};
}

}  // namespace rondo::transport
