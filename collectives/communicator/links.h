#pragma once

// How fast the links between a world's ranks are, as the option `links` says or as measured.
//
// Measuring: in round s every host's first rank sends to the one s hosts on and receives from the
// one s hosts back, all at once, so that every link carries one stream each way; messages grow
// until the fastest takes long enough to be timed. All by calls that every rank makes, so the ranks
// end with equal figures.

#include <cstdint>
#include <optional>
#include <string>

#include "collectives/communicator/engine.h"
#include "collectives/schedule/link_speeds.h"
#include "core/status.h"

namespace rondo::communicator {

inline constexpr const char* kEqualLinks = "equal";
inline constexpr const char* kMeasureLinks = "measure";

/// Speeds listed by rank: "1,1,0.2". Errors: InvalidArgument (not `world` numbers above 0).
Result<schedule::LinkSpeeds> listed_links(const std::string& list, int world);

/// Of the option, in a world of so many ranks. Errors: as listed_links.
Status check_links(const std::string& option, int world);

/// What the option says, from the next call on: a collective call where that is to measure.
/// Errors: as listed_links and measure_links.
Status learn_links(Engine& engine);

/// A collective call: every rank's. Cost: about twice the hosts rounds of two messages one after
/// the other, each 20 ms or more on the fastest link and up to 16 MiB, twice in worlds of up to 16
/// hosts. Worlds of one or two hosts have nothing to measure. Errors: as a collective call.
Result<std::optional<schedule::LinkSpeeds>> measure_links(Engine& engine);

}  // namespace rondo::communicator
