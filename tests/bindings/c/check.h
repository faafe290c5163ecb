#pragma once

/* What C's tests share. C99. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rondo/rondo.h"

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, \
              rondo_last_error()->message);                                                   \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

#define OK(call) CHECK((call) == RONDO_OK)

/* The call fails like this, and says so. */
#define REFUSED(call, expected, words)                           \
  do {                                                           \
    CHECK((call) == (expected));                                 \
    CHECK(rondo_last_error()->status == (expected));             \
    CHECK(strstr(rondo_last_error()->message, (words)) != NULL); \
  } while (0)

/* What rank `rank` contributes as element i: no integers, and different everywhere. */
static inline float given(int rank, size_t i) {
  return 0.37F * (float)(i % 97 + 1) + 1.13F * (float)rank + 0.01F;
}

static inline int near(double value, double expected) {
  return fabs(value - expected) <= 1e-5 * (1 + fabs(expected));
}
