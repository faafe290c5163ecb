#include "bindings/c/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

#include "bindings/c/guard.h"
#include "rondo/error.h"

namespace rondo::c {
namespace {

static_assert(static_cast<int>(RONDO_CANCELLED) == static_cast<int>(ErrorCode::kCancelled));
static_assert(static_cast<int>(RONDO_F64) == static_cast<int>(DataType::kF64));
static_assert(static_cast<int>(RONDO_BXOR) == static_cast<int>(ReduceOp::kBitXor));
static_assert(static_cast<int>(RONDO_BARRIER) == static_cast<int>(Collective::kBarrier));
static_assert(static_cast<int>(RONDO_DEVICE_CUDA) == static_cast<int>(DeviceKind::kCuda));

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void set(std::string& option, const char* value) {
  if (value != nullptr) option = value;
}

template <typename Option>
void set(Option& option, std::uint64_t value) {
  if (value != 0) option = static_cast<Option>(value);
}

void set_milliseconds(int& option, std::int32_t value, const char* what) {
  if (value < 0) refuse(fmt::format("rondo_config.{}: expected at least 0, got {}", what, value));
  if (value > 0) option = value;
}

Reduction custom_of(const rondo_call& call) {
  need(reinterpret_cast<const void*>(call.function), "rondo_call.function of RONDO_CUSTOM");
  // Alike but for the name of the type: DataType is a uint8_t.
  static_assert(sizeof(DataType) == sizeof(std::uint8_t));
  return Reduction::custom({.function = reinterpret_cast<CustomReduce::Function>(call.function),
                            .context = call.context,
                            .commutative = call.commutative != 0});
}

/// Those that need more than a number stand behind the others.
bool needs_call(std::int32_t op) {
  return op == static_cast<int>(RONDO_PREMULTIPLIED_SUM) || op == static_cast<int>(RONDO_CUSTOM);
}

void check_op(std::int32_t op, const char* what) {
  if (needs_call(op) || (op >= 0 && op <= static_cast<int>(RONDO_BXOR))) return;
  refuse(fmt::format("{} {}: expected a rondo_op, 0 to {}, or {} or {} in a rondo_call", what, op,
                     static_cast<int>(RONDO_BXOR), static_cast<int>(RONDO_PREMULTIPLIED_SUM),
                     static_cast<int>(RONDO_CUSTOM)));
}

/// Sizes that a header may give a struct.
constexpr std::size_t kSizeUnit = 8;
constexpr std::size_t kMostSize = 4096;

[[noreturn]] void refuse_size(std::size_t size, std::size_t own, const char* what) {
  refuse(
      fmt::format("{}.size is {}; expected sizeof({}), {} here, or that of an older header: "
                  "begin with its _INIT macro",
                  what, size, what, own));
}

/// What even the oldest header has.
constexpr std::size_t kLeastConfig = offsetof(rondo_config, timeout_ms);

}  // namespace

void check_enumerator(std::int32_t number, std::int32_t least, std::int32_t most, const char* what,
                      const char* enumeration) {
  if (number >= least && number <= most) return;
  refuse(fmt::format("{} {}: expected a {}, {} to {}", what, number, enumeration, least, most));
}

void hand_text(const std::string& text, char* out, std::size_t room, std::size_t* needed) {
  if (room > 0) need(out, "text");
  if (needed != nullptr) *needed = text.size() + 1;
  if (room == 0) return;
  out[text.copy(out, room - 1)] = '\0';
}

bool is_older(std::size_t size, std::size_t own, std::size_t least) {
  return size >= least && size < own && size % kSizeUnit == 0;
}

void check_newer(std::size_t size, std::size_t own, const void* begin, const char* what) {
  if (size < own || size > kMostSize) refuse_size(size, own, what);
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(begin), size);
  const auto unknown = bytes.subspan(own);
  if (std::any_of(unknown.begin(), unknown.end(), [](std::byte b) { return b != std::byte{0}; })) {
    refuse(
        fmt::format("{} sets fields beyond the {} bytes that this library knows: it was made "
                    "for a newer one",
                    what, own));
  }
}

void check_room(std::size_t size, std::size_t own, std::size_t least, const char* what) {
  const bool is_newer = size > own && size <= kMostSize && size % kSizeUnit == 0;
  if (size != own && !is_newer && !is_older(size, own, least)) refuse_size(size, own, what);
}

DataType type_of(const rondo_type& type, const char* what) {
  const std::int32_t value = number_of(type);
  check_enumerator(value, 0, static_cast<int>(RONDO_F64), what, "rondo_type");
  return static_cast<DataType>(value);
}

Collective collective_of(const rondo_kind& kind, const char* what) {
  const std::int32_t value = number_of(kind);
  check_enumerator(value, 0, static_cast<int>(RONDO_BARRIER), what,
                   "rondo_kind that is a collective");
  return static_cast<Collective>(value);
}

Reduction reduction_of(const rondo_op& op) {
  const std::int32_t value = number_of(op);
  check_op(value, "op");
  if (needs_call(value)) {
    refuse(
        fmt::format("op {}: RONDO_PREMULTIPLIED_SUM and RONDO_CUSTOM need a rondo_call, for "
                    "rondo_run",
                    value));
  }
  return static_cast<ReduceOp>(value);
}

Reduction reduction_of(const rondo_call& call) {
  const std::int32_t op = number_of(call.op);
  if (!needs_call(op)) return static_cast<ReduceOp>(op);
  if (call.op == RONDO_PREMULTIPLIED_SUM) return Reduction::premultiplied_sum(call.factor);
  return custom_of(call);
}

void check_op(const rondo_call& call) { check_op(number_of(call.op), "rondo_call.op"); }

CommunicatorOptions options_of(const rondo_config* given) {
  CommunicatorOptions options;
  if (given == nullptr) return options;
  rondo_config room;
  const rondo_config* const config = known(given, room, kLeastConfig, "rondo_config");
  if (config->abi_version != RONDO_ABI_VERSION) {
    refuse(fmt::format("rondo_config.abi_version is {}; this library speaks {}",
                       config->abi_version, RONDO_ABI_VERSION));
  }
  set_milliseconds(options.timeout_ms, config->timeout_ms, "timeout_ms");
  set_milliseconds(options.join_timeout_ms, config->join_timeout_ms, "join_timeout_ms");
  if (config->tcp_sockets != 0) options.tcp_sockets = config->tcp_sockets;
  set(options.tcp_zero_copy_bytes, config->tcp_zero_copy_bytes);
  set(options.private_read_bytes, config->private_read_bytes);
  set(options.segment_bytes, config->segment_bytes);
  options.deterministic = config->deterministic != 0;
  set(options.transport, config->transport);
  set(options.algorithm, config->algorithm);
  set(options.interface, config->network_interface);
  set(options.progress, config->progress);
  set(options.links, config->links);
  set(options.wire_format, config->wire_format);
  set(options.error_feedback, config->error_feedback);
  set(options.device_path, config->device_path);
  set(options.schedule, config->schedule);
  set(options.tuning, config->tuning);
  return options;
}

Device device_of(const rondo_config* given) {
  if (given == nullptr) return Device::host();
  rondo_config room;
  const rondo_config* const config = known(given, room, kLeastConfig, "rondo_config");
  return device_of(config->device, "rondo_config.device");
}

Device device_of(const rondo_device& device, const char* what) {
  if (device.kind < 0 || device.kind > 255) {
    refuse(fmt::format("{}.kind {}: expected a rondo_device_kind or a plug-in's, 0 to 255", what,
                       device.kind));
  }
  return {static_cast<DeviceKind>(device.kind), device.index};
}

}  // namespace rondo::c
