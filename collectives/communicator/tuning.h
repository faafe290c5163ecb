#pragma once

// The tuning of a communicator (CommunicatorOptions::tuning): read by rank 0 and handed out, or
// measured. Threads: the place's.

#include <string>
#include <vector>

#include "collectives/communicator/engine.h"
#include "core/status.h"
#include "rondo/tuning.h"

namespace rondo::communicator {

inline constexpr const char* kNoTuning = "off";
inline constexpr const char* kMeasureTuning = "measure";

/// What the option says, from the next call on. A collective call unless it is "off". A world of
/// one only reads a file.
/// Errors: InvalidArgument (rank 0 can't read the file, or what is wrong in it; on all ranks), and
/// those of a collective call; of one that a rank meets alone the others are told.
Status learn_tuning(Engine& engine);

/// Measures the world and uses it from the next call on: the text of the file, the same on all
/// ranks. A collective call; seconds. "" in a world of one. Errors: as a collective call.
Result<std::string> measure_tuning(Engine& engine);

/// See Communicator::measure_choices.
Result<std::vector<MeasuredChoice>> measure_choices(Engine& engine, Collective collective,
                                                    const std::vector<std::size_t>& bytes,
                                                    int rounds, MemoryKind memory);

}  // namespace rondo::communicator
