/* Worlds of three ways to meet, and all that several ranks can do:
 *   world_test launcher|id|all_gather */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "board.h"
#include "check.h"
#include "collectives.h"

static void works(rondo_communicator* c, int rank, int size);
static void parts(rondo_communicator* c, int rank, int size);
static void late_peer(rondo_communicator* c, int rank);
static void giving_up(rondo_communicator* c, int rank, int size);

static void use(rondo_communicator* c) {
  const int rank = rondo_rank(c), size = rondo_size(c);
  CHECK(size == kProcesses && rank >= 0 && rank < size);
  all_collectives(c);
  works(c, rank, size);
  parts(c, rank, size);

  rondo_traffic traffic = RONDO_TRAFFIC_INIT;
  OK(rondo_get_traffic(c, (rank + 1) % size, &traffic));
  CHECK(traffic.peer == (rank + 1) % size && traffic.sent_bytes > 0);
  CHECK(strcmp(traffic.transport, "shm") == 0);
  REFUSED(rondo_get_traffic(c, rank, &traffic), RONDO_INVALID_ARGUMENT, "expected another rank");
  rondo_call_info info = RONDO_CALL_INFO_INIT;
  OK(rondo_last_call(c, &info));
  CHECK(strcmp(info.transport, "shm") == 0 && info.algorithm[0] != '\0');
  CHECK(info.predicted_us > 0 && info.predicted_us < 1e6);
  CHECK(info.took_us > 0 && info.took_us < 60e6);

  event_loop(c);
  traces_and_metrics(c);
  late_peer(c, rank);
}

static void count_calls(void* context, const rondo_error* error) {
  CHECK(error == NULL);
  ++*(int*)context;
}

static void works(rondo_communicator* c, int rank, int size) {
  rondo_memory* memory = NULL;
  void* data = NULL;
  OK(rondo_allocate(4 * 5000 * sizeof(float), &memory, &data));
  float* const values = data;
  rondo_work* started[4];
  int over[4] = {0, 0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    float* const own = values + 5000 * k;
    for (size_t i = 0; i < 5000; ++i) own[i] = given(rank, i) + (float)k;
    rondo_call call = RONDO_CALL_INIT;
    call.kind = RONDO_ALL_REDUCE;
    call.input = call.output = own;
    call.input_count = call.output_count = 5000;
    call.timeout_ms = 60000;
    OK(rondo_start(c, &call, &started[k]));
    OK(rondo_work_then(started[k], count_calls, &over[k]));
  }
  REFUSED(rondo_work_then(started[0], count_calls, &over[0]), RONDO_INVALID_ARGUMENT, "");
  OK(rondo_work_wait(started[3]));
  int done = 0;
  OK(rondo_work_test(started[0], &done));
  CHECK(done == 1 && "calls end in order");
  OK(rondo_work_wait_for(started[1], 0, &done));
  CHECK(done == 1);
  for (int k = 0; k < 4; ++k) {
    OK(rondo_work_wait(started[k]));
    OK(rondo_work_release(started[k]));
    CHECK(over[k] == 1);
    for (size_t i = 0; i < 5000; ++i) {
      double expected = 0;
      for (int r = 0; r < size; ++r) expected += given(r, i) + (float)k;
      CHECK(near(values[5000 * k + (int)i], expected));
    }
  }
  OK(rondo_free(memory));
}

/* The ranks but the last one, in reverse order. */
static void parts(rondo_communicator* c, int rank, int size) {
  rondo_communicator* part = NULL;
  OK(rondo_split(c, rank == size - 1 ? -1 : 4, -rank, &part));
  if (rank == size - 1) {
    CHECK(part == NULL);
    return;
  }
  CHECK(rondo_size(part) == size - 1 && rondo_rank(part) == size - 2 - rank);
  double one = 1.5 + rank;
  OK(rondo_all_reduce(part, &one, &one, 1, RONDO_F64, RONDO_PROD));
  CHECK(near(one, 1.5 * 2.5));
  OK(rondo_destroy(part));
}

/* Rank 0 comes too late for the others' deadline, which is the call's own. It may still find what
 * they had to say and end well; the next call doesn't. */
/* The flight recorder's line, without any setting. */
static char told[2048];
static int times_told = 0;

static void take_error(void* context, rondo_log_level level, const char* line) {
  (void)context;
  CHECK(level == RONDO_LOG_ERROR && strchr(line, '\n') == NULL);
  if (strstr(line, "its last calls") == NULL) return;
  ++times_told;
  snprintf(told, sizeof told, "%s", line);
}

static void late_peer(rondo_communicator* c, int rank) {
  OK(rondo_set_log(take_error, NULL, RONDO_LOG_ERROR));
  float value = given(rank, 0);
  OK(rondo_barrier(c));
  if (rank == 0) {
    const struct timespec late = {3, 0};
    nanosleep(&late, NULL);
  }
  rondo_call call = RONDO_CALL_INIT;
  call.kind = RONDO_ALL_REDUCE;
  call.input = call.output = &value;
  call.input_count = call.output_count = 1;
  call.timeout_ms = 1000;
  const rondo_status status = rondo_run(c, &call);
  CHECK(status == RONDO_TIMEOUT || (rank == 0 && status == RONDO_OK));
  CHECK(rondo_barrier(c) == RONDO_TIMEOUT);
  CHECK(rondo_last_error()->culprit == 0);
  CHECK(strstr(rondo_last_error()->message, "1000 ms") != NULL);
  OK(rondo_set_log(NULL, NULL, RONDO_LOG_WARN));
  char begin[64];
  snprintf(begin, sizeof begin, "Timeout on rank %d of %d; its last calls, of ", rank, kProcesses);
  CHECK(times_told == 1 && strncmp(told, begin, strlen(begin)) == 0);
  CHECK(strstr(told, " all_reduce 4 bytes ") != NULL && strstr(told, " shm ") != NULL);
  /* The call that failed stands last; rank 0's may have been done before it heard of it. */
  CHECK(rank == 0 || strstr(strrchr(told, '#'), "longest for rank 0) Timeout") != NULL);
}

static void by_launcher(void) {
  rondo_communicator* c = NULL;
  OK(rondo_create(NULL, &c));
  use(c);
  OK(rondo_destroy(c));
  /* A second world of the same job. */
  own_allocator();
  /* And a third, to give up in. */
  OK(rondo_create(NULL, &c));
  giving_up(c, rondo_rank(c), rondo_size(c));
  OK(rondo_destroy(c));
}

static void giving_up(rondo_communicator* c, int rank, int size) {
  REFUSED(rondo_abort(c, RONDO_OK, "no"), RONDO_INVALID_ARGUMENT, "that is an error");
  if (rank == size - 1) {
    OK(rondo_abort(c, RONDO_DATA_LOSS, "my input is damaged"));
    return;
  }
  REFUSED(rondo_barrier(c), RONDO_DATA_LOSS, "my input is damaged");
  CHECK(rondo_last_error()->culprit == size - 1);
}

static void without_launcher(int process, int has_id) {
  rondo_config config = RONDO_CONFIG_INIT;
  config.network_interface = "lo";
  config.join_timeout_ms = 30000;
  rondo_communicator* c = NULL;
  if (has_id) {
    rondo_unique_id id, all[kProcesses];
    memset(&id, 0, sizeof id);
    if (process == 0) OK(rondo_make_unique_id("lo", &id));
    CHECK(gather_on_board(&process, &id, all, sizeof id) == 0);
    OK(rondo_create_by_id(&all[0], process, kProcesses, &config, &c));
  } else {
    OK(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, &config, &c));
  }
  CHECK(rondo_rank(c) == process);
  use(c);
  OK(rondo_destroy(c));
}

static void by_id(int process) { without_launcher(process, 1); }
static void by_all_gather(int process) { without_launcher(process, 0); }

int main(int count, char** words) {
  const char* const way = count > 1 ? words[1] : "";
  if (strcmp(way, "launcher") == 0) {
    by_launcher();
    return 0;
  }
  if (strcmp(way, "id") == 0) return in_processes(by_id);
  if (strcmp(way, "all_gather") == 0) return in_processes(by_all_gather);
  fprintf(stderr, "world_test launcher|id|all_gather\n");
  return 2;
}
