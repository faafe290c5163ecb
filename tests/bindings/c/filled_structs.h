#pragma once

#include "rondo/rondo.h"

/* Has a struct filled in, whose size and contents are random: what no header has is refused and
 * left as it was, else not a byte changes beyond the size. Of a communicator of several ranks. */
void one_filling(rondo_communicator* world);
