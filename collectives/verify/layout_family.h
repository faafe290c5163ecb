#pragma once

// The layouts of hosts that algorithms are proved at which depend on one. The list is what is
// promised: another layout is most likely right too, but nobody has looked.
//
// Worlds to 24, as far as they differ:
// - all ranks on one host; every rank on its own;
// - hosts of 2, 3 and 8 consecutive ranks, the last with what is left;
// - two hosts: halves; one rank and the others; all but one rank and that one;
// - hosts of 1, 2, 3, ... ranks, the last with what is left;
// - ranks dealt out in turn to 2 and to 3 hosts;
// - hosts of 2 ranks, with an order of its own: first the odd ranks, downwards, then the even ones.
// Worlds to 64: of these hosts of 8, of 1, 2, 3, ... ranks, and 3 hosts in turn.
// Worlds to 128, and larger ones that are a prime or a power of one: hosts of 8.
// All others: equal hosts, of as many ranks as the least power of a prime in the world (of 360 =
// 8 * 9 * 5 ranks 72 hosts of 5), with an order that goes to the next host and the next place in it
// at each step. Ranks are turns of each other along it (schedule/rotation.h), so that a world is
// proved at the cost of one rank.

#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/host_layout.h"

namespace rondo::verify {

std::vector<schedule::SharedLayout> layout_family(int world);

/// Those for an algorithm: none where it looks at no layout; where it asks only whether ranks share
/// hosts, one host of all and one for each.
std::vector<schedule::SharedLayout> layouts_for(const algorithms::Algorithm& algorithm, int world);

}  // namespace rondo::verify
