#include <rondo/rondo.h>
#include <stdio.h>

int main(void) {
  rondo_communicator* world = NULL;
  float value = 0;
  if (rondo_create(NULL, &world) != RONDO_OK) {
    fprintf(stderr, "%s\n", rondo_last_error()->message);
    return 1;
  }
  value = (float)rondo_rank(world) + 0.25F;
  if (rondo_all_reduce(world, &value, &value, 1, RONDO_F32, RONDO_SUM) != RONDO_OK) return 1;
  if (rondo_rank(world) == 0) printf("C: sum %.2f of %d\n", (double)value, rondo_size(world));
  return rondo_destroy(world) == RONDO_OK ? 0 : 1;
}
