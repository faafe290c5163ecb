#include "transport/wire/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "transport/wire/byte_codec.h"
#include "transport/wire/protocol_error.h"

namespace rondo::transport {
namespace {

constexpr std::uint32_t kControlMagic = 0x43444e52;  // "RNDC"

// The variant's index plus one is the kind on the wire.
enum Kind : std::uint8_t { kCall = 1, kAbort = 2, kGoodbye = 3, kCredit = 4 };

constexpr std::size_t kCallBodyBytes = 24;
constexpr std::size_t kAbortFixedBytes = 8;
constexpr std::size_t kGoodbyeBodyBytes = 8;
constexpr std::size_t kCreditBodyBytes = 16;

bool plausible(std::uint8_t kind, std::size_t body_bytes) {
  switch (kind) {
    case kCall: return body_bytes == kCallBodyBytes;
    case kAbort:
      return body_bytes >= kAbortFixedBytes && body_bytes <= kAbortFixedBytes + kMaxAbortTextBytes;
    case kGoodbye: return body_bytes == kGoodbyeBodyBytes;
    case kCredit: return body_bytes == kCreditBodyBytes;
    default: return false;
  }
}

// Writes the body of one kind and returns its length.
struct BodyWriter {
  std::span<std::byte> body;

  std::size_t operator()(const CallAnnouncement& call) const {
    ByteWriter writer(body);
    writer.put(call.sequence);
    writer.put(call.fingerprint);
    return kCallBodyBytes;
  }
  std::size_t operator()(const AbortNotice& notice) const {
    ByteWriter writer(body);
    writer.put(static_cast<std::int32_t>(notice.code));
    writer.put(static_cast<std::int32_t>(notice.culprit));
    const std::size_t text_bytes = std::min(notice.text.size(), kMaxAbortTextBytes);
    std::memcpy(body.data() + kAbortFixedBytes, notice.text.data(), text_bytes);
    return kAbortFixedBytes + text_bytes;
  }
  std::size_t operator()(const Goodbye& goodbye) const {
    ByteWriter(body).put(goodbye.sequence);
    return kGoodbyeBodyBytes;
  }
  std::size_t operator()(const Credit& credit) const {
    ByteWriter writer(body);
    writer.put(std::uint64_t{credit.lane});
    writer.put(credit.consumed);
    return kCreditBodyBytes;
  }
};

AbortNotice read_abort(std::span<const std::byte> body) {
  ByteReader reader(body);
  AbortNotice notice;
  const std::int32_t code = reader.get_int();
  const bool known = code > static_cast<std::int32_t>(ErrorCode::kOk) &&
                     code <= static_cast<std::int32_t>(ErrorCode::kCancelled);
  notice.code = known ? static_cast<ErrorCode>(code) : ErrorCode::kInternal;
  notice.culprit = reader.get_int();
  const auto text = body.subspan(kAbortFixedBytes);
  notice.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return notice;
}

constexpr std::string_view kGaveUp = " gave up: ";
/// Behind a text that was too long.
constexpr std::string_view kCut = "...";

/// Whether `text` was made by abort_status: the reason went through several ranks, and the first of
/// them is the one to name.
bool is_hearsay(std::string_view text) {
  if (!text.starts_with("rank ")) return false;
  text.remove_prefix(std::min(text.size(), text.find_first_not_of("0123456789", 5)));
  return text.starts_with(kGaveUp);
}

}  // namespace

std::size_t encode_control(const ControlMessage& message, std::uint32_t epoch,
                           std::span<std::byte, kMaxControlBytes> block) {
  const std::size_t body_bytes = std::visit(BodyWriter{block.subspan(kControlHeadBytes)}, message);
  ByteWriter head(block.first(kControlHeadBytes));
  head.put(kControlMagic);
  head.put(static_cast<std::uint32_t>(message.index() + 1));
  head.put(epoch);
  head.put(static_cast<std::uint32_t>(body_bytes));
  return kControlHeadBytes + body_bytes;
}

Result<std::optional<ControlMessage>> ControlReader::step(std::span<const std::byte>& bytes) {
  if (filled_bytes_ < kControlHeadBytes) {
    fill(bytes, kControlHeadBytes);
    if (filled_bytes_ < kControlHeadBytes) return std::optional<ControlMessage>();
    RONDO_TRY(read_head());
  }
  fill(bytes, kControlHeadBytes + body_bytes_);
  if (filled_bytes_ < kControlHeadBytes + body_bytes_) return std::optional<ControlMessage>();
  filled_bytes_ = 0;
  return read_body();
}

void ControlReader::fill(std::span<const std::byte>& bytes, std::size_t wanted_bytes) {
  const std::size_t take_bytes = std::min(bytes.size(), wanted_bytes - filled_bytes_);
  if (take_bytes == 0) return;
  std::memcpy(block_.data() + filled_bytes_, bytes.data(), take_bytes);
  filled_bytes_ += take_bytes;
  bytes = bytes.subspan(take_bytes);
}

Status ControlReader::read_head() {
  ByteReader reader{std::span<const std::byte>(block_).first(kControlHeadBytes)};
  const auto magic = reader.get<std::uint32_t>();
  const auto kind = reader.get<std::uint32_t>();
  const auto epoch = reader.get<std::uint32_t>();
  const auto body_bytes = reader.get<std::uint32_t>();
  if (magic != kControlMagic)
    return protocol_error(peer_, fmt::format("a control message starts with {:#010x}, not {:#010x}",
                                             magic, kControlMagic));
  if (kind > kCredit || !plausible(static_cast<std::uint8_t>(kind), body_bytes))
    return protocol_error(
        peer_, fmt::format("control message of unknown kind {} with {} bytes", kind, body_bytes));
  if (epoch != epoch_)
    return protocol_error(
        peer_, fmt::format("control message of epoch {}, this is epoch {}", epoch, epoch_));
  kind_ = static_cast<std::uint8_t>(kind);
  body_bytes_ = body_bytes;
  return {};
}

Result<std::optional<ControlMessage>> ControlReader::read_body() {
  const auto body = std::span<const std::byte>(block_).subspan(kControlHeadBytes, body_bytes_);
  ByteReader reader(body);
  switch (kind_) {
    case kCall: {
      CallAnnouncement call;
      call.sequence = reader.get<std::uint64_t>();
      call.fingerprint = reader.get_fingerprint();
      return std::optional<ControlMessage>(call);
    }
    case kAbort: return std::optional<ControlMessage>(read_abort(body));
    case kGoodbye: return std::optional<ControlMessage>(Goodbye{reader.get<std::uint64_t>()});
    default: break;
  }
  const auto lane = reader.get<std::uint64_t>();
  const auto consumed = reader.get<std::uint64_t>();
  if (lane > UINT16_MAX) return protocol_error(peer_, fmt::format("credit for lane {}", lane));
  return std::optional<ControlMessage>(Credit{static_cast<std::uint16_t>(lane), consumed});
}

bool is_hearsay(const Status& status) { return is_hearsay(status.message()); }

AbortNotice abort_notice(const Status& cause) {
  AbortNotice notice{cause.code(), cause.culprit(), cause.message()};
  if (!cause.where().empty() && !is_hearsay(notice.text))
    notice.text += fmt::format(" [{}]", cause.where());
  if (notice.text.size() > kMaxAbortTextBytes)
    notice.text.replace(kMaxAbortTextBytes - kCut.size(), std::string::npos, kCut);
  return notice;
}

Status abort_status(const AbortNotice& notice, int from) {
  if (is_hearsay(notice.text)) return Status(notice.code, notice.text, notice.culprit);
  return Status(notice.code, fmt::format("rank {}{}{}", from, kGaveUp, notice.text),
                notice.culprit);
}

}  // namespace rondo::transport
