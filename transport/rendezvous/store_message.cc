#include "transport/rendezvous/store_message.h"

#include <fmt/format.h>

#include <utility>

#include "transport/rendezvous/byte_fields.h"

namespace rondo::rendezvous {
namespace {

constexpr std::string_view kMagic = "\x89RONDO-STORE\n";
constexpr std::uint8_t kVersion = 2;
constexpr std::size_t kMaxMessageBytes = 32 * 1024;

std::string framed(std::string body) {
  return FieldWriter().number(static_cast<std::uint32_t>(body.size())).take() + std::move(body);
}

Status damaged(const char* what) {
  return Status(ErrorCode::kDataLoss, std::string("the bytes are no ") + what + " of the store");
}

std::vector<std::string> read_texts(FieldReader& in, std::size_t max_bytes) {
  std::vector<std::string> texts;
  const auto count = in.number<std::uint8_t>();
  for (int i = 0; i < count && in.ok(); ++i) texts.push_back(in.text(max_bytes));
  return texts;
}

void write_texts(FieldWriter& out, const std::vector<std::string>& texts) {
  out.number(static_cast<std::uint8_t>(texts.size()));
  for (const auto& text : texts) out.text(text);
}

/// How many keys a request of this kind names; nothing for an unknown kind.
std::optional<std::pair<std::size_t, std::size_t>> key_count_range(RequestKind kind) {
  switch (kind) {
    case RequestKind::kSet:
    case RequestKind::kGet:
    case RequestKind::kAdd:
    case RequestKind::kCompareSet:
    case RequestKind::kWatch: return {{1, 1}};
    case RequestKind::kRemove:
    case RequestKind::kWait: return {{1, kMaxRequestKeys}};
    case RequestKind::kEnterGather:
    case RequestKind::kLeaveGather: return {{0, 0}};
  }
  return std::nullopt;
}

}  // namespace

std::string encode_hello(std::uint64_t job) {
  FieldWriter out;
  for (const char c : kMagic) out.number(static_cast<std::uint8_t>(c));
  out.number(kVersion).number(job);
  std::string hello = out.take();
  hello.resize(kHelloBytes, '\0');
  return hello;
}

Result<std::uint64_t> decode_hello(std::string_view bytes) {
  if (bytes.size() != kHelloBytes || !bytes.starts_with(kMagic)) return damaged("hello");
  FieldReader in(bytes.substr(kMagic.size()));
  if (const auto version = in.number<std::uint8_t>(); version != kVersion) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("the store speaks version {}, the client version {}: use the same "
                              "Rondo for all processes",
                              kVersion, version));
  }
  return in.number<std::uint64_t>();
}

Result<std::size_t> decode_frame_header(std::string_view header, std::size_t max_bytes) {
  FieldReader in(header);
  const std::size_t bytes = in.number<std::uint32_t>();
  if (in.done() && bytes <= max_bytes) return bytes;
  return Status(ErrorCode::kDataLoss,
                fmt::format("a message of {} bytes, over the limit of {}", bytes, max_bytes));
}

std::string encode_request(const Request& request) {
  FieldWriter out;
  out.number(static_cast<std::uint8_t>(request.kind));
  write_texts(out, request.keys);
  out.text(request.value);
  out.number(static_cast<std::uint8_t>(request.expected.has_value()));
  out.text(request.expected.value_or(""));
  out.number(static_cast<std::uint64_t>(request.delta)).number(request.timeout_ms);
  return framed(out.take());
}

Result<Request> decode_request(std::string_view bytes) {
  FieldReader in(bytes);
  Request request;
  request.kind = static_cast<RequestKind>(in.number<std::uint8_t>());
  request.keys = read_texts(in, kMaxKeyBytes);
  request.value = in.text(kMaxValueBytes);
  const bool expects = in.number<std::uint8_t>() != 0;
  std::string expected = in.text(kMaxValueBytes);
  if (expects) request.expected = std::move(expected);
  request.delta = static_cast<std::int64_t>(in.number<std::uint64_t>());
  request.timeout_ms = in.number<std::uint32_t>();
  const auto range = key_count_range(request.kind);
  if (!in.done() || !range) return damaged("request");
  if (request.keys.size() < range->first || request.keys.size() > range->second) {
    return damaged("request");
  }
  for (const auto& key : request.keys) RONDO_TRY(check_key(key));
  return request;
}

std::string encode_reply(const Reply& reply) {
  FieldWriter out;
  out.number(static_cast<std::uint8_t>(reply.code));
  out.text(std::string_view(reply.message).substr(0, kMaxMessageBytes));
  write_texts(out, reply.values);
  out.number(static_cast<std::uint64_t>(reply.number));
  return framed(out.take());
}

Result<Reply> decode_reply(std::string_view bytes) {
  FieldReader in(bytes);
  Reply reply;
  const auto code = in.number<std::uint8_t>();
  reply.message = in.text(kMaxMessageBytes);
  reply.values = read_texts(in, kMaxValueBytes);
  reply.number = static_cast<std::int64_t>(in.number<std::uint64_t>());
  if (!in.done() || code > static_cast<std::uint8_t>(ErrorCode::kInternal)) {
    return damaged("reply");
  }
  reply.code = static_cast<ErrorCode>(code);
  return reply;
}

}  // namespace rondo::rendezvous
