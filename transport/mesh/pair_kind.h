#pragma once

// Which transport joins two ranks: a pure function of what both know about each other, so both
// choose alike.

#include <string_view>

#include "core/status.h"
#include "transport/endpoint/endpoint.h"
#include "transport/mesh/mesh.h"

namespace rondo::transport {

/// `forced` is "auto", "inproc", "shm" or "tcp".
/// Errors: InvalidArgument where the forced kind can't join the two; names both ranks and why.
Result<TransportKind> pair_kind(int rank_a, const RankInfo& a, int rank_b, const RankInfo& b,
                                std::string_view forced);

}  // namespace rondo::transport
