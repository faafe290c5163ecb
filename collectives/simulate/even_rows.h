#pragma once

// Rows of two sizes, one element apart, taken for rows of one: ranks that are turns of each other
// are then alike, however large their world. What that leaves of the truth.

#include <optional>

#include "collectives/schedule/chunk_table.h"
#include "collectives/simulate/bound_world.h"
#include "collectives/simulate/network.h"

namespace rondo::simulate {

struct Options;

struct EvenRows {
  schedule::ChunkTable shortest;  ///< every row as long as the shortest
  schedule::ChunkTable longest;
};

/// Nothing where the rows of `table` differ by more than one element, or not at all.
std::optional<EvenRows> even_rows(const schedule::ChunkTable& table);

/// Whether no rank can be done later for a row that is shorter. It can where links or cores are
/// shared, for then somebody else comes first. It can't where each rank has one lane and a core of
/// its own, each link one channel, and longer messages cost no less: every time is then the latest
/// of others, plus what a piece costs. Those of the true rows lie between those of EvenRows.
bool rows_bound_times(const BoundWorld& world, const Quotient& quotient, const Network& network,
                      const EvenRows& rows, const Options& options);

}  // namespace rondo::simulate
