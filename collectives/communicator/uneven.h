#pragma once

// Collectives whose parts have sizes of their own (all_gather_v and the like): what their counts
// must be, and the rows they make. all_gather and reduce_scatter know all of them; the others only
// those of messages that this rank sends or receives, and the two ranks of a message may be of
// different opinion until it comes.

#include "collectives/communicator/call_arguments.h"
#include "collectives/schedule/chunk_table.h"
#include "core/status.h"

namespace rondo::communicator {

/// Errors: InvalidArgument, naming the counts, what was expected and what came.
Status check_uneven(const CallArguments& arguments, int rank, int world);

/// Where this rank's part begins in the buffer that has all parts, in elements.
std::size_t own_offset(const CallArguments& arguments, int rank);

/// Every rank knows every row.
bool knows_all_rows(schedule::Collective collective);
/// Of parts of different sizes: how much the other ranks move isn't known here.
bool knows_own_rows_only(const CallArguments& arguments);

/// `table` becomes that of the rows' sizes, in its memory; 0 for those that this rank has nothing
/// to do with. The arguments are checked. Cost: memory and time in proportion to the world's size.
Status set_uneven(schedule::ChunkTable& table, const CallArguments& arguments, int rank, int world);

}  // namespace rondo::communicator
