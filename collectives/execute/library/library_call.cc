#include "collectives/execute/library/library_call.h"

#include <fmt/format.h>

#include "collectives/execute/library/library_work.h"

namespace rondo::execute {
namespace {

using device::LibraryBuffers;
using device::LibraryCommunicator;
using schedule::Collective;

/// Where the call's work goes, and from what to what.
struct Target {
  LibraryCommunicator& communicator;
  const LibraryCall& call;
  const std::byte* input;
  std::byte* output;
  detail::StreamImpl& stream;

  std::size_t bytes(std::size_t count) const { return count * size_of(call.type); }
  LibraryBuffers buffers(std::size_t count) const { return {input, output, count, call.type}; }
};

/// The rank's message to itself.
Status copy_own(const Target& at, std::size_t input_offset, std::size_t output_offset,
                std::size_t count) {
  std::byte* const target = at.output + at.bytes(output_offset);
  const std::byte* const source = at.input + at.bytes(input_offset);
  if (count == 0 || target == source) return {};
  return at.stream.copy(target, source, at.bytes(count));
}

Status issue_messages(const Target& at) {
  const LibraryCall& call = at.call;
  std::size_t sent = 0;
  std::size_t received = 0;
  for (std::size_t rank = 0; rank < call.sends.size(); ++rank) {
    const int peer = static_cast<int>(rank);
    const std::size_t out = call.sends[rank];
    const std::size_t in = call.receives[rank];
    const LibraryBuffers out_of{at.input + at.bytes(sent), nullptr, out, call.type};
    const LibraryBuffers into{nullptr, at.output + at.bytes(received), in, call.type};
    if (peer == call.rank) {
      RONDO_TRY(copy_own(at, sent, received, out));
    } else {
      if (out != 0) RONDO_TRY(at.communicator.send(out_of, peer, at.stream));
      if (in != 0) RONDO_TRY(at.communicator.receive(into, peer, at.stream));
    }
    sent += out;
    received += in;
  }
  return {};
}

/// all_gather by a broadcast of each rank's part, reduce_scatter by a reduction to its rank.
Status issue_parts(const Target& at) {
  const LibraryCall& call = at.call;
  const bool gathers = call.collective == Collective::kAllGather;
  std::size_t offset = 0;
  for (std::size_t rank = 0; rank < call.parts.size(); ++rank) {
    const int root = static_cast<int>(rank);
    const std::size_t count = call.parts[rank];
    LibraryBuffers part = at.buffers(count);
    if (gathers)
      part.output = at.output + at.bytes(offset);
    else
      part.input = at.input + at.bytes(offset);
    offset += count;
    if (count == 0) continue;
    RONDO_TRY(gathers ? at.communicator.broadcast(part, root, at.stream)
                      : at.communicator.reduce(part, call.op, root, at.stream));
  }
  return {};
}

}  // namespace

Status issue(LibraryCommunicator& communicator, const LibraryCall& call, const std::byte* input,
             std::byte* output, detail::StreamImpl& stream) {
  const Target at{communicator, call, input, output, stream};
  const LibraryBuffers buffers = at.buffers(call.count);
  if (call.is_of_messages()) return in_group(communicator, [&at] { return issue_messages(at); });
  if (!call.parts.empty()) return in_group(communicator, [&at] { return issue_parts(at); });
  if (call.count == 0) return {};
  switch (call.collective) {
    case Collective::kAllReduce: return communicator.all_reduce(buffers, call.op, stream);
    case Collective::kReduce: return communicator.reduce(buffers, call.op, call.root, stream);
    case Collective::kBroadcast: return communicator.broadcast(buffers, call.root, stream);
    case Collective::kAllGather: return communicator.all_gather(buffers, stream);
    case Collective::kReduceScatter: return communicator.reduce_scatter(buffers, call.op, stream);
    default:
      return Status(ErrorCode::kInternal, fmt::format("{} was given to a library as a whole",
                                                      schedule::to_string(call.collective)));
  }
}

}  // namespace rondo::execute
