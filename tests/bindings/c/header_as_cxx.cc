// The header alone, as C++.
#include "rondo/rondo.h"

static_assert(RONDO_OK == 0);
rondo_config config = RONDO_CONFIG_INIT;
rondo_call call = RONDO_CALL_INIT;
