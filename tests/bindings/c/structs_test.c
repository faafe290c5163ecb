/* Structs as they come from other headers, from wrong casts and from memory that nobody has
 * written: sizes, numbers and texts at random, in memory that ends where they say. Pointers are
 * null or point to what they should; nothing can be said of others. RONDO_TEST_FUZZ_SECONDS: for so
 * long (200 of them otherwise). RONDO_TEST_FUZZ_SEED: as in an earlier run, which has said it. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "check.h"

static uint64_t state;

/* Says it, for it may be needed again. */
static void choose_seed(void) {
  const char* const given = getenv("RONDO_TEST_FUZZ_SEED");
  const uint64_t now = (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();
  const uint32_t seed = given == NULL ? (uint32_t)now : (uint32_t)strtoul(given, NULL, 10);
  printf("RONDO_TEST_FUZZ_SEED=%lu repeats these trials\n", (unsigned long)seed);
  fflush(stdout);
  state = (seed + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
}

/* Marsaglia's xorshift. */
static uint64_t random_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static int32_t some_int(void) {
  const int32_t usual[] = {0, 1, 2, 4, 7, 100, -1, INT32_MAX, INT32_MIN};
  return random_number() % 4 == 0 ? (int32_t)random_number() : usual[random_number() % 9];
}

static const char* some_text(void) {
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

static size_t some_size(size_t own) {
  switch (random_number() % 5) {
    case 0: return random_number() % (2 * own);
    case 1: return random_number() % (own / 8) * 8;
    case 2: return own + 8 * (random_number() % 16);
    case 3: return (size_t)random_number();
    default: return own;
  }
}

/* In memory of just so many bytes, the rest of which is noise or zeros. At least its size field. */
static void* in_memory(const void* known, size_t own, size_t size) {
  const size_t most = 8192;
  const size_t room = size < sizeof(size_t) ? sizeof(size_t) : size < most ? size : most;
  unsigned char* const memory = malloc(room);
  CHECK(memory != NULL);
  const int zeros = random_number() % 2 == 0;
  for (size_t i = 0; i < room; ++i) memory[i] = zeros ? 0 : (unsigned char)random_number();
  memcpy(memory, known, room < own ? room : own);
  memcpy(memory, &size, sizeof size);
  return memory;
}

static void one_config(void) {
  rondo_config config = RONDO_CONFIG_INIT;
  if (random_number() % 4 == 0) config.abi_version = (uint32_t)random_number() % 3;
  config.timeout_ms = some_int();
  config.join_timeout_ms = some_int();
  config.tcp_sockets = some_int();
  config.tcp_zero_copy_bytes = random_number() % 3 == 0 ? random_number() : 0;
  config.segment_bytes = random_number() % 3 == 0 ? random_number() : 0;
  config.deterministic = some_int();
  if (random_number() % 4 == 0) config.device.kind = some_int();
  config.device.index = random_number() % 4 == 0 ? some_int() : 0;
  config.transport = some_text();
  config.algorithm = some_text();
  config.network_interface = some_text();
  config.progress = some_text();
  config.links = some_text();
  config.wire_format = some_text();
  config.error_feedback = some_text();
  config.device_path = some_text();
  config.schedule = random_number() % 4 == 0 ? some_text() : NULL;
  config.tuning = some_text();
  rondo_config* const given = in_memory(&config, sizeof config, some_size(sizeof config));
  rondo_communicator* world = NULL;
  const rondo_status status = rondo_create(given, &world);
  CHECK((status == RONDO_OK) == (world != NULL));
  CHECK(status == RONDO_OK || rondo_last_error()->message[0] != '\0');
  CHECK(status == RONDO_OK || strchr(rondo_last_error()->message, '\n') == NULL);
  OK(rondo_destroy(world));
  free(given);
}

static void one_call(rondo_communicator* world) {
  static double input[64], output[64];
  static const size_t counts[1] = {8};
  rondo_call call = RONDO_CALL_INIT;
  call.kind = (rondo_kind)some_int();
  /* They wait for a peer, as they should. */
  if (call.kind == RONDO_SEND || call.kind == RONDO_RECEIVE) call.kind = RONDO_BARRIER;
  call.type = random_number() % 4 == 0 ? (rondo_type)some_int() : RONDO_F64;
  call.op = (rondo_op)some_int();
  if (call.op == RONDO_CUSTOM) call.op = RONDO_SUM; /* its function would be noise */
  call.root = some_int();
  call.tag = some_int();
  call.timeout_ms = some_int();
  call.input = random_number() % 8 == 0 ? NULL : input;
  call.output = random_number() % 8 == 0 ? NULL : output;
  call.input_count = random_number() % 65;
  call.output_count = random_number() % 2 == 0 ? call.input_count : random_number() % 65;
  call.input_counts = random_number() % 8 == 0 ? counts : NULL;
  call.output_counts = random_number() % 8 == 0 ? counts : NULL;
  call.factor = (double)some_int();
  rondo_call* const given = in_memory(&call, sizeof call, some_size(sizeof call));
  const rondo_status status = rondo_run(world, given);
  CHECK(status == RONDO_OK || rondo_last_error()->message[0] != '\0');
  free(given);
}

/* Of small worlds, and of data of any size: beyond a tebibyte they are refused. */
static void one_question(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.kind = random_number() % 4 == 0 ? (rondo_kind)some_int() : RONDO_ALL_GATHER;
  question.type = random_number() % 4 == 0 ? (rondo_type)some_int() : RONDO_F64;
  const uint64_t bits = random_number();
  question.bytes = bits >> random_number() % 64;
  question.root = random_number() % 4 == 0 ? some_int() : 0;
  question.hosts = (int32_t)(random_number() % 4) - 1;
  question.ranks_per_host = (int32_t)(random_number() % 4) - 1;
  question.deterministic = some_int();
  question.network = random_number() % 4 == 0 ? some_text() : NULL;
  question.tuning = random_number() % 4 == 0 ? some_text() : NULL;
  question.algorithm = some_text();
  question.schedule = random_number() % 4 == 0 ? some_text() : NULL;
  rondo_plan_question* const given =
      in_memory(&question, sizeof question, some_size(sizeof question));
  rondo_plan_report* report = NULL;
  const rondo_status status = rondo_explain_plan(given, &report);
  CHECK((status == RONDO_OK) == (report != NULL));
  CHECK(status == RONDO_OK || rondo_last_error()->message[0] != '\0');
  const rondo_plan_candidate* candidate = NULL;
  CHECK(status != RONDO_OK || rondo_plan_report_candidate(report, 0, &candidate) == RONDO_OK);
  OK(rondo_plan_report_release(report));
  free(given);
}

int main(void) {
  const char* const seconds = getenv("RONDO_TEST_FUZZ_SECONDS");
  const time_t end = time(NULL) + (seconds == NULL ? 0 : atoi(seconds));
  choose_seed();
  rondo_communicator* world = NULL;
  OK(rondo_create(NULL, &world));
  for (int i = 0; i < 200 || time(NULL) < end; ++i) {
    one_config();
    one_question();
    for (int k = 0; k < 20; ++k) one_call(world);
  }
  double value = 1.25;
  OK(rondo_all_reduce(world, &value, &value, 1, RONDO_F64, RONDO_SUM));
  CHECK(value == 1.25);
  OK(rondo_destroy(world));
  return 0;
}
