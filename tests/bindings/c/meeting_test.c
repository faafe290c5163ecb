/* Three processes that meet by an all-gather of their program's, one of which can't take part: all
 * of them are told, and by whom; nobody is left in the all-gather. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "check.h"

/* Everybody's call with `own`, which is wrong on process `culprit`. */
static void refused(int process, const rondo_config* own, int culprit, rondo_status status,
                    const char* words) {
  rondo_communicator* c = NULL;
  char told[60];
  const int before = times_gathered();
  REFUSED(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, own, &c),
          status, words);
  CHECK(times_gathered() == before + 1 && c == NULL);
  CHECK(rondo_last_error()->culprit == culprit);
  snprintf(told, sizeof told, "process %d can't take part: ", culprit);
  const int names_it = strncmp(rondo_last_error()->message, told, strlen(told)) == 0;
  CHECK(names_it == (process != culprit));
}

static rondo_config usual(void) {
  rondo_config config = RONDO_CONFIG_INIT;
  config.network_interface = "lo";
  config.join_timeout_ms = 30000;
  return config;
}

static void configurations(int process) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  for (int culprit = 0; culprit < kProcesses; ++culprit) {
    rondo_config config = usual();
    if (process == culprit) config.timeout_ms = -1;
    refused(process, &config, culprit, bad, "rondo_config.timeout_ms: expected at least 0, got -1");
    config = usual();
    if (process == culprit) config.abi_version = 7;
    refused(process, &config, culprit, bad, "rondo_config.abi_version is 7");
    config = usual();
    if (process == culprit) config.transport = "pigeon";
    refused(process, &config, culprit, bad, "there is no transport 'pigeon'");
    config = usual();
    if (process == culprit) config.algorithm = "rign";
    refused(process, &config, culprit, bad, "there is no algorithm 'rign'");
    config = usual();
    if (process == culprit) config.device.kind = RONDO_DEVICE_CUDA + 100;
    refused(process, &config, culprit, bad, "there is no kind of device with number 102");
  }
}

/* What differs between hosts most easily; process 0 needs it to make the id. */
static void no_interface(int process) {
  for (int culprit = 0; culprit < kProcesses; ++culprit) {
    rondo_config config = usual();
    if (process == culprit) config.network_interface = "no-such-interface";
    refused(process, &config, culprit, RONDO_INVALID_ARGUMENT, "no-such-interface");
  }
}

static void nowhere_to_put_it(int process) {
  const rondo_config config = usual();
  rondo_communicator* c = NULL;
  REFUSED(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, &config,
                                     process == 1 ? NULL : &c),
          RONDO_INVALID_ARGUMENT, "out is null");
  CHECK(rondo_last_error()->culprit == 1 && c == NULL);
}

/* Several at once: each says its own, the others name the first. */
static void two_culprits(int process) {
  rondo_config config = usual();
  rondo_communicator* c = NULL;
  if (process == 1) config.timeout_ms = -1;
  if (process == 2) config.join_timeout_ms = -2;
  REFUSED(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, &config, &c),
          RONDO_INVALID_ARGUMENT, process == 2 ? "rondo_config.join_timeout_ms" : "got -1");
  CHECK(rondo_last_error()->culprit == (process == 2 ? 2 : 1));
}

/* The blocks have gone round, but the program says that they haven't. */
static int lose_on_board(void* context, const void* mine, void* all, size_t bytes) {
  return gather_on_board(context, mine, all, bytes) == 0 ? 5 : 0;
}

static void lost(int process) {
  const rondo_config config = usual();
  rondo_communicator* c = NULL;
  REFUSED(rondo_create_by_all_gather(lose_on_board, &process, process, kProcesses, &config, &c),
          RONDO_SYSTEM, "all_gather returned 5");
}

/* They have met by the id when it turns out that they can't be a world. */
static void different(int process) {
  rondo_config config = usual();
  rondo_communicator* c = NULL;
  config.algorithm = process == 2 ? "ring" : "direct";
  CHECK(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, &config, &c) !=
        RONDO_OK);
  CHECK(strstr(rondo_last_error()->message, "RONDO_ALGO=ring") != NULL);
}

static int entries(const char* folder) {
  DIR* const open = opendir(folder);
  int count = 0;
  CHECK(open != NULL);
  while (readdir(open) != NULL) ++count;
  closedir(open);
  return count;
}

/* A thread that has been joined may be seen for a moment. */
static void expect_at_most(int most, const char* folder) {
  const struct timespec moment = {0, 1000000};
  for (int i = 0; i < 5000 && entries(folder) > most; ++i) nanosleep(&moment, NULL);
  CHECK(entries(folder) <= most);
}

/* Whoever tries for hours has as many descriptors and threads open as at first. */
static void nothing_stays(int process, void (*fails)(int process)) {
  fails(process);
  const int descriptors = entries("/proc/self/fd");
  const int threads = entries("/proc/self/task");
  for (int i = 0; i < 3; ++i) fails(process);
  expect_at_most(descriptors, "/proc/self/fd");
  expect_at_most(threads, "/proc/self/task");
}

/* None of that is in the way of a world. */
static void joined(int process) {
  const rondo_config config = usual();
  rondo_communicator* c = NULL;
  double sum = 0.5 + process;
  OK(rondo_create_by_all_gather(gather_on_board, &process, process, kProcesses, &config, &c));
  OK(rondo_all_reduce(c, &sum, &sum, 1, RONDO_F64, RONDO_SUM));
  CHECK(near(sum, 4.5));
  OK(rondo_destroy(c));
}

static void meet(int process) {
  alarm(60); /* of what would wait for ever */
  configurations(process);
  no_interface(process);
  nowhere_to_put_it(process);
  two_culprits(process);
  nothing_stays(process, two_culprits);
  nothing_stays(process, lost);
  nothing_stays(process, different);
  joined(process);
}

int main(void) { return in_processes(meet); }
