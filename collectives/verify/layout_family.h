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
// Larger ones: hosts of 8.

#include <vector>

#include "collectives/schedule/host_layout.h"

namespace rondo::verify {

std::vector<schedule::SharedLayout> layout_family(int world);

}  // namespace rondo::verify
