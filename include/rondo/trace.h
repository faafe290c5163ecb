#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "rondo/error.h"

namespace rondo {
inline namespace v1 {

/// A call of this rank that has ended: what `rondo trace` knows of it (docs/tracing.md).
struct TracedCall {
  std::string_view collective;  ///< "all_reduce", ..., "send", "receive"
  std::string_view algorithm;
  std::string_view transport;
  std::uint64_t sequence = 0;   ///< of the communicator's collectives, from 1; 0: a send or receive
  std::uint64_t bytes = 0;      ///< of the larger of this rank's buffers
  double took_us = 0;           ///< from its beginning to its end
  double wait_us = 0;           ///< of that: nothing moved, for want of a peer
  double reduce_us = 0;         ///< of that: in kernels
  int waited_longest_for = -1;  ///< rank of the longest single wait; -1: none
  ErrorCode result = ErrorCode::kOk;
};

/// What it throws is dropped; it must be short, and must not use the communicator.
using TraceFunction = std::function<void(const TracedCall&)>;

}  // namespace v1
}  // namespace rondo
