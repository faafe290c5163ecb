#include "bindings/c/read_call.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "rondo/error.h"

namespace rondo::c {
namespace {

/// What even the oldest header has.
constexpr std::size_t kLeast = offsetof(rondo_call, input_counts);

/// Kinds that a call may have though they are no collective.
bool is_message(std::int32_t kind) {
  return kind == static_cast<int>(RONDO_SEND) || kind == static_cast<int>(RONDO_RECEIVE);
}

/// Nothing that it points to is read with it.
bool says_all(const rondo_call& call) {
  return call.size == sizeof(rondo_call) && call.input_counts == nullptr &&
         call.output_counts == nullptr && call.stream == nullptr;
}

std::uint64_t word_at(const rondo_call& call, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const std::byte*>(&call) + offset, sizeof word);
  return word;
}

/// Of two calls without a stream, which is the last field: what lies between it and the others may
/// never have been written. Word by word, which is put in here where `memcmp` would be called.
bool same_fields(const rondo_call& a, const rondo_call& b) {
  constexpr std::size_t kWords = offsetof(rondo_call, commutative);
  static_assert(kWords % sizeof(std::uint64_t) == 0);
  static_assert(kWords + sizeof a.commutative <= offsetof(rondo_call, stream));
  static_assert(offsetof(rondo_call, stream) + sizeof(void*) == sizeof(rondo_call));
  std::uint64_t differing = a.commutative != b.commutative ? 1 : 0;
  for (std::size_t at = 0; at != kWords; at += sizeof differing)
    differing |= word_at(a, at) ^ word_at(b, at);
  return differing == 0;
}

void copy_counts(const std::size_t* given, int size, std::vector<std::size_t>& counts) {
  counts.clear();
  if (given != nullptr) counts.assign(given, given + size);
}

}  // namespace

const Call& ReadCall::read(const rondo_call* pointer, const Communicator& rank, Device device) {
  need(pointer, "call");
  const bool may_be_known = pointer->size == sizeof given_ && pointer->stream == nullptr;
  if (may_be_known && device_ == device && same_fields(*pointer, given_)) return call_;
  given_.size = 0;
  rondo_call room;
  const rondo_call& given = *known(pointer, room, kLeast, "rondo_call");
  read_all(given, rank, device);
  if (!says_all(*pointer)) return call_;
  given_ = *pointer;
  device_ = device;
  return call_;
}

void ReadCall::read_all(const rondo_call& given, const Communicator& rank, Device device) {
  if (given.timeout_ms < 0) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("rondo_call.timeout_ms: expected at least 0, got {}", given.timeout_ms));
  }
  const std::int32_t kind = number_of(given.kind);
  if (!is_message(kind)) collective_of(given.kind, "rondo_call.kind");
  const DataType type = type_of(given.type, "rondo_call.type");
  check_op(given);
  const bool has_counts = given.input_counts != nullptr || given.output_counts != nullptr;
  call_.root = given.root;
  call_.timeout_ms = given.timeout_ms;
  call_.stream.reset();
  call_.uneven = has_counts && !is_message(kind);
  copy_counts(call_.uneven ? given.input_counts : nullptr, rank.size(), call_.input_counts);
  copy_counts(call_.uneven ? given.output_counts : nullptr, rank.size(), call_.output_counts);
  if (is_message(kind)) return read_message(given, type, device);
  call_.exchange = Call::Exchange::kNone;
  call_.collective = static_cast<Collective>(kind);
  call_.output = Buffer(given.output, given.output_count, type, device);
  // What is broadcast is where it lands.
  call_.input = call_.collective == Collective::kBroadcast
                    ? ConstBuffer(call_.output)
                    : ConstBuffer(given.input, given.input_count, type, device);
  call_.op = reduces(call_.collective) ? reduction_of(given) : ReduceOp::kSum;
  if (given.stream != nullptr) call_.stream = checked(given.stream, "rondo_call.stream").stream;
}

void ReadCall::read_message(const rondo_call& given, DataType type, Device device) {
  if (given.stream != nullptr) {
    throw Error(ErrorCode::kInvalidArgument, "rondo_call.stream: sends and receives have none");
  }
  const bool sends = given.kind == RONDO_SEND;
  call_.exchange = sends ? Call::Exchange::kSend : Call::Exchange::kReceive;
  call_.collective = Collective::kBarrier;
  call_.tag = given.tag;
  call_.input = sends ? ConstBuffer(given.input, given.input_count, type, device) : ConstBuffer();
  call_.output = sends ? Buffer() : Buffer(given.output, given.output_count, type, device);
}

}  // namespace rondo::c
