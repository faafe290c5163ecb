#include "collectives/communicator/staging.h"

#include <fmt/format.h>

#include <cstring>

#include "core/copy_bytes.h"

namespace rondo::communicator {
namespace {

bool on_host(const ConstBuffer& buffer) { return buffer.place.kind == DeviceKind::kHost; }

std::size_t bytes_of(const ConstBuffer& buffer) { return buffer.count * size_of(buffer.dtype); }

/// Runs what reports by exceptions (the public device API).
template <typename Function>
Status caught(Function function) {
  try {
    function();
    return {};
  } catch (const Error& error) {
    return Status(error.code(), error.message(), error.culprit(), error.where());
  }
}

}  // namespace

Status Staging::check_places(const CallArguments& arguments) const {
  for (const ConstBuffer& buffer : {arguments.input, ConstBuffer(arguments.output)}) {
    if (on_host(buffer) || buffer.place == device_) continue;
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: a buffer lies on {}:{}, but this communicator's place is {}:{}",
                    schedule::to_string(arguments.collective), to_string(buffer.place.kind),
                    buffer.place.index, to_string(device_.kind), device_.index));
  }
  return {};
}

bool Staging::needed(const CallArguments& arguments) const {
  return !on_host(arguments.input) || !on_host(arguments.output);
}

Result<CallArguments> Staging::bring_in(const CallArguments& arguments) {
  // One region for input and output: apart even in place, since part of the input may be outside
  // the output and the other way round.
  const std::size_t input_bytes = bytes_of(arguments.input);
  RONDO_ASSIGN(std::byte* const memory, memory_.at_least(input_bytes + bytes_of(arguments.output)));
  CallArguments staged = arguments;
  const Buffer input(memory, arguments.input.count, arguments.input.dtype);
  staged.input = input;
  staged.output.pointer = memory + input_bytes;
  staged.output.place = Device::host();
  RONDO_TRY(copy(input, arguments.input, input_bytes));
  return staged;
}

Status Staging::bring_out(const CallArguments& arguments, const CallArguments& staged) {
  return copy(arguments.output, staged.output, bytes_of(arguments.output));
}

Status Staging::copy(const Buffer& target, const ConstBuffer& source, std::size_t bytes) {
  if (bytes == 0) return {};
  if (on_host(target) && on_host(source)) {
    copy_bytes(target.pointer, source.pointer, bytes);
    return {};
  }
  return caught([&] {
    Stream stream(device_);
    stream.copy(target.pointer, source.pointer, bytes);
    stream.synchronize();
  });
}

}  // namespace rondo::communicator
