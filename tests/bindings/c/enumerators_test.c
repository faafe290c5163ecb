/* Numbers that no enumeration has, for every argument and every field that takes one: each is
 * refused by a sentence that names the argument and the number, and nothing is broken by it.
 * every_enumerator.py holds this table against the header. */
#include <limits.h>

#include "check.h"

static rondo_communicator* world = NULL;
static rondo_schedule* schedule = NULL;
static float input[4], output[4];

static rondo_status all_reduce_type(int v) {
  return rondo_all_reduce(world, input, output, 4, (rondo_type)v, RONDO_SUM);
}
static rondo_status all_reduce_op(int v) {
  return rondo_all_reduce(world, input, output, 4, RONDO_F32, (rondo_op)v);
}
static rondo_status all_gather_type(int v) {
  return rondo_all_gather(world, input, output, 4, (rondo_type)v);
}
static rondo_status reduce_scatter_type(int v) {
  return rondo_reduce_scatter(world, input, output, 4, (rondo_type)v, RONDO_SUM);
}
static rondo_status reduce_scatter_op(int v) {
  return rondo_reduce_scatter(world, input, output, 4, RONDO_F32, (rondo_op)v);
}
static rondo_status broadcast_type(int v) {
  return rondo_broadcast(world, output, 4, (rondo_type)v, 0);
}
static rondo_status reduce_type(int v) {
  return rondo_reduce(world, input, output, 4, (rondo_type)v, RONDO_SUM, 0);
}
static rondo_status reduce_op(int v) {
  return rondo_reduce(world, input, output, 4, RONDO_F32, (rondo_op)v, 0);
}
static rondo_status gather_type(int v) {
  return rondo_gather(world, input, output, 4, (rondo_type)v, 0);
}
static rondo_status scatter_type(int v) {
  return rondo_scatter(world, input, output, 4, (rondo_type)v, 0);
}
static rondo_status all_to_all_type(int v) {
  return rondo_all_to_all(world, input, output, 4, (rondo_type)v);
}
static rondo_status send_type(int v) { return rondo_send(world, input, 4, (rondo_type)v, 0, 0); }
static rondo_status receive_type(int v) {
  return rondo_receive(world, output, 4, (rondo_type)v, 0, 0);
}

static rondo_call call(void) {
  rondo_call made = RONDO_CALL_INIT;
  made.kind = RONDO_ALL_REDUCE;
  made.input = input;
  made.output = output;
  made.input_count = made.output_count = 4;
  return made;
}
static rondo_status run(const rondo_call* c) { return rondo_run(world, c); }
static rondo_status start(const rondo_call* c) {
  rondo_work* work = NULL;
  const rondo_status status = rondo_start(world, c, &work);
  CHECK(work == NULL);
  return status;
}
#define CALL_WITH(function, field, type)          \
  static rondo_status function##_##field(int v) { \
    rondo_call c = call();                        \
    c.field = (type)v;                            \
    return function(&c);                          \
  }
CALL_WITH(run, kind, rondo_kind)
CALL_WITH(run, type, rondo_type)
CALL_WITH(run, op, rondo_op)
CALL_WITH(start, kind, rondo_kind)
CALL_WITH(start, type, rondo_type)
CALL_WITH(start, op, rondo_op)

static rondo_status query_plan_kind(int v) {
  rondo_plan plan = RONDO_PLAN_INIT;
  return rondo_query_plan((rondo_kind)v, 64, RONDO_F32, 1, 2, NULL, &plan);
}
static rondo_status query_plan_type(int v) {
  rondo_plan plan = RONDO_PLAN_INIT;
  return rondo_query_plan(RONDO_ALL_REDUCE, 64, (rondo_type)v, 1, 2, NULL, &plan);
}
static rondo_plan_question question_of(rondo_kind kind, rondo_type type) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.kind = kind;
  question.type = type;
  question.hosts = 1;
  question.ranks_per_host = 2;
  return question;
}
static rondo_status explain(rondo_kind kind, rondo_type type) {
  const rondo_plan_question question = question_of(kind, type);
  rondo_plan_report* report = NULL;
  const rondo_status status = rondo_explain_plan(&question, &report);
  CHECK(report == NULL);
  return status;
}
static rondo_status draw(rondo_kind kind, rondo_type type) {
  const rondo_plan_question question = question_of(kind, type);
  return rondo_draw_plan(&question, NULL, 0, NULL);
}
static rondo_status describe(rondo_kind kind, rondo_type type) {
  const rondo_plan_question question = question_of(kind, type);
  return rondo_describe_plan(&question, 0, NULL, 0, NULL);
}
static rondo_status draw_plan_kind(int v) { return draw((rondo_kind)v, RONDO_F32); }
static rondo_status draw_plan_type(int v) { return draw(RONDO_ALL_REDUCE, (rondo_type)v); }
static rondo_status describe_plan_kind(int v) { return describe((rondo_kind)v, RONDO_F32); }
static rondo_status describe_plan_type(int v) { return describe(RONDO_ALL_REDUCE, (rondo_type)v); }
static rondo_status explain_plan_kind(int v) { return explain((rondo_kind)v, RONDO_F32); }
static rondo_status explain_plan_type(int v) { return explain(RONDO_ALL_REDUCE, (rondo_type)v); }

static rondo_status abort_status(int v) { return rondo_abort(world, (rondo_status)v, "no"); }
static rondo_status set_log_level(int v) { return rondo_set_log(NULL, NULL, (rondo_log_level)v); }
static rondo_status schedule_begin_kind(int v) {
  rondo_schedule* made = NULL;
  const rondo_status status = rondo_schedule_begin("x", (rondo_kind)v, 2, 1, 0, 0, &made);
  CHECK(made == NULL);
  return status;
}
static rondo_status step_kind(int v) {
  rondo_step step = RONDO_STEP_INIT;
  step.kind = (rondo_step_kind)v;
  step.peer = 1;
  return rondo_schedule_add(schedule, &step, NULL);
}
static rondo_status step_source(int v) {
  rondo_step step = RONDO_STEP_INIT;
  step.peer = 1;
  step.source.memory = (rondo_place_memory)v;
  return rondo_schedule_add(schedule, &step, NULL);
}
static rondo_status step_other(int v) {
  rondo_step step = RONDO_STEP_INIT;
  step.kind = RONDO_STEP_REDUCE;
  step.other.memory = (rondo_place_memory)v;
  return rondo_schedule_add(schedule, &step, NULL);
}
static rondo_status step_target(int v) {
  rondo_step step = RONDO_STEP_INIT;
  step.kind = RONDO_STEP_RECV;
  step.peer = 1;
  step.target.memory = (rondo_place_memory)v;
  return rondo_schedule_add(schedule, &step, NULL);
}

typedef struct row {
  const char* function;
  const char* what; /* what the message begins with */
  rondo_status (*with)(int value);
  int least, most; /* the enumerators, */
  int also, last;  /* and some that stand apart, or the same again */
} row;

static const row kRows[] = {
    {"rondo_all_reduce", "type", all_reduce_type, 0, 9, 0, 9},
    {"rondo_all_reduce", "op", all_reduce_op, 0, 7, 0, 7},
    {"rondo_all_gather", "type", all_gather_type, 0, 9, 0, 9},
    {"rondo_reduce_scatter", "type", reduce_scatter_type, 0, 9, 0, 9},
    {"rondo_reduce_scatter", "op", reduce_scatter_op, 0, 7, 0, 7},
    {"rondo_broadcast", "type", broadcast_type, 0, 9, 0, 9},
    {"rondo_reduce", "type", reduce_type, 0, 9, 0, 9},
    {"rondo_reduce", "op", reduce_op, 0, 7, 0, 7},
    {"rondo_gather", "type", gather_type, 0, 9, 0, 9},
    {"rondo_scatter", "type", scatter_type, 0, 9, 0, 9},
    {"rondo_all_to_all", "type", all_to_all_type, 0, 9, 0, 9},
    {"rondo_send", "type", send_type, 0, 9, 0, 9},
    {"rondo_receive", "type", receive_type, 0, 9, 0, 9},
    {"rondo_run", "rondo_call.kind", run_kind, 0, 8, 100, 101},
    {"rondo_run", "rondo_call.type", run_type, 0, 9, 0, 9},
    {"rondo_run", "rondo_call.op", run_op, 0, 7, 100, 101},
    {"rondo_start", "rondo_call.kind", start_kind, 0, 8, 100, 101},
    {"rondo_start", "rondo_call.type", start_type, 0, 9, 0, 9},
    {"rondo_start", "rondo_call.op", start_op, 0, 7, 100, 101},
    {"rondo_query_plan", "kind", query_plan_kind, 0, 8, 0, 8},
    {"rondo_query_plan", "type", query_plan_type, 0, 9, 0, 9},
    {"rondo_explain_plan", "rondo_plan_question.kind", explain_plan_kind, 0, 8, 0, 8},
    {"rondo_explain_plan", "rondo_plan_question.type", explain_plan_type, 0, 9, 0, 9},
    {"rondo_draw_plan", "rondo_plan_question.kind", draw_plan_kind, 0, 8, 0, 8},
    {"rondo_draw_plan", "rondo_plan_question.type", draw_plan_type, 0, 9, 0, 9},
    {"rondo_describe_plan", "rondo_plan_question.kind", describe_plan_kind, 0, 8, 0, 8},
    {"rondo_describe_plan", "rondo_plan_question.type", describe_plan_type, 0, 9, 0, 9},
    {"rondo_abort", "status", abort_status, 1, 10, 1, 10},
    {"rondo_set_log", "level", set_log_level, 0, 5, 0, 5},
    {"rondo_schedule_begin", "kind", schedule_begin_kind, 0, 8, 0, 8},
    {"rondo_schedule_add", "rondo_step.kind", step_kind, 0, 5, 0, 5},
    {"rondo_schedule_add", "rondo_place.memory", step_source, 0, 2, 0, 2},
    {"rondo_schedule_add", "rondo_place.memory", step_other, 0, 2, 0, 2},
    {"rondo_schedule_add", "rondo_place.memory", step_target, 0, 2, 0, 2},
};

static void refused(const row* r, int value) {
  char words[80];
  const int length = snprintf(words, sizeof words, "%s %d: ", r->what, value);
  const rondo_status status = r->with(value);
  if (status == RONDO_INVALID_ARGUMENT &&
      strncmp(rondo_last_error()->message, words, (size_t)length) == 0)
    return;
  fprintf(stderr, "%s with %s %d: status %d, %s\n", r->function, r->what, value, (int)status,
          rondo_last_error()->message);
  exit(1);
}

int main(void) {
  OK(rondo_create(NULL, &world));
  OK(rondo_schedule_begin("two", RONDO_ALL_REDUCE, 2, 1, 0, 0, &schedule));
  const int usual[] = {INT_MIN, -256, -1, 0, 6, 50, 77, 99, 102, 255, 256, INT_MAX - 1, INT_MAX};
  for (size_t k = 0; k < sizeof kRows / sizeof *kRows; ++k) {
    const row* const r = &kRows[k];
    refused(r, r->least - 1);
    refused(r, r->most + 1);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i) {
      const int value = usual[i];
      const int is_one =
          (value >= r->least && value <= r->most) || (value >= r->also && value <= r->last);
      if (!is_one) refused(r, value);
    }
  }
  /* These have no factor and no function. */
  REFUSED(all_reduce_op(RONDO_CUSTOM), RONDO_INVALID_ARGUMENT, "op 101: ");
  REFUSED(reduce_op(RONDO_PREMULTIPLIED_SUM), RONDO_INVALID_ARGUMENT, "op 100: ");
  CHECK(strcmp(rondo_status_name((rondo_status)-1), "unknown") == 0);

  OK(rondo_schedule_release(schedule));
  input[0] = 2.25F;
  OK(all_reduce_op(RONDO_SUM));
  CHECK(output[0] == 2.25F && "none of that has hurt it");
  OK(rondo_destroy(world));
  return 0;
}
