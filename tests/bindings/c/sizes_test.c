/* Structs that are filled in for programs of other headers: never a byte beyond their size, zeros
 * where this library knows less, and a sentence where no header had that size. Two ranks. */
#include <stddef.h>

#include "check.h"

enum { kRoom = 1024, kNoise = 0xa5 };

static rondo_communicator* world = NULL;
static int peer;

static rondo_status traffic(void* out) { return rondo_get_traffic(world, peer, out); }
static rondo_status call_info(void* out) { return rondo_last_call(world, out); }
static rondo_status plan(void* out) {
  return rondo_query_plan(RONDO_ALL_REDUCE, 1 << 20, RONDO_F32, 2, 4, NULL, out);
}

typedef struct filled {
  const char* name;
  rondo_status (*fill)(void* out);
  size_t own;
  size_t oldest; /* what ended with this field's beginning is taken, */
  size_t text;   /* and this text is in it */
} filled;

static const filled kFilled[] = {
    {"rondo_traffic", traffic, sizeof(rondo_traffic), offsetof(rondo_traffic, sent_bytes),
     offsetof(rondo_traffic, transport)},
    {"rondo_call_info", call_info, sizeof(rondo_call_info), offsetof(rondo_call_info, predicted_us),
     offsetof(rondo_call_info, algorithm)},
    {"rondo_plan", plan, sizeof(rondo_plan), offsetof(rondo_plan, predicted_us),
     offsetof(rondo_plan, algorithm)},
};

/* Noise with this size in front. */
static void prepare(unsigned char* memory, size_t size) {
  memset(memory, kNoise, kRoom);
  memcpy(memory, &size, sizeof size);
}

static int all(const unsigned char* bytes, size_t from, size_t to, int value) {
  for (size_t i = from; i < to; ++i)
    if (bytes[i] != value) return 0;
  return 1;
}

static void accepted(const filled* f, size_t size) {
  static unsigned char whole[kRoom], memory[kRoom];
  prepare(whole, f->own);
  OK(f->fill(whole));
  prepare(memory, size);
  OK(f->fill(memory));
  size_t is = 0;
  memcpy(&is, memory, sizeof is);
  CHECK(is == size && "it stays");
  CHECK(memory[f->text] != '\0' && memory[f->text] != kNoise);
  const size_t known = size < f->own ? size : f->own;
  CHECK(memcmp(memory + sizeof is, whole + sizeof is, known - sizeof is) == 0);
  CHECK(all(memory, known, size, 0) && "nothing is said with what isn't known");
  CHECK(all(memory, size, kRoom, kNoise) && "nothing is written beyond the caller's struct");
}

static void refused(const filled* f, size_t size) {
  static unsigned char memory[kRoom];
  char words[80];
  prepare(memory, size);
  snprintf(words, sizeof words, "%s.size is %zu; expected sizeof(%s), %zu here", f->name, size,
           f->name, f->own);
  REFUSED(f->fill(memory), RONDO_INVALID_ARGUMENT, words);
  CHECK(all(memory, sizeof size, kRoom, kNoise) && "what is refused is left as it was");
}

/* An op as an older header had it, with noise behind; sizes that there are none of. */
static void steps(void) {
  rondo_schedule* s = NULL;
  uint32_t op = 7;
  OK(rondo_schedule_begin("two", RONDO_ALL_REDUCE, 2, 1, 0, 0, &s));
  rondo_step step = RONDO_STEP_INIT;
  step.kind = RONDO_STEP_COPY;
  step.target.memory = RONDO_OUTPUT;
  step.size = offsetof(rondo_step, final);
  OK(rondo_schedule_add(s, &step, &op));
  CHECK(op == 0);
  step.size = 0;
  REFUSED(rondo_schedule_add(s, &step, &op), RONDO_INVALID_ARGUMENT, "rondo_step.size is 0");
  struct {
    rondo_step known;
    uint64_t unknown;
  } newer = {RONDO_STEP_INIT, 1};
  newer.known.peer = 1;
  newer.known.size = sizeof newer;
  REFUSED(rondo_schedule_add(s, &newer.known, &op), RONDO_INVALID_ARGUMENT, "a newer one");
  newer.unknown = 0;
  OK(rondo_schedule_add(s, &newer.known, &op));
  OK(rondo_schedule_release(s));
}

int main(void) {
  OK(rondo_create(NULL, &world));
  CHECK(rondo_size(world) == 2);
  peer = 1 - rondo_rank(world);
  float data[300];
  for (size_t i = 0; i < 300; ++i) data[i] = given(rondo_rank(world), i);
  OK(rondo_all_reduce(world, data, data, 300, RONDO_F32, RONDO_SUM));
  for (size_t k = 0; k < sizeof kFilled / sizeof *kFilled; ++k) {
    const filled* const f = &kFilled[k];
    for (size_t size = f->oldest; size <= f->own + 64; size += 8) accepted(f, size);
    const size_t none[] = {0,          8,          f->oldest - 8, f->oldest + 4,
                           f->own - 1, f->own + 1, 4104,          (size_t)-1};
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) refused(f, none[i]);
  }
  steps();
  OK(rondo_barrier(world));
  OK(rondo_destroy(world));
  return 0;
}
