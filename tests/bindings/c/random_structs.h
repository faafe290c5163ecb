#pragma once

/* Numbers, texts and memory at random, the same ones after the same seed. */
#include <stddef.h>
#include <stdint.h>

#include "check.h"

/* RONDO_TEST_FUZZ_SEED, or another one each time. Says it, for it may be needed again. */
void choose_seed(void);
/* Trial 3 of one seed is trial 0 of the seed that is greater by 3. */
void begin_trial(uint32_t trial);

uint64_t random_number(void);
/* What is usual, the ends of the range, and now and then any. */
int32_t some_int(void);
/* 0 to `below` - 1; of eight one that may be wrong. */
int32_t mostly(uint64_t below);
/* Null, a word of options, or noise. */
const char* some_text(void);
/* Of a struct that has `own` bytes here: its own, another header's, or none of any. */
size_t some_size(size_t own);

/* Memory for one call. It ends where it says, so that AddressSanitizer sees what goes beyond, or
 * there is more behind, so that is_untouched does. */
typedef struct lent {
  void* bytes;
  size_t room;
  unsigned char* before; /* what was in it, and behind it */
  size_t all;
} lent;

/* Zeros or noise. */
lent lend(size_t room);
/* The struct `known`, of which a header has made `size` bytes, of size `size`; behind what is known
 * of it zeros or noise. No more than some thousand bytes, and at least its size field. */
lent lend_struct(const void* known, size_t own, size_t size);
/* From byte `from` on, and behind the end. */
int is_untouched(const lent* memory, size_t from);
void take_back(lent* memory);

/* What went wrong says so in one line, and is no mistake of Rondo's own. */
int went_well(rondo_status status);
