/* Structs as they come from other headers, from wrong casts and from memory that nobody has
 * written: sizes, numbers and texts at random, in memory that ends where they say, or with bytes
 * behind that must not change. Pointers are null or point to what they should; nothing can be said
 * of others. Three processes start the same calls; the first does the rest by itself.
 * RONDO_TEST_FUZZ_SECONDS: for so long (200 trials otherwise). RONDO_TEST_FUZZ_SEED: as in an
 * earlier run, which has said it. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>
#include <unistd.h>

#include "board.h"
#include "check.h"
#include "filled_structs.h"
#include "random_structs.h"

static void one_config(void) {
  rondo_config config = RONDO_CONFIG_INIT;
  if (random_number() % 4 == 0) config.abi_version = (uint32_t)random_number() % 3;
  config.timeout_ms = some_int();
  config.join_timeout_ms = some_int();
  config.tcp_sockets = some_int();
  config.tcp_zero_copy_bytes = random_number() % 3 == 0 ? random_number() : 0;
  config.segment_bytes = random_number() % 3 == 0 ? random_number() : 0;
  config.private_read_bytes = random_number() % 3 == 0 ? random_number() : 0;
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
  config.tuning = random_number() % 4 == 0 ? some_text() : NULL;
  lent given = lend_struct(&config, sizeof config, some_size(sizeof config));
  rondo_communicator* world = NULL;
  CHECK(went_well(rondo_create(given.bytes, &world)) == (world != NULL));
  CHECK(is_untouched(&given, 0));
  take_back(&given);
  OK(rondo_destroy(world));
}

/* Whatever the elements are. */
static void keep_left(void* left, const void* right, size_t count, uint8_t type, void* context) {
  CHECK(left != NULL && right != NULL && count > 0 && type <= RONDO_F64);
  /* Sizes before `context` leave it out. */
  CHECK(context == NULL || strcmp(context, "of the call") == 0);
}

static void choose_op(rondo_call* call) {
  static char context[] = "of the call";
  call->op = (rondo_op)mostly(8);
  if (random_number() % 8 == 0) call->op = RONDO_CUSTOM;
  call->function = random_number() % 4 == 0 ? NULL : keep_left;
  call->context = context;
  call->commutative = some_int();
}

/* Of a rank's part, of all ranks', or neither. */
static size_t some_count(size_t part, size_t ranks) {
  const size_t counts[] = {part, part, part * ranks, random_number() % 65};
  return counts[random_number() % 4];
}

static rondo_call some_call(size_t ranks) {
  static double input[64 * kProcesses], output[64 * kProcesses];
  static const size_t counts[kProcesses] = {8, 8, 8};
  rondo_call call = RONDO_CALL_INIT;
  call.kind = (rondo_kind)mostly(9);
  /* They wait for a peer, as they should. */
  if (call.kind == RONDO_SEND || call.kind == RONDO_RECEIVE) call.kind = RONDO_BARRIER;
  call.type = random_number() % 4 == 0 ? (rondo_type)some_int() : RONDO_F64;
  choose_op(&call);
  call.root = mostly(ranks);
  call.tag = some_int();
  call.timeout_ms = random_number() % 2 == 0 ? 0 : some_int();
  call.input = random_number() % 8 == 0 ? NULL : input;
  call.output = random_number() % 8 == 0 ? NULL : output;
  const size_t part = random_number() % 65;
  call.input_count = some_count(part, ranks);
  call.output_count = some_count(part, ranks);
  call.input_counts = random_number() % 8 == 0 ? counts : NULL;
  call.output_counts = random_number() % 8 == 0 ? counts : NULL;
  call.factor = (double)some_int();
  return call;
}

static lent lend_call(const rondo_call* call) {
  const size_t own = sizeof *call;
  return lend_struct(call, own, random_number() % 2 == 0 ? own : some_size(own));
}

static void one_run(rondo_communicator* alone) {
  const rondo_call call = some_call(1);
  lent given = lend_call(&call);
  went_well(rondo_run(alone, given.bytes));
  CHECK(is_untouched(&given, 0));
  take_back(&given);
}

/* One of the buffers is looked at by the root alone. */
static int differs_by_rank(rondo_kind kind) {
  return kind == RONDO_REDUCE || kind == RONDO_GATHER || kind == RONDO_SCATTER;
}

/* Null where it is refused. */
static rondo_work* one_start(rondo_communicator* world) {
  const size_t ranks = (size_t)rondo_size(world);
  rondo_call call = some_call(ranks);
  /* What one rank refuses and another starts, and a deadline that passes, is a world's end. */
  if (ranks > 1 && differs_by_rank(call.kind)) call.kind = RONDO_ALL_REDUCE;
  if (ranks > 1 && call.timeout_ms > 0) call.timeout_ms = INT32_MAX;
  rondo_work* work = NULL;
  lent given = lend_call(&call);
  CHECK(went_well(rondo_start(world, given.bytes, &work)) == (work != NULL));
  CHECK(is_untouched(&given, 0));
  /* Before it is done. */
  take_back(&given);
  return work;
}

/* The same random numbers are asked for, however far it is. */
static void one_end(rondo_work* work) {
  const int32_t limit_ms = some_int();
  const uint64_t way = random_number() % 4;
  int done = -1;
  if (way == 0) OK(rondo_work_test(work, &done));
  if (way == 1) went_well(rondo_work_wait_for(work, limit_ms, &done));
  if (way <= 2) went_well(rondo_work_wait(work));
  OK(rondo_work_release(work));
}

/* Several under way; how many. */
static int some_starts(rondo_communicator* world) {
  rondo_work* works[4];
  int started = 0;
  for (int i = 0; i < 4; ++i) works[i] = one_start(world);
  for (int i = 0; i < 4; ++i) {
    if (works[i] == NULL) continue;
    one_end(works[i]);
    ++started;
  }
  return started;
}

/* Of small worlds, and of data of any size: beyond a tebibyte they are refused. */
static void one_question(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.kind = random_number() % 4 == 0 ? (rondo_kind)some_int() : RONDO_ALL_GATHER;
  question.type = random_number() % 4 == 0 ? (rondo_type)some_int() : RONDO_F64;
  const uint64_t bits = random_number();
  question.bytes = bits >> random_number() % 64;
  if (random_number() % 4 != 0) question.bytes &= ~(uint64_t)7; /* whole elements */
  question.root = random_number() % 4 == 0 ? some_int() : 0;
  question.hosts = (int32_t)(random_number() % 4) - 1;
  question.ranks_per_host = (int32_t)(random_number() % 4) - 1;
  question.deterministic = some_int();
  question.registered = some_int();
  question.network = random_number() % 4 == 0 ? some_text() : NULL;
  question.tuning = random_number() % 4 == 0 ? some_text() : NULL;
  question.algorithm = some_text();
  question.schedule = random_number() % 4 == 0 ? some_text() : NULL;
  lent given = lend_struct(&question, sizeof question, some_size(sizeof question));
  rondo_plan_report* report = NULL;
  const int is_answered = went_well(rondo_explain_plan(given.bytes, &report));
  CHECK(is_answered == (report != NULL));
  CHECK(is_untouched(&given, 0));
  const rondo_plan_candidate* candidate = NULL;
  CHECK(!is_answered || rondo_plan_report_candidate(report, 0, &candidate) == RONDO_OK);
  OK(rondo_plan_report_release(report));
  take_back(&given);
}

static rondo_place some_place(void) {
  const rondo_place place = {(rondo_place_memory)mostly(3), (uint32_t)mostly(4)};
  return place;
}

/* Whether there is one more. */
static int one_step(rondo_schedule* schedule, int ranks, uint32_t steps) {
  rondo_step step = RONDO_STEP_INIT;
  step.kind = (rondo_step_kind)mostly(6);
  step.rank = mostly((uint64_t)ranks);
  step.lane = mostly(2);
  step.peer = mostly((uint64_t)ranks);
  step.source = some_place();
  step.other = some_place();
  step.target = some_place();
  step.final = some_int();
  step.other_lane = mostly(2);
  step.other_op = (uint32_t)mostly(4);
  const uint32_t none = UINT32_MAX;
  uint32_t op = none;
  uint32_t* const out = random_number() % 8 == 0 ? NULL : &op;
  lent given = lend_struct(&step, sizeof step, some_size(sizeof step));
  const int is_added = went_well(rondo_schedule_add(schedule, given.bytes, out));
  CHECK(is_untouched(&given, 0));
  take_back(&given);
  CHECK(is_added && out != NULL ? op <= steps : op == none);
  return is_added;
}

static void one_slot(rondo_schedule* schedule, int ranks) {
  lent place = lend(sizeof(rondo_place));
  const int is_made = went_well(
      rondo_schedule_scratch(schedule, mostly((uint64_t)ranks), (uint32_t)mostly(4), place.bytes));
  CHECK(is_untouched(&place, is_made ? place.room : 0));
  take_back(&place);
}

static void one_build(const rondo_schedule* schedule) {
  lent text = lend(random_number() % 2048);
  size_t needed = 0;
  const int is_right = went_well(rondo_schedule_build(schedule, text.bytes, text.room, &needed));
  CHECK(is_untouched(&text, is_right ? text.room : 0));
  CHECK(!is_right || text.room == 0 || memchr(text.bytes, '\0', text.room) != NULL);
  take_back(&text);
}

static void one_schedule(void) {
  const int ranks = random_number() % 8 == 0 ? some_int() : 1 + (int)(random_number() % 4);
  rondo_schedule* schedule = NULL;
  const rondo_status status =
      rondo_schedule_begin(some_text(), (rondo_kind)mostly(9), ranks, 1 + (uint32_t)mostly(4),
                           mostly(2), random_number() % 4 == 0, &schedule);
  CHECK(went_well(status) == (schedule != NULL));
  if (schedule == NULL) return;
  for (int i = 0; i < 2; ++i) one_slot(schedule, ranks);
  uint32_t steps = 0;
  for (int i = 0; i < 20; ++i) steps += (uint32_t)one_step(schedule, ranks, steps);
  one_build(schedule);
  OK(rondo_schedule_release(schedule));
}

static void by_itself(rondo_communicator* world, rondo_communicator* alone) {
  one_config();
  one_question();
  one_schedule();
  some_starts(alone);
  for (int k = 0; k < 20; ++k) one_run(alone);
  for (int k = 0; k < 20; ++k) one_filling(world);
}

static void expect_sums(rondo_communicator* c) {
  double value = 1.25;
  OK(rondo_all_reduce(c, &value, &value, 1, RONDO_F64, RONDO_SUM));
  CHECK(value == 1.25 * rondo_size(c));
}

static rondo_communicator* joined(int process) {
  rondo_communicator* world = NULL;
  rondo_config config = RONDO_CONFIG_INIT;
  config.network_interface = "lo";
  config.progress = random_number() % 2 == 0 ? "caller" : "thread";
  OK(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, &config, &world));
  return world;
}

/* Process 0 says whether there is to be another trial. */
static void trials(int process) {
  const char* const seconds = getenv("RONDO_TEST_FUZZ_SECONDS");
  const int wanted = seconds == NULL ? 0 : atoi(seconds);
  const time_t end = time(NULL) + wanted;
  alarm((unsigned)wanted + 80); /* of what would wait for ever */
  rondo_communicator* const world = joined(process);
  rondo_communicator* alone = NULL;
  OK(rondo_create(NULL, &alone));
  int32_t more = 1;
  int started = 0;
  for (uint32_t trial = 0; more != 0; ++trial) {
    begin_trial(trial);
    started += some_starts(world);
    if (process == 0) by_itself(world, alone);
    more = trial < 200 || time(NULL) < end;
    OK(rondo_broadcast(world, &more, 1, RONDO_I32, 0));
  }
  CHECK(started > 0 && "some of them are calls");
  expect_sums(world);
  expect_sums(alone);
  OK(rondo_destroy(alone));
  OK(rondo_destroy(world));
}

int main(void) {
  choose_seed();
  return in_processes(trials);
}
