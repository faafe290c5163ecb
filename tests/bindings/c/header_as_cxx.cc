// The header alone, as C++, and each of its macros: they are compiled where they are used alone.
#include "rondo/rondo.h"

static_assert(RONDO_OK == 0);
static_assert(RONDO_ABI_VERSION > 0);
static_assert(RONDO_MEMORY_ALIGNMENT > 0);
rondo_config config = RONDO_CONFIG_INIT;
rondo_call call = RONDO_CALL_INIT;
rondo_traffic traffic = RONDO_TRAFFIC_INIT;
rondo_call_info call_info = RONDO_CALL_INFO_INIT;
rondo_plan plan = RONDO_PLAN_INIT;
rondo_plan_question plan_question = RONDO_PLAN_QUESTION_INIT;
rondo_step step = RONDO_STEP_INIT;
