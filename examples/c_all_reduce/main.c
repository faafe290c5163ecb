/* A world of any launcher, from C: every rank contributes its number plus a half.
 *
 *   rondo run -n 4 -- c_all_reduce        mpirun -n 4 c_all_reduce */
#include <stdio.h>

#include "rondo/rondo.h"

static int fail(const char* what) {
  const rondo_error* error = rondo_last_error();
  fprintf(stderr, "%s: %s: %s (rank at fault: %d)\n", what, rondo_status_name(error->status),
          error->message, error->culprit);
  return 1;
}

int main(void) {
  rondo_config config = RONDO_CONFIG_INIT;
  config.timeout_ms = 30000;
  rondo_communicator* world = NULL;
  if (rondo_create(&config, &world) != RONDO_OK) return fail("rondo_create");

  double value = rondo_rank(world) + 0.5;
  if (rondo_all_reduce(world, &value, &value, 1, RONDO_F64, RONDO_SUM) != RONDO_OK)
    return fail("rondo_all_reduce");
  if (rondo_rank(world) == 0) printf("%d ranks, sum %.2f\n", rondo_size(world), value);
  return rondo_destroy(world) == RONDO_OK ? 0 : fail("rondo_destroy");
}
