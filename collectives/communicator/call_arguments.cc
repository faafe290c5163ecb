#include "collectives/communicator/call_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "collectives/communicator/uneven.h"
#include "core/device/driver.h"
#include "core/dtype.h"
#include "core/hash.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

const char* name_of(const CallArguments& arguments) {
  switch (arguments.exchange) {
    case Exchange::kSend: return "send";
    case Exchange::kReceive: return "receive";
    case Exchange::kNone: break;
  }
  return schedule::to_string(arguments.collective);
}

Status invalid(const CallArguments& arguments, const std::string& text) {
  return Status(ErrorCode::kInvalidArgument, fmt::format("{}: {}", name_of(arguments), text));
}

std::size_t bytes_of(const ConstBuffer& buffer) { return buffer.count * size_of(buffer.dtype); }

constexpr std::size_t kMostBytes = std::numeric_limits<std::size_t>::max() / 2;

bool is_sound(const ConstBuffer& buffer) {
  const std::size_t size = size_of(buffer.dtype);
  return buffer.dtype <= DataType::kF64 && (buffer.count == 0 || buffer.pointer != nullptr) &&
         buffer.count <= kMostBytes / size &&
         reinterpret_cast<std::uintptr_t>(buffer.pointer) % size == 0;
}

/// What makes it unsound.
Status unsound(const CallArguments& arguments, const ConstBuffer& buffer, const char* name) {
  if (buffer.dtype > DataType::kF64) {
    return invalid(arguments, fmt::format("{}.dtype is no DataType (value {})", name,
                                          static_cast<int>(buffer.dtype)));
  }
  if (buffer.count > 0 && buffer.pointer == nullptr) {
    return invalid(arguments,
                   fmt::format("{}.pointer is null but its count is {}", name, buffer.count));
  }
  if (buffer.count > kMostBytes / size_of(buffer.dtype)) {
    return invalid(arguments,
                   fmt::format("{}.count {} overflows the address space", name, buffer.count));
  }
  return invalid(arguments, fmt::format("{}.pointer is not aligned to its {} elements", name,
                                        to_string(buffer.dtype)));
}

Status check_buffer(const CallArguments& arguments, const ConstBuffer& buffer, const char* name) {
  return is_sound(buffer) ? Status() : unsound(arguments, buffer, name);
}

/// The host would fault at it, in this process or in the peer's.
Status check_is_host_memory(const CallArguments& arguments, const ConstBuffer& data) {
  const auto kind = data.count == 0 ? std::nullopt : device::hiding_kind(data.pointer);
  if (!kind) return {};
  return invalid(arguments,
                 fmt::format("data at {} was given as memory of the host, but belongs to a device "
                             "of kind {}, whose memory can't be sent or received yet; copy it to "
                             "the host",
                             data.pointer, to_string(*kind)));
}

/// Of a collective whose input or output is one part of the other, by rank.
bool is_part_of_the_other(Collective collective) {
  return collective == Collective::kAllGather || collective == Collective::kReduceScatter ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

bool is_element_wise(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kReduce ||
         collective == Collective::kBroadcast;
}

/// Input and output are the same memory where the collective allows it, or they are apart.
Status check_overlap(const CallArguments& arguments, int rank) {
  const auto input = reinterpret_cast<std::uintptr_t>(arguments.input.pointer);
  const auto output = reinterpret_cast<std::uintptr_t>(arguments.output.pointer);
  const std::size_t input_bytes = bytes_of(arguments.input);
  const std::size_t output_bytes = bytes_of(arguments.output);
  if (input_bytes == 0 || output_bytes == 0) return {};
  if (input + input_bytes <= output || output + output_bytes <= input) return {};
  if (is_element_wise(arguments.collective) && input == output) return {};
  const bool input_is_whole = arguments.collective == Collective::kReduceScatter ||
                              arguments.collective == Collective::kScatter;
  const std::size_t offset =
      arguments.uneven ? own_offset(arguments, rank) * size_of(arguments.input.dtype)
                       : std::min(input_bytes, output_bytes) * static_cast<std::size_t>(rank);
  const std::uintptr_t whole = input_is_whole ? input : output;
  const std::uintptr_t part = input_is_whole ? output : input;
  if (is_part_of_the_other(arguments.collective) && part == whole + offset) return {};
  return invalid(arguments, "input and output overlap, but not in the way that is in place");
}

Status check_parts(const CallArguments& arguments, std::size_t whole, std::size_t part, int world,
                   const char* rule) {
  if (whole == part * static_cast<std::size_t>(world)) return {};
  return invalid(arguments,
                 fmt::format("{} must hold with {} ranks, but the counts are {} (input) and {} "
                             "(output)",
                             rule, world, arguments.input.count, arguments.output.count));
}

/// What only a call of uneven parts looks at.
Status check_no_parts(const CallArguments& arguments) {
  if (arguments.input_counts.empty() && arguments.output_counts.empty()) return {};
  return invalid(arguments, "input_counts or output_counts are given, but uneven is false");
}

/// Where this rank has both buffers.
Status check_counts(const CallArguments& arguments, int world) {
  const std::size_t input = arguments.input.count;
  const std::size_t output = arguments.output.count;
  switch (arguments.collective) {
    case Collective::kAllToAll:
      if (input % static_cast<std::size_t>(world) != 0) {
        return invalid(arguments,
                       fmt::format("input.count {} can't be divided by {} ranks", input, world));
      }
      [[fallthrough]];
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kBroadcast:
      if (input == output) return {};
      return invalid(arguments,
                     fmt::format("input.count {} differs from output.count {}", input, output));
    case Collective::kAllGather:
    case Collective::kGather:
      return check_parts(arguments, output, input, world, "output.count == input.count * size()");
    case Collective::kReduceScatter:
    case Collective::kScatter:
      return check_parts(arguments, input, output, world, "input.count == output.count * size()");
    case Collective::kBarrier: return {};
  }
  return invalid(arguments, "unknown collective");
}

/// The whole collective's bytes are counted in 64 bits.
Status check_total(const CallArguments& arguments, int world) {
  const std::size_t most = std::numeric_limits<std::size_t>::max() / 2 /
                           size_of(arguments.input.dtype) / static_cast<std::size_t>(world);
  const std::size_t count = std::max(arguments.input.count, arguments.output.count);
  if (count <= most) return {};
  return invalid(arguments,
                 fmt::format("{}.count {} on each of {} ranks overflows the address space",
                             count == arguments.input.count ? "input" : "output", count, world));
}

Status check_timeout(const CallArguments& arguments) {
  if (arguments.timeout_ms >= 0) return {};
  return invalid(arguments, fmt::format("timeout_ms is {}: expected at least 1, or 0 for the "
                                        "communicator's",
                                        arguments.timeout_ms));
}

Status check_reduction(const CallArguments& arguments) {
  const Reduction& reduction = arguments.reduction;
  if (reduction.op() > ReduceOp::kBitXor) {
    return invalid(arguments,
                   fmt::format("op is no ReduceOp (value {})", static_cast<int>(reduction.op())));
  }
  if (reduction.kind() == Reduction::Kind::kCustom && reduction.custom().function == nullptr) {
    return invalid(arguments, "the custom reduction has no function (CustomReduce::function)");
  }
  if (reduction.kind() == Reduction::Kind::kPremultipliedSum && is_integer(arguments.input.dtype)) {
    return invalid(arguments, fmt::format("a premultiplied sum is of floats (f16, bf16, f32, f64), "
                                          "not of {}: multiply the input yourself",
                                          to_string(arguments.input.dtype)));
  }
  return {};
}

bool has_both_buffers(const CallArguments& arguments, int rank) {
  return !schedule::has_root(arguments.collective) ||
         arguments.collective == Collective::kBroadcast || rank == arguments.root;
}

/// In the fingerprint, behind the numbers of the built-in ops.
constexpr std::uint8_t kPremultipliedSum = static_cast<std::uint8_t>(ReduceOp::kBitXor) + 1;
constexpr std::uint8_t kCommutativeCustom = kPremultipliedSum + 1;
constexpr std::uint8_t kOrderedCustom = kCommutativeCustom + 1;

std::uint8_t redop_of(const Reduction& reduction) {
  // The factor is a rank's own.
  if (reduction.kind() == Reduction::Kind::kPremultipliedSum) return kPremultipliedSum;
  // A function is an address of one process.
  if (reduction.kind() == Reduction::Kind::kCustom) {
    return reduction.custom().commutative ? kCommutativeCustom : kOrderedCustom;
  }
  return static_cast<std::uint8_t>(reduction.op());
}

std::string_view name_of_redop(std::uint8_t redop) {
  if (redop == kPremultipliedSum) return "premultiplied sum";
  if (redop == kCommutativeCustom) return "custom function that commutes";
  if (redop == kOrderedCustom) return "custom function in rank order";
  return to_string(static_cast<ReduceOp>(redop));
}

}  // namespace

CallArguments arguments_of(const GivenCall& call) {
  return {.collective = call.collective,
          .input = call.input == nullptr ? ConstBuffer(call.output) : *call.input,
          .output = call.output,
          .reduction = call.reduction,
          .root = call.root,
          .uneven = call.uneven,
          .input_counts = call.input_counts,
          .output_counts = call.output_counts};
}

CallArguments used_by(int rank, const CallArguments& arguments) {
  CallArguments used = arguments;
  keep_used(rank, used);
  return used;
}

void keep_used(int rank, CallArguments& arguments) {
  if (arguments.exchange != Exchange::kNone) return;
  if (arguments.collective == Collective::kBarrier) {
    // Whatever a call that is a value has besides.
    const int timeout_ms = arguments.timeout_ms;
    arguments = {};
    arguments.timeout_ms = timeout_ms;
  } else if (has_both_buffers(arguments, rank)) {
    return;
  } else if (arguments.collective == Collective::kScatter) {
    arguments.input = {};
    arguments.input_counts = {};
    arguments.input.dtype = arguments.output.dtype;
  } else {
    arguments.output = {};
    arguments.output_counts = {};
    arguments.output.dtype = arguments.input.dtype;
  }
}

std::size_t total_count(const CallArguments& arguments, int world) {
  if (knows_own_rows_only(arguments)) return 0;
  switch (arguments.collective) {
    case Collective::kGather:
    case Collective::kAllToAll: return arguments.input.count * static_cast<std::size_t>(world);
    case Collective::kScatter: return arguments.output.count * static_cast<std::size_t>(world);
    case Collective::kReduce: return arguments.input.count;
    default: return std::max(arguments.input.count, arguments.output.count);
  }
}

Status check_exchange(const CallArguments& arguments, int world) {
  const bool sends = arguments.exchange == Exchange::kSend;
  const ConstBuffer data = sends ? arguments.input : ConstBuffer(arguments.output);
  // At once: a message of a few bytes takes no longer than its checks one by one.
  const bool is_fine = arguments.timeout_ms >= 0 && is_sound(data) && arguments.root >= 0 &&
                       arguments.root < world && data.place.kind == DeviceKind::kHost;
  if (is_fine && !device::uses_devices()) return {};
  RONDO_TRY(check_timeout(arguments));
  RONDO_TRY(check_buffer(arguments, data, "data"));
  if (arguments.root < 0 || arguments.root >= world) {
    return invalid(arguments, fmt::format("peer {} is no rank of a world of {} (0 to {})",
                                          arguments.root, world, world - 1));
  }
  if (data.place.kind != DeviceKind::kHost) {
    return Status(
        ErrorCode::kUnsupported,
        fmt::format("{}: memory of {}:{} can't be sent or received yet; copy it to the host",
                    name_of(arguments), to_string(data.place.kind), data.place.index));
  }
  return check_is_host_memory(arguments, data);
}

Status check(const CallArguments& arguments, int rank, int world) {
  RONDO_TRY(check_timeout(arguments));
  if (arguments.collective == Collective::kBarrier) return {};
  RONDO_TRY(check_buffer(arguments, arguments.input, "input"));
  RONDO_TRY(check_buffer(arguments, arguments.output, "output"));
  if (arguments.input.dtype != arguments.output.dtype) {
    return invalid(arguments,
                   fmt::format("input is {} but output is {}", to_string(arguments.input.dtype),
                               to_string(arguments.output.dtype)));
  }
  if (schedule::reduces(arguments.collective)) RONDO_TRY(check_reduction(arguments));
  const bool has_root = schedule::has_root(arguments.collective);
  if (has_root && (arguments.root < 0 || arguments.root >= world)) {
    return invalid(arguments, fmt::format("root {} is no rank of a world of {} (0 to {})",
                                          arguments.root, world, world - 1));
  }
  if (arguments.uneven) {
    RONDO_TRY(check_uneven(arguments, rank, world));
  } else {
    RONDO_TRY(check_no_parts(arguments));
    if (has_both_buffers(arguments, rank)) RONDO_TRY(check_counts(arguments, world));
  }
  RONDO_TRY(check_total(arguments, world));
  return check_overlap(arguments, rank);
}

namespace {

/// Ranks that share the same whole out otherwise would take each other's parts for their own.
std::int32_t hash_of(std::span<const std::size_t> input, std::span<const std::size_t> output) {
  const auto bytes = [](std::span<const std::size_t> counts) {
    return std::string_view(reinterpret_cast<const char*>(counts.data()), counts.size_bytes());
  };
  const std::uint64_t hash = fnv1a(bytes(input)) * 31 + fnv1a(bytes(output));
  return static_cast<std::int32_t>((hash ^ (hash >> 32)) & 0x7fff'ffffU);
}

}  // namespace

transport::Fingerprint fingerprint_of(const CallArguments& arguments, int world) {
  transport::Fingerprint fingerprint;
  fingerprint.collective = static_cast<std::uint8_t>(arguments.collective);
  fingerprint.dtype = static_cast<std::uint8_t>(arguments.input.dtype);
  if (schedule::reduces(arguments.collective)) fingerprint.redop = redop_of(arguments.reduction);
  if (arguments.uneven) fingerprint.form |= transport::Fingerprint::kUneven;
  if (arguments.of_split) fingerprint.form |= transport::Fingerprint::kOfSplit;
  // A call that was made of another one may have its root still.
  if (schedule::has_root(arguments.collective)) fingerprint.root = arguments.root;
  if (arguments.uneven && knows_all_rows(arguments.collective))
    fingerprint.root = hash_of(arguments.input_counts, arguments.output_counts);
  fingerprint.count = total_count(arguments, world);
  return fingerprint;
}

bool differ_in_counts_alone(const transport::Fingerprint& a, const transport::Fingerprint& b) {
  const bool is_uneven = (a.form & transport::Fingerprint::kUneven) != 0;
  const bool has_no_root = is_uneven && knows_all_rows(static_cast<Collective>(a.collective));
  return a.collective == b.collective && a.dtype == b.dtype && a.redop == b.redop &&
         a.form == b.form && (has_no_root || a.root == b.root);
}

std::string describe(const CallArguments& arguments, int world) {
  if (arguments.exchange == Exchange::kNone)
    return print_fingerprint(fingerprint_of(arguments, world));
  const bool sends = arguments.exchange == Exchange::kSend;
  const ConstBuffer data = sends ? arguments.input : ConstBuffer(arguments.output);
  return fmt::format("{}(count={}, {}, {} rank {}, tag {})", name_of(arguments), data.count,
                     to_string(data.dtype), sends ? "to" : "from", arguments.root, arguments.tag);
}

std::string print_fingerprint(const transport::Fingerprint& fingerprint) {
  const auto collective = static_cast<Collective>(fingerprint.collective);
  if (fingerprint.collective > static_cast<std::uint8_t>(Collective::kBarrier)) return "garbage";
  if ((fingerprint.form & transport::Fingerprint::kOfSplit) != 0) return "split()";
  if (collective == Collective::kBarrier) return "barrier()";
  const bool uneven = (fingerprint.form & transport::Fingerprint::kUneven) != 0;
  const bool on_devices = (fingerprint.form & transport::Fingerprint::kOnDevices) != 0;
  std::string text = fmt::format("{}{}(", schedule::to_string(collective), uneven ? "_v" : "");
  // Where only the two ranks of a message know its size, there is no count of all.
  const bool has_count = !uneven || knows_all_rows(collective);
  if (has_count) text += fmt::format("count={}, ", fingerprint.count);
  text += to_string(static_cast<DataType>(fingerprint.dtype));
  if (schedule::reduces(collective)) {
    text += fmt::format(", {}", name_of_redop(fingerprint.redop));
  }
  if (schedule::has_root(collective)) text += fmt::format(", root {}", fingerprint.root);
  if (uneven && has_count) text += fmt::format(", counts #{:08x}", fingerprint.root);
  return text + (on_devices ? ", on devices)" : ")");
}

}  // namespace rondo::communicator
