/* What is wrong is told, and nothing breaks: in a world of one. */
#include "check.h"

static int failing_gather(void* context, const void* mine, void* all, size_t bytes) {
  (void)mine;
  (void)all;
  (void)bytes;
  return *(int*)context;
}

static int empty_gather(void* context, const void* mine, void* all, size_t bytes) {
  (void)context;
  (void)mine;
  memset(all, 0, 2 * bytes);
  return 0;
}

static void nulls(rondo_communicator* c) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  float value = 1;
  int done = 0;
  void* data = NULL;
  rondo_memory* memory = NULL;
  rondo_work* work = NULL;
  rondo_call call = RONDO_CALL_INIT;
  REFUSED(rondo_create(NULL, NULL), bad, "out is null");
  REFUSED(rondo_create_by_id(NULL, 0, 1, NULL, &c), bad, "id is null");
  REFUSED(rondo_create_by_all_gather(NULL, NULL, 0, 1, NULL, &c), bad, "all_gather is null");
  REFUSED(rondo_make_unique_id(NULL, NULL), bad, "out is null");
  REFUSED(rondo_barrier(NULL), bad, "communicator is null");
  REFUSED(rondo_all_reduce(NULL, &value, &value, 1, RONDO_F32, RONDO_SUM), bad, "is null");
  REFUSED(rondo_all_reduce(c, NULL, &value, 1, RONDO_F32, RONDO_SUM), bad, "null");
  REFUSED(rondo_broadcast(c, NULL, 1, RONDO_F32, 0), bad, "null");
  REFUSED(rondo_run(c, NULL), bad, "call is null");
  REFUSED(rondo_start(c, &call, NULL), bad, "out is null");
  REFUSED(rondo_start(NULL, &call, &work), bad, "communicator is null");
  REFUSED(rondo_work_test(NULL, &done), bad, "work is null");
  REFUSED(rondo_work_wait(NULL), bad, "work is null");
  REFUSED(rondo_work_wait_for(NULL, 1, &done), bad, "work is null");
  REFUSED(rondo_work_cancel(NULL), bad, "work is null");
  REFUSED(rondo_work_then(NULL, NULL, NULL), bad, "work is null");
  REFUSED(rondo_split(c, 0, 0, NULL), bad, "out is null");
  REFUSED(rondo_abort(NULL, RONDO_SYSTEM, NULL), bad, "communicator is null");
  REFUSED(rondo_allocate(1, NULL, &data), bad, "out is null");
  REFUSED(rondo_allocate(1, &memory, NULL), bad, "data is null");
  REFUSED(rondo_last_call(c, NULL), bad, "out is null");
  REFUSED(rondo_get_traffic(c, 0, NULL), bad, "out is null");
  CHECK(rondo_rank(NULL) == -1 && rondo_size(NULL) == -1);
  OK(rondo_destroy(NULL));
  OK(rondo_work_release(NULL));
  OK(rondo_free(NULL));
}

static void configurations(void) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  rondo_communicator* c = NULL;
  rondo_config config = RONDO_CONFIG_INIT;
  config.size = 8;
  REFUSED(rondo_create(&config, &c), bad, "rondo_config.size is 8; expected sizeof");
  config.size = (size_t)-1;
  REFUSED(rondo_create(&config, &c), bad, "begin with its _INIT macro");
  config.size = sizeof config;
  config.abi_version = 7;
  REFUSED(rondo_create(&config, &c), bad, "abi_version is 7; this library speaks 1");
  config.abi_version = RONDO_ABI_VERSION;
  config.timeout_ms = -1;
  REFUSED(rondo_create(&config, &c), bad, "rondo_config.timeout_ms");
  config.timeout_ms = 0;
  config.transport = "pigeon";
  REFUSED(rondo_create(&config, &c), bad, "'pigeon'");
  config.transport = NULL;
  config.schedule = "/nowhere/x.json";
  REFUSED(rondo_create(&config, &c), bad,
          "schedule file /nowhere/x.json (option schedule, RONDO_SCHEDULE): No such file");
  config.schedule = NULL;
  config.tuning = "/nowhere/t.json"; /* as a larger world would refuse it */
  REFUSED(rondo_create(&config, &c), bad,
          "tuning file /nowhere/t.json (option tuning, RONDO_TUNING): No such file");
  config.tuning = NULL;
  config.algorithm = "rign";
  REFUSED(rondo_create(&config, &c), bad, "(option algorithm, RONDO_ALGO)");
  config.algorithm = NULL;
  config.device.kind = 300;
  REFUSED(rondo_create(&config, &c), bad, "device.kind 300");
  config.device.kind = 99;
  REFUSED(rondo_create(&config, &c), bad, "there is no kind of device with number 99: expected 0");
  config.device.kind = RONDO_DEVICE_HOST;

  /* Of an older header: it ended where a field was added. */
  config.size = offsetof(rondo_config, tuning);
  config.tuning = "not looked at"; /* beyond what that header had */
  OK(rondo_create(&config, &c));
  OK(rondo_destroy(c));
  config.size = offsetof(rondo_config, transport);
  config.transport = "pigeon";
  OK(rondo_create(&config, &c));
  OK(rondo_destroy(c));
  config.size = offsetof(rondo_config, transport) + 3;
  REFUSED(rondo_create(&config, &c), bad, "begin with its _INIT macro");
  config.size = sizeof config;
  config.transport = config.tuning = NULL;

  /* Of a newer library: what it doesn't use may be unknown here, what it uses not. */
  struct {
    rondo_config known;
    uint64_t unknown;
  } newer = {RONDO_CONFIG_INIT, 0};
  newer.known.size = sizeof newer;
  OK(rondo_create(&newer.known, &c));
  OK(rondo_destroy(c));
  newer.unknown = 1;
  REFUSED(rondo_create(&newer.known, &c), bad, "made for a newer one");
}

static void values(rondo_communicator* c) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  float value = 1;
  REFUSED(rondo_all_reduce(c, &value, &value, 1, (rondo_type)77, RONDO_SUM), bad, "type 77");
  REFUSED(rondo_all_reduce(c, &value, &value, 1, RONDO_F32, (rondo_op)50), bad, "op 50");
  REFUSED(rondo_all_reduce(c, &value, &value, 1, RONDO_F32, RONDO_CUSTOM), bad, "rondo_call");
  REFUSED(rondo_broadcast(c, &value, 1, RONDO_F32, 1), bad, "root 1");
  rondo_call call = RONDO_CALL_INIT;
  call.kind = (rondo_kind)55;
  REFUSED(rondo_run(c, &call), bad, "kind 55");
  call.kind = RONDO_ALL_REDUCE;
  call.size = 3;
  REFUSED(rondo_run(c, &call), bad, "rondo_call.size is 3");
  call.size = sizeof call;
  call.timeout_ms = -5;
  REFUSED(rondo_run(c, &call), bad, "timeout_ms");
  call.kind = RONDO_ALL_REDUCE;
  call.timeout_ms = 0;
  call.op = RONDO_CUSTOM;
  REFUSED(rondo_run(c, &call), bad, "rondo_call.function");
}

static void meetings(void) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  rondo_communicator* c = NULL;
  rondo_unique_id id;
  memset(&id, '\n', sizeof id); /* without an end */
  REFUSED(rondo_create_by_id(&id, 0, 2, NULL, &c), bad, "?\?' is no unique id");
  OK(rondo_make_unique_id("lo", &id));
  REFUSED(rondo_create_by_id(&id, 2, 2, NULL, &c), bad, "process 2 of 2");
  REFUSED(rondo_create_by_id(&id, 0, 2000000000, NULL, &c), bad, "at most 1048576 processes");
  REFUSED(rondo_make_unique_id("no-such-interface", &id), bad, "no-such-interface");
  int answer = 13;
  REFUSED(rondo_create_by_all_gather(failing_gather, &answer, 0, 2, NULL, &c), RONDO_SYSTEM,
          "all_gather returned 13");
  REFUSED(rondo_create_by_all_gather(empty_gather, NULL, 1, 2, NULL, &c), RONDO_SYSTEM,
          "all_gather gave an empty block as process 0's");
  REFUSED(rondo_create_by_all_gather(empty_gather, NULL, 2, 2, NULL, &c), bad, "process 2 of 2");
  REFUSED(rondo_create_by_all_gather(empty_gather, NULL, 0, 2000000000, NULL, &c), bad,
          "at most 1048576 processes");
}

static void plans(void) {
  rondo_plan plan = RONDO_PLAN_INIT;
  OK(rondo_query_plan(RONDO_ALL_REDUCE, 64 << 20, RONDO_F32, 2, 4, NULL, &plan));
  CHECK(plan.predicted_us > 0 && plan.steps > 0 && plan.algorithm[0] != '\0');
  CHECK(plan.reason[0] != '\0');
  REFUSED(rondo_query_plan(RONDO_SEND, 8, RONDO_F32, 1, 2, NULL, &plan), RONDO_INVALID_ARGUMENT,
          "kind 100");
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, 8, RONDO_F32, 1, 2, "{", &plan),
          RONDO_INVALID_ARGUMENT, "not JSON");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOOKS_AT_FREED_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LOOKS_AT_FREED_MEMORY 0
#endif
#endif
#ifndef LOOKS_AT_FREED_MEMORY
#define LOOKS_AT_FREED_MEMORY 1
#endif

/* Of handles whose memory still tells: nobody has asked for memory since. */
static void given_back(void) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  const char* const words = " is no handle of Rondo, or was given back";
  const rondo_device device = {RONDO_DEVICE_EMULATED, 0};
  rondo_communicator* c = NULL;
  rondo_work* work = NULL;
  rondo_memory* memory = NULL;
  rondo_stream* stream = NULL;
  rondo_device_memory* device_memory = NULL;
  rondo_schedule* schedule = NULL;
  rondo_plan_report* report = NULL;
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  rondo_call call = RONDO_CALL_INIT;
  void* data = NULL;
  int done = 0;
  question.hosts = question.ranks_per_host = 2;

  OK(rondo_create(NULL, &c));
  OK(rondo_start(c, &call, &work));
  OK(rondo_work_release(work));
  REFUSED(rondo_work_release(work), bad, words);
  REFUSED(rondo_work_test(work, &done), bad, words);
  OK(rondo_destroy(c));
  REFUSED(rondo_destroy(c), bad, words);
  REFUSED(rondo_barrier(c), bad, words);
  CHECK(rondo_rank(c) == -1);
  OK(rondo_allocate(64, &memory, &data));
  OK(rondo_free(memory));
  REFUSED(rondo_free(memory), bad, words);
  OK(rondo_stream_create(device, NULL, &stream));
  OK(rondo_stream_release(stream));
  REFUSED(rondo_stream_release(stream), bad, words);
  REFUSED(rondo_stream_synchronize(stream), bad, words);
  OK(rondo_device_allocate(device, 64, &device_memory, &data));
  OK(rondo_device_free(device_memory));
  REFUSED(rondo_device_free(device_memory), bad, words);
  OK(rondo_schedule_begin("x", RONDO_ALL_REDUCE, 2, 1, 0, 0, &schedule));
  OK(rondo_schedule_release(schedule));
  REFUSED(rondo_schedule_release(schedule), bad, words);
  OK(rondo_explain_plan(&question, &report));
  OK(rondo_plan_report_release(report));
  REFUSED(rondo_plan_report_release(report), bad, words);
}

static int lines = 0;

static void take_line(void* context, rondo_log_level level, const char* line) {
  CHECK(context == &lines && level == RONDO_LOG_INFO);
  CHECK(strstr(line, "is for 4 ranks") != NULL);
  /* The function may call Rondo. */
  CHECK(rondo_version() != NULL);
  ++lines;
}

static void log_of_the_program(void) {
  rondo_communicator* c = NULL;
  rondo_config config = RONDO_CONFIG_INIT;
  config.schedule = SCHEDULE_OF_FOUR; /* it says at level info that this world does without it */
  OK(rondo_set_log(take_line, &lines, RONDO_LOG_INFO));
  OK(rondo_create(&config, &c));
  CHECK(lines == 1);
  OK(rondo_destroy(c));
  OK(rondo_set_log(take_line, &lines, RONDO_LOG_WARN));
  OK(rondo_create(&config, &c));
  OK(rondo_destroy(c));
  OK(rondo_set_log(NULL, NULL, RONDO_LOG_WARN));
  OK(rondo_create(&config, &c));
  OK(rondo_destroy(c));
  CHECK(lines == 1);
  REFUSED(rondo_set_log(take_line, NULL, (rondo_log_level)9), RONDO_INVALID_ARGUMENT,
          "rondo_log_level");
}

int main(void) {
  CHECK(rondo_abi_version() == RONDO_ABI_VERSION);
  CHECK(strchr(rondo_version(), '.') != NULL);
  CHECK(rondo_last_error()->status == RONDO_OK && rondo_last_error()->message[0] == '\0');
  CHECK(strcmp(rondo_status_name(RONDO_PEER_LOST), "PeerLost") == 0);
  CHECK(strcmp(rondo_status_name((rondo_status)99), "unknown") == 0);

  rondo_communicator* c = NULL;
  OK(rondo_create(NULL, &c));
  CHECK(rondo_rank(c) == 0 && rondo_size(c) == 1);
  nulls(c);
  configurations();
  values(c);
  meetings();
  plans();
  log_of_the_program();
  if (LOOKS_AT_FREED_MEMORY) given_back();
  REFUSED(rondo_set_trace(c, NULL, NULL), RONDO_UNSUPPORTED, "the world has one rank");

  /* None of that has hurt it. */
  double value = 2.25;
  OK(rondo_all_reduce(c, &value, &value, 1, RONDO_F64, RONDO_SUM));
  CHECK(value == 2.25);
  rondo_call call = RONDO_CALL_INIT;
  rondo_work* work = NULL;
  OK(rondo_start(c, &call, &work));
  OK(rondo_work_cancel(work));
  OK(rondo_work_release(work));
  OK(rondo_destroy(c));
  return 0;
}
