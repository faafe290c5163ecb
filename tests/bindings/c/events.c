/* A program's own loop: it polls a communicator's descriptor and moves calls on by it. Then what
 * else lets a communicator be watched. */
#include <poll.h>
#include <unistd.h>

#include "check.h"
#include "collectives.h"

enum { kCalls = 5, kElements = 3000 };

void event_loop(rondo_communicator* c) {
  static float data[kCalls][kElements];
  rondo_work* works[kCalls];
  int descriptor = -1;
  size_t ended = 0, all = 0;
  OK(rondo_get_descriptor(c, &descriptor));
  const int size = rondo_size(c);
  for (int k = 0; k < kCalls; ++k) {
    for (size_t i = 0; i < kElements; ++i) data[k][i] = given(rondo_rank(c), i + (size_t)k);
    rondo_call call = RONDO_CALL_INIT;
    call.kind = RONDO_ALL_REDUCE;
    call.input = call.output = data[k];
    call.input_count = call.output_count = kElements;
    OK(rondo_start(c, &call, &works[k]));
  }
  while (all < kCalls) {
    struct pollfd polled = {descriptor, POLLIN, 0};
    CHECK(poll(&polled, 1, 30000) == 1);
    OK(rondo_progress(c, &ended));
    all += ended;
  }
  CHECK(all == kCalls);
  for (int k = 0; k < kCalls; ++k) {
    int done = 0;
    OK(rondo_work_test(works[k], &done));
    CHECK(done == 1);
    OK(rondo_work_release(works[k]));
    for (size_t i = 0; i < kElements; ++i) {
      double expected = 0;
      for (int r = 0; r < size; ++r) expected += given(r, i + (size_t)k);
      CHECK(near(data[k][i], expected));
    }
  }
  struct pollfd polled = {descriptor, POLLIN, 0};
  /* The thread that has ended the last call may be about to say so. */
  int rounds = 0;
  do {
    OK(rondo_progress(c, &ended));
    CHECK(ended == 0 && ++rounds < 20);
  } while (poll(&polled, 1, 5) != 0);
}

struct seen {
  int calls;
  uint64_t last;
  size_t bytes;
};

static void see(void* context, const rondo_traced_call* call) {
  struct seen* const seen = context;
  CHECK(strcmp(call->collective, "all_gather") == 0 && call->status == RONDO_OK);
  CHECK(call->algorithm[0] != '\0' && strcmp(call->transport, "shm") == 0);
  CHECK(call->took_us > 0 && call->wait_us >= 0 && call->wait_us <= call->took_us);
  CHECK(call->reduce_us >= 0 && call->reduce_us <= call->took_us);
  CHECK(seen->last == 0 || call->sequence == seen->last + 1);
  seen->last = call->sequence;
  seen->bytes += call->bytes;
  ++seen->calls;
}

static void each_call(rondo_communicator* c) {
  struct seen seen = {0, 0, 0};
  double mine = rondo_rank(c) + 0.25, all[8];
  CHECK(rondo_size(c) <= 8);
  OK(rondo_set_trace(c, see, &seen));
  for (int k = 0; k < 5; ++k) OK(rondo_all_gather(c, &mine, all, 1, RONDO_F64));
  OK(rondo_set_trace(c, NULL, NULL));
  OK(rondo_all_gather(c, &mine, all, 1, RONDO_F64));
  CHECK(seen.calls == 5 && seen.bytes == 5 * sizeof(double) * (size_t)rondo_size(c));
  CHECK(all[rondo_size(c) - 1] == rondo_size(c) - 0.75);
}

void traces_and_metrics(rondo_communicator* c) {
  each_call(c);
  char text[1 << 16], path[64], cut[9];
  size_t needed = 0;
  OK(rondo_get_metrics(c, NULL, 0, &needed));
  CHECK(needed > 100 && needed < sizeof text);
  OK(rondo_get_metrics(c, text, sizeof text, NULL));
  CHECK(strstr(text, "all_reduce") != NULL);
  OK(rondo_get_metrics(c, cut, sizeof cut, &needed));
  CHECK(strlen(cut) == sizeof cut - 1 && needed > sizeof cut);
  CHECK(strncmp(cut, text, sizeof cut - 1) == 0);
  REFUSED(rondo_get_metrics(c, NULL, 5, NULL), RONDO_INVALID_ARGUMENT, "text");
  snprintf(path, sizeof path, "c_world_test.%d.trace.json", (int)getpid());
  OK(rondo_write_trace(c, path));
  FILE* const file = fopen(path, "r");
  CHECK(file != NULL);
  const size_t read = fread(text, 1, sizeof text - 1, file);
  text[read] = '\0';
  fclose(file);
  remove(path);
  CHECK(strstr(text, "all_reduce") != NULL);
  REFUSED(rondo_write_trace(c, "/nowhere/trace.json"), RONDO_SYSTEM, "/nowhere/trace.json");
  REFUSED(rondo_write_trace(c, NULL), RONDO_INVALID_ARGUMENT, "path");
}
