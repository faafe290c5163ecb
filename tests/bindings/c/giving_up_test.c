/* Two ranks, one of which gives up: what it cancels, what its deadline ends, what it leaves behind
 * when it destroys its communicator; and what the other one gets. Each on a communicator of its
 * own, while another one tells the ranks when. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "check.h"

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static rondo_communicator* part_of(rondo_communicator* world) {
  rondo_communicator* part = NULL;
  OK(rondo_split(world, 0, rondo_rank(world), &part));
  CHECK(rondo_size(part) == 2);
  return part;
}

enum { kElements = 4000 };

static rondo_call call_of(rondo_kind kind, float* data) {
  rondo_call call = RONDO_CALL_INIT;
  call.kind = kind;
  call.input = kind == RONDO_RECEIVE ? NULL : data;
  call.output = data;
  call.input_count = kind == RONDO_RECEIVE ? 0 : kElements;
  call.output_count = kElements;
  return call;
}

static rondo_work* started(rondo_communicator* c, rondo_kind kind) {
  static float data[2][kElements];
  static int next = 0;
  rondo_call call = call_of(kind, data[next++ % 2]);
  if (kind == RONDO_RECEIVE) call.root = 1 - rondo_rank(c);
  rondo_work* work = NULL;
  OK(rondo_start(c, &call, &work));
  CHECK(work != NULL);
  return work;
}

struct told {
  int times;
  rondo_status status;
  int culprit;
  char message[200];
};

static void tell(void* context, const rondo_error* error) {
  struct told* const told = context;
  ++told->times;
  if (error == NULL) return;
  told->status = error->status;
  told->culprit = error->culprit;
  snprintf(told->message, sizeof told->message, "%s", error->message);
}

/* It has ended like this; it is given back. */
static void ended(rondo_work* work, rondo_status status, int culprit, const char* words) {
  int done = 0;
  REFUSED(rondo_work_wait(work), status, words);
  CHECK(rondo_last_error()->culprit == culprit);
  OK(rondo_work_test(work, &done));
  CHECK(done == 1);
  OK(rondo_work_release(work));
}

/* All that the part is for still works. */
static void whole(rondo_communicator* part) {
  float value = 1.5F;
  OK(rondo_all_reduce(part, &value, &value, 1, RONDO_F32, RONDO_SUM));
  CHECK(value == 3.0F);
  OK(rondo_destroy(part));
}

/* A message that nobody sends; rank 0 gives it up, and that alone. */
static void cancelled_receive(rondo_communicator* world) {
  const char* const words = "rank 0 cancelled a call that it had started: receive(";
  rondo_communicator* const part = part_of(world);
  if (rondo_rank(world) == 0) {
    rondo_work* const work = started(part, RONDO_RECEIVE);
    struct told told = {0, RONDO_OK, -1, ""};
    int done = 1;
    OK(rondo_work_then(work, tell, &told));
    OK(rondo_work_wait_for(work, 1, &done));
    CHECK(done == 0 && told.times == 0);
    OK(rondo_work_cancel(work));
    OK(rondo_work_cancel(work));
    ended(work, RONDO_CANCELLED, 0, words);
    CHECK(told.times == 1 && told.status == RONDO_CANCELLED && told.culprit == 0);
    CHECK(strstr(told.message, words) != NULL);
  }
  whole(part);
  OK(rondo_barrier(world));
}

/* Comes to a call that the other rank has made and that has ended there with `expected`. It may
 * still find what that had to say; the next one doesn't. */
static void late(rondo_communicator* part, rondo_status expected) {
  static float data[kElements];
  const rondo_call call = call_of(RONDO_ALL_REDUCE, data);
  const rondo_status status = rondo_run(part, &call);
  CHECK(status == RONDO_OK || status == expected);
}

static void cancelled_collective(rondo_communicator* world) {
  const char* const words = "rank 0 cancelled a call that it had started: all_reduce(";
  rondo_communicator* const part = part_of(world);
  if (rondo_rank(world) == 0) {
    rondo_work* const first = started(part, RONDO_ALL_REDUCE);
    rondo_work* const behind = started(part, RONDO_BARRIER);
    OK(rondo_work_cancel(first));
    ended(first, RONDO_CANCELLED, 0, words);
    ended(behind, RONDO_CANCELLED, 0, words);
    OK(rondo_barrier(world));
  } else {
    OK(rondo_barrier(world));
    late(part, RONDO_CANCELLED);
  }
  REFUSED(rondo_barrier(part), RONDO_CANCELLED, words);
  CHECK(rondo_last_error()->culprit == 0);
  OK(rondo_destroy(part));
  OK(rondo_barrier(world));
}

/* Nobody waits for rank 0's call, which rank 1 doesn't make in time: it ends all the same, by its
 * own deadline and not by the communicator's. */
static void expired(rondo_communicator* world) {
  rondo_communicator* const part = part_of(world);
  if (rondo_rank(world) == 0) {
    static float data[kElements];
    rondo_call call = call_of(RONDO_ALL_REDUCE, data);
    call.timeout_ms = 200;
    rondo_work* work = NULL;
    const double begin_ms = now_ms();
    OK(rondo_start(part, &call, &work));
    int done = 0;
    while (!done) {
      const struct timespec moment = {0, 5000000};
      nanosleep(&moment, NULL);
      OK(rondo_work_test(work, &done));
      CHECK(now_ms() - begin_ms < 20000 && "it ends");
    }
    CHECK(now_ms() - begin_ms >= 200);
    ended(work, RONDO_TIMEOUT, 1, "200 ms");
    OK(rondo_barrier(world));
  } else {
    OK(rondo_barrier(world));
    late(part, RONDO_TIMEOUT);
    REFUSED(rondo_barrier(part), RONDO_TIMEOUT, "200 ms");
    CHECK(rondo_last_error()->culprit == 1);
  }
  OK(rondo_destroy(part));
  OK(rondo_barrier(world));
}

/* A message that nobody sends: its deadline ends it alone. */
static void expired_receive(rondo_communicator* world) {
  rondo_communicator* const part = part_of(world);
  if (rondo_rank(world) == 0) {
    static float data[kElements];
    rondo_call call = call_of(RONDO_RECEIVE, data);
    call.root = 1;
    call.tag = 9;
    call.timeout_ms = 200;
    REFUSED(rondo_run(part, &call), RONDO_TIMEOUT, "the deadline of the receive with tag 9");
    CHECK(rondo_last_error()->culprit == 1);
  }
  whole(part);
  OK(rondo_barrier(world));
}

/* Works outlive their communicator, and say what became of them. */
static void destroyed(rondo_communicator* world) {
  const char* const words = "rank 0 destroyed its communicator with ";
  rondo_communicator* const part = part_of(world);
  rondo_work* const message = started(part, RONDO_RECEIVE);
  if (rondo_rank(world) == 0) {
    rondo_work* const call = started(part, RONDO_ALL_REDUCE);
    struct told told = {0, RONDO_OK, -1, ""};
    OK(rondo_work_then(call, tell, &told));
    OK(rondo_barrier(world));
    OK(rondo_destroy(part));
    CHECK(told.times == 1 && told.status == RONDO_CANCELLED && told.culprit == 0);
    CHECK(strstr(told.message, words) != NULL);
    ended(call, RONDO_CANCELLED, 0, words);
    ended(message, RONDO_CANCELLED, 0, words);
  } else {
    OK(rondo_barrier(world));
    ended(message, RONDO_CANCELLED, 0, words);
    REFUSED(rondo_barrier(part), RONDO_CANCELLED, words);
    OK(rondo_destroy(part));
  }
  OK(rondo_barrier(world));
}

int main(void) {
  rondo_communicator* world = NULL;
  rondo_config config = RONDO_CONFIG_INIT;
  config.timeout_ms = 60000; /* longer than any of this */
  OK(rondo_create(&config, &world));
  CHECK(rondo_size(world) == 2);
  cancelled_receive(world);
  cancelled_collective(world);
  expired(world);
  expired_receive(world);
  destroyed(world);
  OK(rondo_destroy(world));
  return 0;
}
