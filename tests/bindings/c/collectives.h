#pragma once

#include "rondo/rondo.h"

/* Up to 8 ranks. Ends the process where a result is wrong. */
void all_collectives(rondo_communicator* communicator);

/* allocator.c: makes a world of its own. */
void own_allocator(void);

/* events.c */
void event_loop(rondo_communicator* c);
void traces_and_metrics(rondo_communicator* c);
