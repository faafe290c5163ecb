#pragma once

// One collective as the devices' library is asked for it. The library has the common ones; gather,
// scatter and all-to-all are messages of one group, parts of different sizes one call for each
// rank's part in a group: as NCCL's manual puts them together.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/op.h"
#include "core/device/collective_library.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/types.h"

namespace rondo::execute {

struct LibraryCall {
  schedule::Collective collective = schedule::Collective::kAllReduce;
  DataType type = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
  int rank = 0;
  int root = 0;
  /// Of all_gather and reduce_scatter each rank's part, of the others the whole.
  std::size_t count = 0;
  /// All ranks' parts, where all_gather's or reduce_scatter's have sizes of their own.
  std::vector<std::size_t> parts{};
  /// Of gather, scatter and all_to_all: how many elements go to each rank, and come from it; in the
  /// buffers they lie one after the other.
  std::vector<std::size_t> sends{};
  std::vector<std::size_t> receives{};

  bool is_of_messages() const { return !sends.empty(); }
};

/// Puts the call's work into the stream, or begins to (LibraryCommunicator::ready). Errors: Device.
Status issue(device::LibraryCommunicator& communicator, const LibraryCall& call,
             const std::byte* input, std::byte* output, detail::StreamImpl& stream);

}  // namespace rondo::execute
