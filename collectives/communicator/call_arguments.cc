#include "collectives/communicator/call_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace rondo::communicator {
namespace {

using schedule::Collective;

bool reduces(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kReduceScatter;
}

Status invalid(const CallArguments& arguments, const std::string& text) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{}: {}", schedule::to_string(arguments.collective), text));
}

std::size_t bytes_of(const ConstBuffer& buffer) { return buffer.count * size_of(buffer.dtype); }

Status check_buffer(const CallArguments& arguments, const ConstBuffer& buffer, const char* name) {
  if (buffer.dtype > DataType::kF64) {
    return invalid(arguments, fmt::format("{}.dtype is no DataType (value {})", name,
                                          static_cast<int>(buffer.dtype)));
  }
  if (buffer.count > 0 && buffer.pointer == nullptr) {
    return invalid(arguments,
                   fmt::format("{}.pointer is null but its count is {}", name, buffer.count));
  }
  if (buffer.count > std::numeric_limits<std::size_t>::max() / 2 / size_of(buffer.dtype)) {
    return invalid(arguments,
                   fmt::format("{}.count {} overflows the address space", name, buffer.count));
  }
  if (reinterpret_cast<std::uintptr_t>(buffer.pointer) % size_of(buffer.dtype) != 0) {
    return invalid(arguments, fmt::format("{}.pointer is not aligned to its {} elements", name,
                                          to_string(buffer.dtype)));
  }
  return {};
}

/// Input and output are the same memory where the collective allows it, or they are apart.
Status check_overlap(const CallArguments& arguments, int rank) {
  const auto input = reinterpret_cast<std::uintptr_t>(arguments.input.pointer);
  const auto output = reinterpret_cast<std::uintptr_t>(arguments.output.pointer);
  const std::size_t input_bytes = bytes_of(arguments.input);
  const std::size_t output_bytes = bytes_of(arguments.output);
  if (input_bytes == 0 || output_bytes == 0) return {};
  if (input + input_bytes <= output || output + output_bytes <= input) return {};
  if (arguments.collective == Collective::kAllReduce && input == output) return {};
  if (arguments.collective == Collective::kBroadcast && input == output) return {};
  const std::size_t part = std::min(input_bytes, output_bytes);
  const std::uintptr_t whole = input_bytes > output_bytes ? input : output;
  const std::uintptr_t inner = input_bytes > output_bytes ? output : input;
  const bool parts = arguments.collective == Collective::kAllGather ||
                     arguments.collective == Collective::kReduceScatter;
  if (parts && inner == whole + part * static_cast<std::size_t>(rank)) return {};
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

Status check_counts(const CallArguments& arguments, int world) {
  const std::size_t input = arguments.input.count;
  const std::size_t output = arguments.output.count;
  switch (arguments.collective) {
    case Collective::kAllReduce:
    case Collective::kBroadcast:
      if (input == output) return {};
      return invalid(arguments,
                     fmt::format("input.count {} differs from output.count {}", input, output));
    case Collective::kAllGather:
      return check_parts(arguments, output, input, world, "output.count == input.count * size()");
    case Collective::kReduceScatter:
      return check_parts(arguments, input, output, world, "input.count == output.count * size()");
    case Collective::kBarrier: return {};
  }
  return invalid(arguments, "unknown collective");
}

}  // namespace

std::size_t total_count(const CallArguments& arguments) {
  return std::max(arguments.input.count, arguments.output.count);
}

Status check(const CallArguments& arguments, int rank, int world) {
  if (arguments.collective == Collective::kBarrier) return {};
  RONDO_TRY(check_buffer(arguments, arguments.input, "input"));
  RONDO_TRY(check_buffer(arguments, arguments.output, "output"));
  if (arguments.input.dtype != arguments.output.dtype) {
    return invalid(arguments,
                   fmt::format("input is {} but output is {}", to_string(arguments.input.dtype),
                               to_string(arguments.output.dtype)));
  }
  if (reduces(arguments.collective) && arguments.op > ReduceOp::kAvg) {
    return invalid(arguments,
                   fmt::format("op is no ReduceOp (value {})", static_cast<int>(arguments.op)));
  }
  if (arguments.root < 0 || arguments.root >= world) {
    return invalid(arguments, fmt::format("root {} is no rank of a world of {} (0 to {})",
                                          arguments.root, world, world - 1));
  }
  RONDO_TRY(check_counts(arguments, world));
  return check_overlap(arguments, rank);
}

transport::Fingerprint fingerprint_of(const CallArguments& arguments) {
  transport::Fingerprint fingerprint;
  fingerprint.collective = static_cast<std::uint8_t>(arguments.collective);
  fingerprint.dtype = static_cast<std::uint8_t>(arguments.input.dtype);
  if (reduces(arguments.collective)) fingerprint.redop = static_cast<std::uint8_t>(arguments.op);
  fingerprint.root = arguments.root;
  fingerprint.count = total_count(arguments);
  return fingerprint;
}

std::string print_fingerprint(const transport::Fingerprint& fingerprint) {
  const auto collective = static_cast<Collective>(fingerprint.collective);
  if (fingerprint.collective > static_cast<std::uint8_t>(Collective::kBarrier)) return "garbage";
  if (collective == Collective::kBarrier) return "barrier()";
  std::string text =
      fmt::format("{}(count={}, {}", schedule::to_string(collective), fingerprint.count,
                  to_string(static_cast<DataType>(fingerprint.dtype)));
  if (reduces(collective)) {
    text += fmt::format(", {}", to_string(static_cast<ReduceOp>(fingerprint.redop)));
  }
  if (collective == Collective::kBroadcast) text += fmt::format(", root {}", fingerprint.root);
  return text + ")";
}

}  // namespace rondo::communicator
