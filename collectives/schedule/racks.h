#pragma once

// Groups of hosts that share a link to other groups, as those of a rack share the one to the next
// rack. Nobody says which hosts are of one rack: the measured speeds of pairs do, where a pair is
// slower than either rank's own link. Pure; threads: any.

#include <vector>

#include "collectives/schedule/link_speeds.h"

namespace rondo::schedule {

/// The rack of each rank, numbered from 0 in the order of their lowest rank: ranks are of one rack
/// that pairs join which are as fast as the slower one of the two ranks' links. A rank whose own
/// link is no faster than that between racks joins the first it fits in, and no others to it.
std::vector<int> racks_of(const LinkSpeeds& links);

/// Pairs between the same two racks as fast as the fastest of them, where the ranks' own links are:
/// such pairs share a link, and those that were measured at once had a part of it each.
LinkSpeeds with_racks_alike(const LinkSpeeds& links);

}  // namespace rondo::schedule
