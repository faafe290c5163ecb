#pragma once

#include <cstdint>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

enum class Collective : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kAllToAll,
  kBarrier,
};

/// "all_reduce", ...
RONDO_API const char* to_string(Collective collective);
/// Combines the ranks' inputs; the others only move them.
RONDO_API bool reduces(Collective collective);
/// One rank has all of the input or of the output.
RONDO_API bool has_root(Collective collective);

}  // namespace v1
}  // namespace rondo
