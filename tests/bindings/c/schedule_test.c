/* A schedule that is written step by step, proved, and run by the ranks of a launcher; a wrong one
 * is refused. */
#include "check.h"

enum { kRanks = 3, kElements = 1000, kStep = sizeof(rondo_step) };

static void add(rondo_schedule* s, rondo_step step) { OK(rondo_schedule_add(s, &step, NULL)); }

/* Everybody sends everything to rank 0, which sums and sends that back. `wrong`: to the wrong rank.
 */
static rondo_schedule* star(int wrong) {
  rondo_schedule* s = NULL;
  rondo_place slot;
  OK(rondo_schedule_begin("star", RONDO_ALL_REDUCE, kRanks, 1, 0, 0, &s));
  OK(rondo_schedule_scratch(s, 0, 0, &slot));
  const rondo_place in = {RONDO_INPUT, 0}, out = {RONDO_OUTPUT, 0};
  add(s, (rondo_step){.size = kStep,
                      .kind = RONDO_STEP_RECV_REDUCE,
                      .rank = 0,
                      .peer = 1,
                      .source = in,
                      .target = slot});
  add(s, (rondo_step){.size = kStep,
                      .kind = RONDO_STEP_RECV_REDUCE,
                      .rank = 0,
                      .peer = 2,
                      .source = slot,
                      .target = out,
                      .final = 1});
  for (int peer = 1; peer < kRanks; ++peer) {
    add(s, (rondo_step){.size = kStep,
                        .kind = RONDO_STEP_SEND,
                        .rank = peer,
                        .peer = wrong ? 3 - peer : 0,
                        .source = in});
    add(s, (rondo_step){
               .size = kStep, .kind = RONDO_STEP_RECV, .rank = peer, .peer = 0, .target = out});
    add(s, (rondo_step){
               .size = kStep, .kind = RONDO_STEP_SEND, .rank = 0, .peer = peer, .source = out});
  }
  return s;
}

static void refusals(void) {
  rondo_schedule* s = star(1);
  REFUSED(rondo_schedule_build(s, NULL, 0, NULL), RONDO_INVALID_ARGUMENT, "rank");
  rondo_step step = {.size = kStep, .kind = RONDO_STEP_SEND, .rank = 0, .peer = 3};
  uint32_t op = 0;
  REFUSED(rondo_schedule_add(s, &step, &op), RONDO_INVALID_ARGUMENT, "peer 3: expected 0 to 2");
  step.kind = (rondo_step_kind)6;
  REFUSED(rondo_schedule_add(s, &step, &op), RONDO_INVALID_ARGUMENT, "rondo_step.kind 6");
  step = (rondo_step){.size = kStep, .kind = RONDO_STEP_COPY, .source = {(rondo_place_memory)7, 0}};
  REFUSED(rondo_schedule_add(s, &step, &op), RONDO_INVALID_ARGUMENT, "rondo_place.memory 7");
  REFUSED(rondo_schedule_add(s, NULL, &op), RONDO_INVALID_ARGUMENT, "step is null");
  REFUSED(rondo_schedule_scratch(s, 0, 1, NULL), RONDO_INVALID_ARGUMENT, "out is null");
  step = (rondo_step){
      .size = kStep, .kind = RONDO_STEP_COPY, .rank = 1, .lane = 1, .target = {RONDO_OUTPUT, 0}};
  OK(rondo_schedule_add(s, &step, &op));
  CHECK(op == 0);
  step = (rondo_step){
      .size = kStep, .kind = RONDO_STEP_REDUCE, .rank = 1, .target = {RONDO_OUTPUT, 0}};
  OK(rondo_schedule_add(s, &step, NULL));
  step = (rondo_step){
      .size = kStep, .kind = RONDO_STEP_WAIT, .rank = 1, .other_lane = 1, .other_op = 0};
  OK(rondo_schedule_add(s, &step, &op));
  CHECK(op == 3 && "two ops of the star and the reduction come before it");
  OK(rondo_schedule_release(s));
  OK(rondo_schedule_release(NULL));
  REFUSED(rondo_schedule_begin(NULL, RONDO_BROADCAST, 2, 1, 0, 0, &s), RONDO_INVALID_ARGUMENT,
          "name is null");
  REFUSED(rondo_schedule_begin("\xff", RONDO_BROADCAST, 2, 1, 0, 0, &s), RONDO_INVALID_ARGUMENT,
          "name: expected one line of UTF-8, 1 to 256 bytes");
  REFUSED(rondo_schedule_begin("x", RONDO_SEND, 2, 1, 0, 0, &s), RONDO_INVALID_ARGUMENT, "kind");
}

int main(void) {
  refusals();
  char text[8192], cut[4];
  size_t needed = 0;
  rondo_schedule* s = star(0);
  OK(rondo_schedule_build(s, NULL, 0, &needed));
  CHECK(needed > 100 && needed < sizeof text);
  OK(rondo_schedule_build(s, text, sizeof text, NULL));
  CHECK(strlen(text) == needed - 1);
  OK(rondo_schedule_build(s, cut, sizeof cut, NULL));
  CHECK(strlen(cut) == 3 && strncmp(cut, text, 3) == 0);
  OK(rondo_schedule_release(s));

  rondo_config config = RONDO_CONFIG_INIT;
  config.schedule = text;
  rondo_communicator* c = NULL;
  OK(rondo_create(&config, &c));
  CHECK(rondo_size(c) == kRanks);
  static float data[kElements];
  for (size_t i = 0; i < kElements; ++i) data[i] = given(rondo_rank(c), i);
  OK(rondo_all_reduce(c, data, data, kElements, RONDO_F32, RONDO_SUM));
  rondo_call_info info = RONDO_CALL_INFO_INIT;
  OK(rondo_last_call(c, &info));
  CHECK(strcmp(info.algorithm, "star") == 0);
  for (size_t i = 0; i < kElements; ++i) {
    double expected = 0;
    for (int r = 0; r < kRanks; ++r) expected += given(r, i);
    CHECK(near(data[i], expected));
  }
  OK(rondo_destroy(c));
  return 0;
}
