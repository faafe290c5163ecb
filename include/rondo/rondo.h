#pragma once

/* Rondo's C interface: collectives for programs and frameworks in any language.
 *
 * C99, and one file, however long, so that bindings of other languages have one to read. The only
 * interface of Rondo whose binary form is stable: within one RONDO_ABI_VERSION
 * functions are only added, and structs grow at their end. Structs that the caller makes, to fill
 * them in or to have them filled in, begin with their size; begin with their _INIT macro, or with
 * zeros and the size (rondo_config: and abi_version, RONDO_ABI_VERSION). Rondo writes no more than
 * that: what a newer library knows besides is left out, and what this one doesn't know is zero.
 * Structs that Rondo makes (behind a pointer to const) may have more behind what this header says:
 * don't look beyond, don't make arrays of copies for others. rondo_device, rondo_place and
 * rondo_unique_id lie in others and never grow.
 *
 * Every function that can fail returns a rondo_status and sets this thread's rondo_last_error.
 * Nothing is thrown, and nothing ends the process, whatever is passed: null where an object is
 * needed, a handle that was given back, or a value that no enumeration has is
 * RONDO_INVALID_ARGUMENT (of a handle that was given back as far as its memory still tells).
 *
 * Threads: one at a time for each communicator; a work by one thread at a time, whichever; the
 * other functions from any. A forked child must not use what its parent has made, but may give back
 * its copies, or end: the world stays its parent's.
 *
 * Enumerations end with a _LARGEST that makes them 32 bits wide everywhere, and means nothing.
 *
 * docs/c-abi.md explains; examples/c_all_reduce is a whole program. Units: counts are elements,
 * _bytes are bytes, _ms are milliseconds. */

/* It is C.
 * NOLINTBEGIN(modernize-use-using,modernize-redundant-void-arg,modernize-deprecated-headers,
 *             readability-identifier-naming,performance-enum-size,cppcoreguidelines-use-enum-class)
 */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RONDO_C_API __attribute__((visibility("default")))
#else
#define RONDO_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RONDO_ABI_VERSION 1

/* What this library speaks: compare with RONDO_ABI_VERSION. */
RONDO_C_API uint32_t rondo_abi_version(void);
/* "0.1.0" */
RONDO_C_API const char* rondo_version(void);

/* ---- Errors ---------------------------------------------------------------------------------- */

typedef enum rondo_status {
  RONDO_OK = 0,
  RONDO_INVALID_ARGUMENT = 1, /* fix the call, the file or the flag */
  RONDO_MISMATCH = 2,         /* ranks disagree about a call: make them agree */
  RONDO_TIMEOUT = 3,          /* a deadline passed; the message names who was waited for */
  RONDO_PEER_LOST = 4,        /* a peer is gone: make a communicator without it */
  RONDO_UNSUPPORTED = 5,      /* this build or machine can't do it */
  RONDO_DATA_LOSS = 6,        /* a file or a message is damaged */
  RONDO_SYSTEM = 7,           /* the operating system refused */
  RONDO_DEVICE = 8,           /* a device or its driver refused */
  RONDO_INTERNAL = 9,         /* Rondo's own mistake: please report it */
  RONDO_CANCELLED = 10,       /* a call was given up */
  RONDO_STATUS_LARGEST = 0x7fffffff
} rondo_status;

/* "PeerLost"; "unknown" for what is none. */
RONDO_C_API const char* rondo_status_name(rondo_status status);

typedef struct rondo_error {
  rondo_status status;
  int culprit;         /* the rank whose fault it is, or -1 */
  const char* message; /* what was expected, what came, what to do; one line */
  const char* where;   /* in the schedule; "" where that says nothing */
} rondo_error;

/* What this thread's last failed call of Rondo said; status RONDO_OK before there was one. Texts
 * are valid until the thread's next call that fails. Never null. */
RONDO_C_API const rondo_error* rondo_last_error(void);

/* ---- Communicators --------------------------------------------------------------------------- */

typedef struct rondo_communicator rondo_communicator;

/* The values of rondo::DeviceKind; those of plug-ins follow. */
typedef enum rondo_device_kind {
  RONDO_DEVICE_HOST = 0,
  RONDO_DEVICE_EMULATED = 1,
  RONDO_DEVICE_CUDA = 2
} rondo_device_kind;

typedef struct rondo_device {
  int32_t kind;
  int32_t index;
} rondo_device;

/* How a world is joined: rondo::CommunicatorOptions in C. 0 and null: the default, which an
 * environment variable may replace (docs/environment.md), as it may a value that equals the
 * default; any other value stands. */
typedef struct rondo_config {
  size_t size;          /* sizeof(rondo_config) */
  uint32_t abi_version; /* RONDO_ABI_VERSION */
  int32_t timeout_ms;
  int32_t join_timeout_ms;
  int32_t tcp_sockets;
  uint64_t tcp_zero_copy_bytes;
  uint64_t segment_bytes;
  int32_t deterministic; /* 0 or 1 */
  rondo_device device;   /* whose memory the calls' buffers lie in */
  const char* transport; /* "auto", "inproc", "shm", "tcp" */
  const char* algorithm; /* "auto", "ring", ... */
  const char* network_interface;
  const char* progress; /* "thread", "caller" */
  const char* links;
  const char* wire_format;
  const char* error_feedback;
  const char* device_path;
  const char* schedule;        /* a file, or its text: docs/your-own-schedule.md */
  const char* tuning;          /* "off", "measure", or a file: docs/tuning.md */
  uint64_t private_read_bytes; /* 0: as the tuning says; UINT64_MAX / 2: never: docs/tuning.md */
} rondo_config;

#define RONDO_CONFIG_INIT                                                                      \
  {                                                                                            \
    sizeof(rondo_config), RONDO_ABI_VERSION, 0, 0, 0, 0, 0, 0, {0, 0}, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, 0                                                  \
  }

/* Joins the world that a launcher has set up (`rondo run`, mpirun, srun); alone, a world of 1.
 * `config`: null for defaults. Every rank calls it. */
RONDO_C_API rondo_status rondo_create(const rondo_config* config, rondo_communicator** out);

/* Where the processes of one world meet without a launcher: made by process 0, handed to the others
 * by the program, as it is. For one world. */
typedef struct rondo_unique_id {
  char text[128];
} rondo_unique_id;

/* `network_interface`: name or address; null: the first that leads to other hosts. */
RONDO_C_API rondo_status rondo_make_unique_id(const char* network_interface, rondo_unique_id* out);
RONDO_C_API rondo_status rondo_create_by_id(const rondo_unique_id* id, int process, int processes,
                                            const rondo_config* config, rondo_communicator** out);

/* Gives `bytes` from `mine` to every process, and theirs into `all`, in the order of their numbers;
 * 0 where that went well. */
typedef int (*rondo_all_gather_function)(void* context, const void* mine, void* all, size_t bytes);

/* For programs that can all-gather already: `all_gather` is called once, by every process, also by
 * one that can't take part (its `config` is wrong, `out` is null): then all processes fail with
 * what it says, and it as the culprit. Where `all_gather` is null, or `process` none of
 * `processes`, it isn't called. */
RONDO_C_API rondo_status rondo_create_by_all_gather(rondo_all_gather_function all_gather,
                                                    void* context, int process, int processes,
                                                    const rondo_config* config,
                                                    rondo_communicator** out);

/* Calls that are under way are given up: RONDO_CANCELLED, here and on every other rank. Null: does
 * nothing. */
RONDO_C_API rondo_status rondo_destroy(rondo_communicator* communicator);

/* -1 where that is no communicator. */
RONDO_C_API int rondo_rank(const rondo_communicator* communicator);
RONDO_C_API int rondo_size(const rondo_communicator* communicator);

/* A communicator of the ranks that give the same color, in the order of their keys and then of
 * their ranks; null for those that give a negative color. Every rank calls it. */
RONDO_C_API rondo_status rondo_split(rondo_communicator* communicator, int color, int key,
                                     rondo_communicator** out);

/* Gives up for the whole world: calls of every rank, waiting ones and later ones, fail with this
 * status and message, and this rank as the culprit. `status` is not RONDO_OK. Threads: any, also
 * while another one is in a call of this communicator, which gives up when it next waits. */
RONDO_C_API rondo_status rondo_abort(rondo_communicator* communicator, rondo_status status,
                                     const char* message);

/* ---- Calls ----------------------------------------------------------------------------------- */

typedef enum rondo_type {
  RONDO_I8 = 0,
  RONDO_U8 = 1,
  RONDO_I32 = 2,
  RONDO_U32 = 3,
  RONDO_I64 = 4,
  RONDO_U64 = 5,
  RONDO_F16 = 6,
  RONDO_BF16 = 7,
  RONDO_F32 = 8,
  RONDO_F64 = 9,
  RONDO_TYPE_LARGEST = 0x7fffffff
} rondo_type;

typedef enum rondo_op {
  RONDO_SUM = 0,
  RONDO_PROD = 1,
  RONDO_MIN = 2,
  RONDO_MAX = 3,
  RONDO_AVG = 4,
  RONDO_BAND = 5,
  RONDO_BOR = 6,
  RONDO_BXOR = 7,
  RONDO_PREMULTIPLIED_SUM = 100, /* rondo_call.factor */
  RONDO_CUSTOM = 101,            /* rondo_call.function */
  RONDO_OP_LARGEST = 0x7fffffff
} rondo_op;

/* The blocking forms of what is needed most. Shapes, costs and errors: rondo/communicator.h.
 * Counts are those of one rank's input; of rondo_all_gather's output they are `size` times as
 * many, of rondo_reduce_scatter's input likewise. Input and output may be the same memory where
 * the C++ functions say so. */
RONDO_C_API rondo_status rondo_all_reduce(rondo_communicator* communicator, const void* input,
                                          void* output, size_t count, rondo_type type, rondo_op op);
RONDO_C_API rondo_status rondo_all_gather(rondo_communicator* communicator, const void* input,
                                          void* output, size_t input_count, rondo_type type);
RONDO_C_API rondo_status rondo_reduce_scatter(rondo_communicator* communicator, const void* input,
                                              void* output, size_t output_count, rondo_type type,
                                              rondo_op op);
RONDO_C_API rondo_status rondo_broadcast(rondo_communicator* communicator, void* data, size_t count,
                                         rondo_type type, int root);
RONDO_C_API rondo_status rondo_reduce(rondo_communicator* communicator, const void* input,
                                      void* output, size_t count, rondo_type type, rondo_op op,
                                      int root);
RONDO_C_API rondo_status rondo_gather(rondo_communicator* communicator, const void* input,
                                      void* output, size_t input_count, rondo_type type, int root);
RONDO_C_API rondo_status rondo_scatter(rondo_communicator* communicator, const void* input,
                                       void* output, size_t output_count, rondo_type type,
                                       int root);
RONDO_C_API rondo_status rondo_all_to_all(rondo_communicator* communicator, const void* input,
                                          void* output, size_t count, rondo_type type);
RONDO_C_API rondo_status rondo_barrier(rondo_communicator* communicator);
RONDO_C_API rondo_status rondo_send(rondo_communicator* communicator, const void* data,
                                    size_t count, rondo_type type, int peer, int tag);
RONDO_C_API rondo_status rondo_receive(rondo_communicator* communicator, void* data, size_t count,
                                       rondo_type type, int peer, int tag);

typedef enum rondo_kind {
  RONDO_ALL_REDUCE = 0,
  RONDO_ALL_GATHER = 1,
  RONDO_REDUCE_SCATTER = 2,
  RONDO_BROADCAST = 3,
  RONDO_REDUCE = 4,
  RONDO_GATHER = 5,
  RONDO_SCATTER = 6,
  RONDO_ALL_TO_ALL = 7,
  RONDO_BARRIER = 8,
  RONDO_SEND = 100,
  RONDO_RECEIVE = 101,
  RONDO_KIND_LARGEST = 0x7fffffff
} rondo_kind;

/* left[i] = left[i] (+) right[i]; `type` is a rondo_type. Must not call Rondo with the communicator
 * of the call. */
typedef void (*rondo_reduce_function)(void* left, const void* right, size_t count, uint8_t type,
                                      void* context);

/* An ordered queue of a device's work: below. */
typedef struct rondo_stream rondo_stream;

/* Any call, as a value: for rondo_run and rondo_start. */
typedef struct rondo_call {
  size_t size; /* sizeof(rondo_call) */
  rondo_kind kind;
  rondo_type type;
  rondo_op op;        /* of reductions */
  int32_t root;       /* or the peer of a send or receive */
  int32_t tag;        /* of a send or receive */
  int32_t timeout_ms; /* 0: the communicator's */
  const void* input;
  void* output;        /* a broadcast's data are both */
  size_t input_count;  /* elements of the whole input buffer, */
  size_t output_count; /* and of the whole output buffer */
  /* Parts of different sizes (all_gather, reduce_scatter, gather, scatter: one of them; all_to_all:
   * both): elements of each rank's part, `size` of them; null: parts are equal. Copied. Of gather
   * and scatter on every rank, although only the root looks at the numbers. */
  const size_t* input_counts;
  const size_t* output_counts;
  double factor;                  /* RONDO_PREMULTIPLIED_SUM */
  rondo_reduce_function function; /* RONDO_CUSTOM */
  void* context;                  /* handed to it */
  int32_t commutative;            /* whether it is */
  /* The call begins after what the stream holds when it is started, and what the stream is given
   * later begins after it; null: none. rondo::Call::on says when rondo_start returns. */
  const rondo_stream* stream;
} rondo_call;

#define RONDO_CALL_INIT                                                                       \
  {                                                                                           \
    sizeof(rondo_call), RONDO_BARRIER, RONDO_F32, RONDO_SUM, 0, 0, 0, NULL, NULL, 0, 0, NULL, \
        NULL, 1.0, NULL, NULL, 0, NULL                                                        \
  }

/* Blocks until the call is done. */
RONDO_C_API rondo_status rondo_run(rondo_communicator* communicator, const rondo_call* call);

/* ---- Calls that run beside the program ------------------------------------------------------- */

typedef struct rondo_work rondo_work;

/* Starts the call behind those started before; buffers are borrowed until it is done. What is
 * returned in `out` has to be given back by rondo_work_release, done or not. */
RONDO_C_API rondo_status rondo_start(rondo_communicator* communicator, const rondo_call* call,
                                     rondo_work** out);
/* Whether it is done, well or not. Where the configuration's progress is "caller", this moves the
 * communicator's calls on. */
RONDO_C_API rondo_status rondo_work_test(rondo_work* work, int* done);
/* Blocks until it is done; how it ended. */
RONDO_C_API rondo_status rondo_work_wait(rondo_work* work);
/* The same for at most so long: RONDO_OK and 0 in `done` where it isn't done by then. */
RONDO_C_API rondo_status rondo_work_wait_for(rondo_work* work, int limit_ms, int* done);
/* Gives the call up, and with it the communicator, on every rank. A receive for which nothing has
 * come, and a send of which nothing has gone out, end alone; so they do at a deadline of their own
 * (timeout_ms). */
RONDO_C_API rondo_status rondo_work_cancel(rondo_work* work);

/* `error` is null where the call ended well. On the thread that moves the calls on, or at once
 * where the call is done. Must not block, and not use the communicator. */
typedef void (*rondo_done_function)(void* context, const rondo_error* error);
/* At most once for each work. */
RONDO_C_API rondo_status rondo_work_then(rondo_work* work, rondo_done_function function,
                                         void* context);
/* Null: does nothing. */
RONDO_C_API rondo_status rondo_work_release(rondo_work* work);

/* For programs with a loop of their own: a descriptor that is readable (poll, epoll;
 * level-triggered) while rondo_progress has something to do: works have ended, or, where the
 * configuration's progress is "caller", those that are under way can be moved on, or it is time to
 * look at them (ten times a second at most in a long wait). The communicator's, which closes it;
 * only to be polled. */
RONDO_C_API rondo_status rondo_get_descriptor(rondo_communicator* communicator, int* out);
/* Moves works on where nobody else does, without waiting. `ended` (may be null): how many have
 * ended since the last time, from rondo_get_descriptor on; 0 is possible though it was readable. */
RONDO_C_API rondo_status rondo_progress(rondo_communicator* communicator, size_t* ended);

/* ---- Memory ---------------------------------------------------------------------------------- */

typedef struct rondo_memory rondo_memory;

/* Host memory that ranks of the same host read and write in place. Of the process, for any
 * communicator. */
RONDO_C_API rondo_status rondo_allocate(size_t bytes, rondo_memory** out, void** data);
/* Null: does nothing. */
RONDO_C_API rondo_status rondo_free(rondo_memory* memory);

/* ---- Devices: docs/devices.md ---------------------------------------------------------------- */

/* A new stream; or, where `native` isn't null, as rondo_stream_borrow. A cudaStream_t of another
 * library's is given to that one: null there is the device's default stream, and here a new stream
 * that isn't in order with it. */
RONDO_C_API rondo_status rondo_stream_create(rondo_device device, void* native, rondo_stream** out);
/* A stream that another library has made and keeps (a cudaStream_t), which outlives this one; null:
 * the device's default stream. Where a call in it fails, what the other library puts into the
 * stream behind that is done all the same: rondo_stream_synchronize tells, by this handle or any
 * other of the same stream. Errors: RONDO_UNSUPPORTED (other devices than CUDA's). */
RONDO_C_API rondo_status rondo_stream_borrow(rondo_device device, void* native, rondo_stream** out);
/* Between any two of host memory and the device's, after all that was issued before. On CUDA
 * devices it waits, behind a call in a stream, until that has ended, where the host's memory isn't
 * page-locked. */
RONDO_C_API rondo_status rondo_stream_copy(rondo_stream* stream, void* target, const void* source,
                                           size_t bytes);
/* Blocks until all that was issued is done. */
RONDO_C_API rondo_status rondo_stream_synchronize(rondo_stream* stream);
/* Null: does nothing. */
RONDO_C_API rondo_status rondo_stream_release(rondo_stream* stream);

typedef struct rondo_device_memory rondo_device_memory;

/* Memory of a device, for buffers of communicators whose rondo_config.device it is. */
RONDO_C_API rondo_status rondo_device_allocate(rondo_device device, size_t bytes,
                                               rondo_device_memory** out, void** data);
/* Null: does nothing. */
RONDO_C_API rondo_status rondo_device_free(rondo_device_memory* memory);

/* ---- Memory of the program's ----------------------------------------------------------------- */

/* What memory that the program hands to Rondo has to be aligned to. */
#define RONDO_MEMORY_ALIGNMENT 64

/* `bytes` (more than 0) of the device's memory, aligned; null: there are none. */
typedef void* (*rondo_allocate_function)(void* context, rondo_device device, size_t bytes);
/* Takes back what the former gave, of the same size. */
typedef void (*rondo_release_function)(void* context, rondo_device device, void* memory,
                                       size_t bytes);

/* Rondo takes its memory for payloads (scratch, messages that wait, what is encoded; docs/c-abi.md)
 * from the program from now on, for the whole process; both null: its own way again. What was
 * allocated goes back to the functions it came from, which must work until the last communicator is
 * destroyed; memory of devices may come back after that, once nothing on them is at a call. This
 * function waits for what is on its way, for a second at most: who lets the former functions go
 * calls it first. All is back then, unless a call in a stream or with other processes takes longer
 * than that, or one was given up whose peer stands still or has died: that comes later, or never.
 * By any thread that uses a communicator, and one of Rondo's, several at once; they must not use
 * one. No lock that `release` takes may be held over a call of Rondo's, which may wait for a
 * `release` of another thread's. */
RONDO_C_API rondo_status rondo_set_allocator(rondo_allocate_function allocate,
                                             rondo_release_function release, void* context);

/* ---- What was done, and what would be -------------------------------------------------------- */

typedef struct rondo_traffic {
  size_t size; /* sizeof(rondo_traffic) */
  int32_t peer;
  char transport[16];
  uint64_t sent_bytes;
  uint64_t received_bytes;
} rondo_traffic;

#define RONDO_TRAFFIC_INIT \
  { sizeof(rondo_traffic), 0, {0}, 0, 0 }

/* Of the peer with this rank. */
RONDO_C_API rondo_status rondo_get_traffic(const rondo_communicator* communicator, int peer,
                                           rondo_traffic* out);

typedef struct rondo_call_info {
  size_t size; /* sizeof(rondo_call_info) */
  char algorithm[32];
  char transport[16];
  char wire_format[16];
  /* By what the algorithm was chosen by, by a tuning for memory of this rank's kind and at the pace
   * of when the world was joined; of one's own schedule by simulation; where the data stayed on the
   * devices, by the formula of that way, whatever the algorithm. 0: unknown. */
  double predicted_us;
  double took_us; /* on this rank; 0 with RONDO_TRACE=off */
} rondo_call_info;

#define RONDO_CALL_INFO_INIT \
  { sizeof(rondo_call_info), {0}, {0}, {0}, 0, 0 }

/* Of the communicator's last call. */
RONDO_C_API rondo_status rondo_last_call(const rondo_communicator* communicator,
                                         rondo_call_info* out);

/* Writes the last calls to a file for `rondo trace`, chrome://tracing and Perfetto. */
RONDO_C_API rondo_status rondo_write_trace(const rondo_communicator* communicator,
                                           const char* path);
/* Totals as text that Prometheus reads: at most `room` bytes with the 0 at the end, cut off where
 * it is longer. `needed` (may be null): the room for all of it; `text` may be null where `room` is
 * 0. */
RONDO_C_API rondo_status rondo_get_metrics(const rondo_communicator* communicator, char* text,
                                           size_t room, size_t* needed);

/* A call of this rank that has ended. Texts are valid during the call of the function. */
typedef struct rondo_traced_call {
  const char* collective; /* "all_reduce", ..., "send", "receive" */
  const char* algorithm;
  const char* transport;
  uint64_t sequence; /* of the communicator's collectives, from 1; 0: a send or receive */
  uint64_t bytes;    /* of the larger of this rank's buffers */
  double took_us;
  double wait_us;             /* of that: nothing moved, for want of a peer */
  double reduce_us;           /* of that: in kernels */
  int32_t waited_longest_for; /* a rank; -1: none */
  rondo_status status;
} rondo_traced_call;

/* Must be short, and not use the communicator. */
typedef void (*rondo_trace_function)(void* context, const rondo_traced_call* call);

/* Called at the end of each call that has begun, from now on, on the thread that moved it on; null:
 * no longer. Nothing is outstanding. RONDO_UNSUPPORTED with RONDO_TRACE=off and in a world of one
 * rank. */
RONDO_C_API rondo_status rondo_set_trace(rondo_communicator* communicator,
                                         rondo_trace_function function, void* context);

typedef enum rondo_log_level {
  RONDO_LOG_OFF = 0,
  RONDO_LOG_ERROR = 1,
  RONDO_LOG_WARN = 2,
  RONDO_LOG_INFO = 3,
  RONDO_LOG_DEBUG = 4,
  RONDO_LOG_TRACE = 5,
  RONDO_LOG_LARGEST = 0x7fffffff
} rondo_log_level;

/* `line` has no end of line and is valid during the call. By any thread, several at once. */
typedef void (*rondo_log_function)(void* context, rondo_log_level level, const char* line);

/* Hands lines of `level` and above to the program instead of to RONDO_LOG's place, for the whole
 * process; null: as RONDO_LOG says again. */
RONDO_C_API rondo_status rondo_set_log(rondo_log_function function, void* context,
                                       rondo_log_level level);

typedef struct rondo_plan {
  size_t size; /* sizeof(rondo_plan) */
  char algorithm[32];
  double predicted_us;      /* by simulation of its schedule; 0: too large */
  uint64_t steps;           /* messages in a row */
  uint64_t most_rank_bytes; /* that any rank sends */
  char reason[256];         /* one sentence */
} rondo_plan;

#define RONDO_PLAN_INIT                     \
  {                                         \
    sizeof(rondo_plan), {0}, 0, 0, 0, { 0 } \
  }

/* What a world of `hosts` times `ranks_per_host` ranks would run, joined as the text `network` says
 * (docs/networks.md), which has to be of the same world, where they aren't 0; null: with the
 * constants that are built in. `bytes` are those of one rank's larger buffer. */
RONDO_C_API rondo_status rondo_query_plan(rondo_kind kind, uint64_t bytes, rondo_type type,
                                          int hosts, int ranks_per_host, const char* network,
                                          rondo_plan* out);

/* The same, with all that can be asked: rondo::PlanQuestion in C. 0 and null: the default; `hosts`
 * and `ranks_per_host` have none, and are needed unless `network` or `tuning` describes a world. */
typedef struct rondo_plan_question {
  size_t size; /* sizeof(rondo_plan_question) */
  rondo_kind kind;
  rondo_type type;
  uint64_t bytes; /* of one rank's larger buffer */
  int32_t root;
  int32_t hosts; /* 0: those of `network` or `tuning`; otherwise the same as a network's */
  int32_t ranks_per_host;
  int32_t deterministic; /* 0 or 1 */
  const char* network;   /* as JSON: docs/networks.md; null: built-in constants */
  const char* tuning;    /* a tuning file's text, in place of `network`: docs/tuning.md */
  const char* algorithm; /* one that is forced; null: "auto" */
  const char* schedule;  /* one's own as JSON, priced beside ours: docs/your-own-schedule.md */
  int32_t registered;    /* 0 or 1: what a tuning predicts is of registered memory */
  int32_t unused;        /* 0 */
} rondo_plan_question;

#define RONDO_PLAN_QUESTION_INIT                                                               \
  {                                                                                            \
    sizeof(rondo_plan_question), RONDO_ALL_REDUCE, RONDO_F32, 0, 0, 0, 0, 0, NULL, NULL, NULL, \
        NULL, 0, 0                                                                             \
  }

/* What there is to choose from, what is chosen and why, and what goes where. Threads: any, several
 * at once. */
typedef struct rondo_plan_report rondo_plan_report;

/* What is given back by rondo_plan_report_release. Milliseconds for tens of ranks, seconds for
 * thousands. */
RONDO_C_API rondo_status rondo_explain_plan(const rondo_plan_question* question,
                                            rondo_plan_report** out);

/* What the following point to, and their texts, is the report's and valid as long as it is. */
typedef struct rondo_plan_choice {
  int32_t ranks;
  int32_t hosts;
  const char* algorithm; /* that a communicator of this world runs */
  const char* reason;    /* one sentence */
  size_t candidates;     /* by predicted time, those left out last: rondo_plan_report_candidate */
  size_t links;          /* between hosts first, most bytes first: rondo_plan_report_link */
  size_t uplinks;        /* hosts before switches, none on one host: rondo_plan_report_uplink */
} rondo_plan_choice;

typedef struct rondo_plan_candidate {
  const char* name;
  const char* summary;
  double predicted_us;      /* by simulation; 0 where `left_out` says why there is none */
  double formula_us;        /* what the choice goes by without a tuning; 0 with one */
  uint64_t steps;           /* messages in a row */
  uint64_t most_rank_bytes; /* that any rank sends */
  uint64_t most_link_bytes; /* that any host sends to others */
  const char* left_out;     /* "" */
  int32_t chosen;           /* 0 or 1 */
  int32_t bounded;          /* 1: `least_us` and `predicted_us` are proved to be bounds */
  double least_us;          /* less than predicted_us where the world is too large for messages of
                             * two sizes: with all as the shorter ones, and that as the longer */
} rondo_plan_candidate;

/* What one rank sends to one other by the chosen algorithm. */
typedef struct rondo_plan_link {
  int32_t from;
  int32_t to;
  uint64_t messages;
  uint64_t bytes;
  int32_t between_hosts; /* 0 or 1 */
  int32_t alike;         /* so many links carry the same; one stands for them */
} rondo_plan_link;

/* What crosses a link that ranks share, a host's to the others or a switch's to the rest of the
 * network, by the chosen algorithm. */
typedef struct rondo_plan_uplink {
  const char* name; /* "host 0"; of a switch its own */
  uint64_t up_bytes;
  uint64_t down_bytes;
  double busy_share; /* of the predicted time, at the link's full speed; 0: it has no limit */
  int32_t of_switch; /* 0 or 1 */
  int32_t alike;     /* so many hosts or switches have as much; one stands for them */
} rondo_plan_uplink;

RONDO_C_API rondo_status rondo_plan_report_choice(const rondo_plan_report* report,
                                                  const rondo_plan_choice** out);
/* `index`: from 0. */
RONDO_C_API rondo_status rondo_plan_report_candidate(const rondo_plan_report* report, size_t index,
                                                     const rondo_plan_candidate** out);
RONDO_C_API rondo_status rondo_plan_report_link(const rondo_plan_report* report, size_t index,
                                                const rondo_plan_link** out);
RONDO_C_API rondo_status rondo_plan_report_uplink(const rondo_plan_report* report, size_t index,
                                                  const rondo_plan_uplink** out);
/* Null: does nothing. */
RONDO_C_API rondo_status rondo_plan_report_release(rondo_plan_report* report);

/* Who sends what when by the chosen algorithm, as it is predicted: an SVG, up to some megabytes, a
 * line for each rank, from left to right. Worked out in each call, as for rondo_explain_plan; room
 * as for rondo_get_metrics. RONDO_INVALID_ARGUMENT for worlds of more than 64 ranks. */
RONDO_C_API rondo_status rondo_draw_plan(const rondo_plan_question* question, char* text,
                                         size_t room, size_t* needed);
/* What rank `rank` does, a line for each step of the chosen algorithm; room as for
 * rondo_get_metrics. RONDO_INVALID_ARGUMENT for a rank that there isn't. */
RONDO_C_API rondo_status rondo_describe_plan(const rondo_plan_question* question, int rank,
                                             char* text, size_t room, size_t* needed);

/* ---- Schedules of one's own: docs/your-own-schedule.md ----------------------------------------
 */

typedef struct rondo_schedule rondo_schedule;

typedef enum rondo_place_memory {
  RONDO_INPUT = 0,
  RONDO_OUTPUT = 1,
  RONDO_SCRATCH = 2,
  RONDO_PLACE_LARGEST = 0x7fffffff
} rondo_place_memory;

/* Row `index` of a rank's input or output, or its scratch slot. */
typedef struct rondo_place {
  rondo_place_memory memory;
  uint32_t index;
} rondo_place;

typedef enum rondo_step_kind {
  RONDO_STEP_SEND = 0,        /* peer, source */
  RONDO_STEP_RECV = 1,        /* peer, target */
  RONDO_STEP_RECV_REDUCE = 2, /* peer, source, target, final: target = source (+) received */
  RONDO_STEP_COPY = 3,        /* source, target */
  RONDO_STEP_REDUCE = 4,      /* source, other, target, final: target = source (+) other */
  RONDO_STEP_WAIT = 5,        /* other_lane, other_op: until that is done, and has been read */
  RONDO_STEP_LARGEST = 0x7fffffff
} rondo_step_kind;

/* One op of one rank; what its kind doesn't need isn't looked at. */
typedef struct rondo_step {
  size_t size; /* sizeof(rondo_step) */
  rondo_step_kind kind;
  int32_t rank;
  int32_t lane;
  int32_t peer;
  rondo_place source;
  rondo_place other;
  rondo_place target;
  int32_t final; /* the result has all contributions */
  int32_t other_lane;
  uint32_t other_op;
} rondo_step;

#define RONDO_STEP_INIT                                                               \
  {                                                                                   \
    sizeof(rondo_step), RONDO_STEP_SEND, 0, 0, 0, {RONDO_INPUT, 0}, {RONDO_INPUT, 0}, \
        {RONDO_INPUT, 0}, 0, 0, 0                                                     \
  }

/* `name`: one line of UTF-8, at most 256 bytes. `rows`: equal parts that the data are cut into, as
 * many as docs/your-own-schedule.md says (of all_to_all the square of the ranks). `turns`: not 0:
 * rank 0's steps stand for all. */
RONDO_C_API rondo_status rondo_schedule_begin(const char* name, rondo_kind kind, int ranks,
                                              uint32_t rows, int root, int turns,
                                              rondo_schedule** out);
/* A slot of this rank's for a row of this size. */
RONDO_C_API rondo_status rondo_schedule_scratch(rondo_schedule* schedule, int rank, uint32_t row,
                                                rondo_place* out);
/* Behind those of its rank and lane; `op` (may be null): its number there. */
RONDO_C_API rondo_status rondo_schedule_add(rondo_schedule* schedule, const rondo_step* step,
                                            uint32_t* op);
/* Proves it, and gives it as text for rondo_config.schedule or a file; room as for
 * rondo_get_metrics. A wrong one: RONDO_INVALID_ARGUMENT with the rank, the step and what the right
 * contents would be. */
RONDO_C_API rondo_status rondo_schedule_build(const rondo_schedule* schedule, char* text,
                                              size_t room, size_t* needed);
/* Null: does nothing. */
RONDO_C_API rondo_status rondo_schedule_release(rondo_schedule* schedule);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,modernize-redundant-void-arg,modernize-deprecated-headers,
 *           readability-identifier-naming,performance-enum-size,cppcoreguidelines-use-enum-class)
 */
