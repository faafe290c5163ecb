#include "transport/wire/hello.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "transport/wire/byte_codec.h"

namespace rondo::transport {
namespace {

constexpr std::uint32_t kHelloMagic = 0x4f444e52;   // "RNDO"
constexpr std::uint32_t kAnswerMagic = 0x41444e52;  // "RNDA"
constexpr std::size_t kReasonOffset = kHelloBytes + 4;
constexpr std::size_t kMaxReasonBytes = kAnswerBytes - kReasonOffset;

void write_block(std::uint32_t magic, const Hello& hello, std::span<std::byte> block) {
  ByteWriter writer(block);
  writer.put(magic);
  writer.put(hello.version);
  writer.put(static_cast<std::uint8_t>(hello.purpose));
  writer.put(hello.socket);
  writer.put(hello.from.job);
  writer.put(hello.from.epoch);
  writer.put(static_cast<std::int32_t>(hello.from.rank));
  writer.put(static_cast<std::int32_t>(hello.to));
  writer.put(static_cast<std::int32_t>(hello.from.world));
  writer.put(hello.nonce);
  writer.put(hello.max_message_bytes);
  writer.put(hello.window);
  writer.put(hello.data_sockets);
}

Result<Hello> read_block(std::uint32_t expected_magic, std::span<const std::byte> block) {
  ByteReader reader(block);
  const auto magic = reader.get<std::uint32_t>();
  if (magic != expected_magic)
    return Status(ErrorCode::kInternal, fmt::format("the connection starts with {:#010x}, a Rondo "
                                                    "rank would say {:#010x}",
                                                    magic, expected_magic));
  Hello hello;
  hello.version = reader.get<std::uint16_t>();
  if (hello.version != kProtocolVersion)
    return Status(
        ErrorCode::kMismatch,
        fmt::format("the other side speaks protocol version {}, this rank version {}: use "
                    "the same build of Rondo on all ranks",
                    hello.version, kProtocolVersion));
  const auto purpose = reader.get<std::uint8_t>();
  if (purpose != 1 && purpose != 2)
    return Status(ErrorCode::kInternal, fmt::format("unknown purpose {} in a hello", purpose));
  hello.purpose = static_cast<Purpose>(purpose);
  hello.socket = reader.get<std::uint8_t>();
  hello.from.job = reader.get<std::uint64_t>();
  hello.from.epoch = reader.get<std::uint32_t>();
  hello.from.rank = reader.get_int();
  hello.to = reader.get_int();
  hello.from.world = reader.get_int();
  hello.nonce = reader.get<std::uint64_t>();
  hello.max_message_bytes = reader.get<std::uint64_t>();
  hello.window = reader.get<std::uint32_t>();
  hello.data_sockets = reader.get<std::uint8_t>();
  if (!reader.ok()) return Status(ErrorCode::kInternal, "a hello is cut short");
  return hello;
}

Status differs(const char* what, const std::string& theirs, const std::string& ours) {
  return Status(ErrorCode::kMismatch, fmt::format("the dialler is of {} {}, this rank of {} {}",
                                                  what, theirs, what, ours));
}

}  // namespace

const char* to_string(Purpose purpose) { return purpose == Purpose::kControl ? "control" : "data"; }

std::array<std::byte, kHelloBytes> encode_hello(const Hello& hello) {
  std::array<std::byte, kHelloBytes> block{};
  write_block(kHelloMagic, hello, block);
  return block;
}

Result<Hello> decode_hello(std::span<const std::byte, kHelloBytes> block) {
  return read_block(kHelloMagic, block);
}

bool may_be_hello(std::span<const std::byte> prefix) {
  std::array<std::byte, 4> magic{};
  ByteWriter(magic).put(kHelloMagic);
  const std::size_t known_bytes = std::min(prefix.size(), magic.size());
  return std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(known_bytes),
                    magic.begin());
}

std::string short_job(std::uint64_t job) { return fmt::format("..{:06x}", job & 0xffffff); }

Status check_hello(const Hello& hello, const Identity& own) {
  if (hello.from.job != own.job)
    return differs("job", short_job(hello.from.job), short_job(own.job));
  if (hello.from.epoch != own.epoch)
    return differs("epoch", std::to_string(hello.from.epoch), std::to_string(own.epoch));
  if (hello.from.world != own.world)
    return differs("world", std::to_string(hello.from.world), std::to_string(own.world));
  if (hello.to != own.rank)
    return Status(ErrorCode::kMismatch,
                  fmt::format("rank {} dialled rank {} but reached rank {}: the address it was "
                              "given is another rank's",
                              hello.from.rank, hello.to, own.rank));
  if (hello.from.rank < 0 || hello.from.rank >= own.world || hello.from.rank == own.rank)
    return Status(ErrorCode::kMismatch, fmt::format("the dialler says it is rank {}, this is rank "
                                                    "{} of a world of {}",
                                                    hello.from.rank, own.rank, own.world));
  return {};
}

std::array<std::byte, kAnswerBytes> encode_answer(const Answer& answer) {
  std::array<std::byte, kAnswerBytes> block{};
  const auto all = std::span(block);
  write_block(kAnswerMagic, answer.welcome ? answer.hello : Hello{}, all.first(kHelloBytes));
  const std::size_t reason_bytes = std::min(answer.reason.size(), kMaxReasonBytes);
  ByteWriter writer(all.subspan(kHelloBytes));
  writer.put(static_cast<std::uint16_t>(answer.welcome));
  writer.put(static_cast<std::uint16_t>(reason_bytes));
  std::memcpy(block.data() + kReasonOffset, answer.reason.data(), reason_bytes);
  return block;
}

Result<Answer> decode_answer(std::span<const std::byte, kAnswerBytes> block) {
  Answer answer;
  RONDO_ASSIGN(answer.hello, read_block(kAnswerMagic, block.first<kHelloBytes>()));
  ByteReader reader(block.subspan(kHelloBytes));
  const auto verdict = reader.get<std::uint16_t>();
  const auto reason_bytes = reader.get<std::uint16_t>();
  if (verdict > 1 || reason_bytes > kMaxReasonBytes)
    return Status(
        ErrorCode::kInternal,
        fmt::format("an answer with verdict {} and {} bytes of reason", verdict, reason_bytes));
  answer.welcome = verdict == 1;
  const auto text = block.subspan(kReasonOffset, reason_bytes);
  answer.reason.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return answer;
}

}  // namespace rondo::transport
