#include "random_structs.h"

#include <time.h>

static uint32_t seed;
static uint64_t state;

void choose_seed(void) {
  const char* const given = getenv("RONDO_TEST_FUZZ_SEED");
  const uint64_t now = (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();
  seed = given == NULL ? (uint32_t)now : (uint32_t)strtoul(given, NULL, 10);
  printf("RONDO_TEST_FUZZ_SEED=%lu repeats these trials\n", (unsigned long)seed);
  fflush(stdout);
  begin_trial(0);
}

void begin_trial(uint32_t trial) {
  state = ((uint32_t)(seed + trial) + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Marsaglia's xorshift. */
uint64_t random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

int32_t some_int(void) {
  const int32_t usual[] = {0, 1, 2, 4, 7, 100, -1, INT32_MAX, INT32_MIN};
  return random_number() % 4 == 0 ? (int32_t)random_number() : usual[random_number() % 9];
}

int32_t mostly(uint64_t below) {
  return random_number() % 8 == 0 ? some_int() : (int32_t)(random_number() % below);
}

const char* some_text(void) {
  static char noise[4][40];
  static int next = 0;
  const char* words[] = {NULL,  "auto",   "shm",  "tcp",   "ring", "direct", "thread",
                         "off", "caller", "none", "equal", "",     "host",   "inproc"};
  if (random_number() % 8 != 0) return words[random_number() % 14];
  char* const text = noise[next++ % 4];
  const size_t length = random_number() % 39;
  for (size_t i = 0; i < length; ++i) text[i] = (char)(1 + random_number() % 255);
  text[length] = '\0';
  return text;
}

size_t some_size(size_t own) {
  switch (random_number() % 5) {
    case 0: return random_number() % (2 * own);
    case 1: return random_number() % (own / 8) * 8;
    case 2: return own + 8 * (random_number() % 16);
    case 3: return (size_t)random_number();
    default: return own;
  }
}

/* The bytes behind are noise in any case: zeros written over zeros are not seen. */
static void fill(unsigned char* bytes, size_t room, size_t all) {
  const int zeros = random_number() % 2 == 0;
  for (size_t i = 0; i < all; ++i)
    bytes[i] = zeros && i < room ? 0 : (unsigned char)(1 + random_number() % 255);
}

lent lend(size_t room) {
  lent memory;
  memory.room = room;
  memory.all = room + (random_number() % 2 == 0 ? 256 : 0);
  /* One of no bytes has an address all the same. */
  memory.bytes = malloc(memory.all > 0 ? memory.all : 1);
  memory.before = malloc(memory.all > 0 ? memory.all : 1);
  CHECK(memory.bytes != NULL && memory.before != NULL);
  fill(memory.bytes, room, memory.all);
  memcpy(memory.before, memory.bytes, memory.all);
  return memory;
}

lent lend_struct(const void* known, size_t own, size_t size) {
  const size_t most = 8192;
  lent memory = lend(size < sizeof size ? sizeof size : size < most ? size : most);
  memcpy(memory.bytes, known, memory.room < own ? memory.room : own);
  memcpy(memory.bytes, &size, sizeof size);
  memcpy(memory.before, memory.bytes, memory.all);
  return memory;
}

int is_untouched(const lent* memory, size_t from) {
  return memcmp((const char*)memory->bytes + from, memory->before + from, memory->all - from) == 0;
}

void take_back(lent* memory) {
  free(memory->bytes);
  free(memory->before);
  memory->bytes = NULL;
  memory->before = NULL;
}

int went_well(rondo_status status) {
  if (status == RONDO_OK) return 1;
  CHECK(status != RONDO_INTERNAL);
  CHECK(rondo_last_error()->status == status);
  CHECK(rondo_last_error()->message[0] != '\0');
  CHECK(strchr(rondo_last_error()->message, '\n') == NULL);
  return 0;
}
