/* The C of docs/c-abi.md, as it stands there, by four ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo/rondo.h"

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, rondo_last_error()->message);
  return 1;
}

static int wrong(const char* what) {
  fprintf(stderr, "%s: not what the page says\n", what);
  return 1;
}

int main(void) {
#include "world.inc"
  if (value != 4 * 2.0) return wrong("the sum of four ranks' numbers and halves");
#include "explained.inc"
    /* Of the same question. */
#include "drawn.inc"
  if (strncmp(svg, "<svg", 4) != 0 || strlen(svg) + 1 != needed) return wrong("the drawing");
  free(svg);
  return rondo_destroy(world) == RONDO_OK ? 0 : fail("rondo_destroy");
}
