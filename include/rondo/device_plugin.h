#pragma once

/* A device that Rondo doesn't know: a shared object fills in this table, and places of a
 * communicator may lie on it (docs/devices.md). C99, without a library to link; a complete sample
 * is examples/custom_device.
 *
 * RONDO_DEVICE_PLUGINS names the objects, a path each, with ':' between them. Each exports
 * rondo_device_plugin, which is called once. Entries marked (optional) may be null: what Rondo does
 * without them is said there. All others are required.
 *
 * Every function returns 0 where it has done what it says, and else anything but 0 with a reason in
 * last_error. None throws, exits or calls Rondo back. Threads: any, unless said otherwise; those on
 * one stream one at a time. Source: the custom devices of PaddlePaddle (device_ext.h).
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C has no better ways:
 * NOLINTBEGIN(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming) */

/* Of this header. Another major number is refused; entries are only ever added, at the end of a
 * table, and each addition is a minor number: size tells which of them a plug-in knows. */
#define RONDO_DEVICE_PLUGIN_MAJOR 1
#define RONDO_DEVICE_PLUGIN_MINOR 2

typedef struct rondo_plugin_stream_s* rondo_plugin_stream; /* the plug-in's own */
typedef struct rondo_plugin_event_s* rondo_plugin_event;   /* likewise */

/* Memory, or an event, as another process of this host can open it: plain bytes. */
typedef struct rondo_plugin_handle {
  unsigned char bytes[64];
} rondo_plugin_handle;

/* Addresses are unique in a process: no two devices, nor a device and the host, have the same. A
 * kernel or copy of one device may use memory of the kind's others. */
typedef struct rondo_device_table {
  size_t size;            /* sizeof(rondo_device_table) */
  uint32_t major_version; /* RONDO_DEVICE_PLUGIN_MAJOR */
  uint32_t minor_version; /* RONDO_DEVICE_PLUGIN_MINOR */
  const char* kind;       /* its name: a letter, then letters, digits and '_', at most 31 */

  /* Why the calling thread's last call failed; empty if nothing is known. Valid until its next. */
  const char* (*last_error)(void);

  /* Device. */
  int (*device_count)(int* count);

  /* Memory; at least 64-byte aligned. `copy` is between any two of the host's and the devices'
   * memory, and done when it returns. `owns`: sets *found to 1 where [memory, memory + bytes) lies
   * in one allocation of that device, else to 0. */
  int (*allocate)(int device, size_t bytes, void** memory);
  int (*deallocate)(int device, void* memory);
  int (*owns)(int device, const void* memory, size_t bytes, int* found);
  int (*copy)(int device, void* target, const void* source, size_t bytes);

  /* Memory of other processes (optional, all or none). Without: only threads of one process share
   * devices, and processes go by way of the host. `export_memory` also tells how many bytes there
   * are from `memory` to the end of its allocation. */
  int (*export_memory)(int device, const void* memory, rondo_plugin_handle* handle, size_t* bytes);
  int (*import_memory)(int device, const rondo_plugin_handle* handle, void** memory);
  int (*release_memory)(int device, void* memory);
  int (*export_event)(int device, rondo_plugin_event event, rondo_plugin_handle* handle);
  int (*import_event)(int device, const rondo_plugin_handle* handle, rondo_plugin_event* event);

  /* Streams and events (optional, all or none, but for copy_async and query_event). Without: work
   * is done at once, by the thread that asks for it. Work of a stream runs in order; once some of
   * it has failed, synchronize_stream fails, and so do synchronize_event on events recorded after
   * it and streams that wait for those. `record_event` replaces what was recorded before;
   * `wait_event` is for what has been recorded by then. `copy_async` (optional by itself,
   * since 1.2): without, whoever wants a copy waits for the stream and calls `copy`, and no
   * deadline ends that. `query_event` (likewise) sets *done to 1 once that is reached: without, a
   * thread that waits in synchronize_event says so. */
  int (*create_stream)(int device, rondo_plugin_stream* stream);
  int (*destroy_stream)(int device, rondo_plugin_stream stream);
  int (*synchronize_stream)(int device, rondo_plugin_stream stream);
  int (*copy_async)(int device, rondo_plugin_stream stream, void* target, const void* source,
                    size_t bytes);
  int (*create_event)(int device, rondo_plugin_event* event);
  int (*destroy_event)(int device, rondo_plugin_event event);
  int (*record_event)(int device, rondo_plugin_stream stream, rondo_plugin_event event);
  int (*wait_event)(int device, rondo_plugin_stream stream, rondo_plugin_event event);
  int (*query_event)(int device, rondo_plugin_event event, int* done);
  int (*synchronize_event)(int device, rondo_plugin_event event);

  /* Since 1.1. */

  /* Ranges of time in the profiler of the devices' maker, each a call of Rondo's (optional, both or
   * neither). `name` is gone after the call; a range is not 0, may end on another thread than it
   * began on, and ranges may overlap. */
  int (*begin_range)(const char* name, uint64_t* range);
  int (*end_range)(uint64_t range);

  /* Since 1.2. */

  /* (each optional) `initialize` is called once, before any other function, when the table has been
   * found to be in order: where it fails the plug-in is refused, with last_error. `finalize` is
   * called when the process ends by exit or by returning from main; memory, streams and events may
   * be given back even later, by objects of a program that live so long. By then the thread_local
   * objects of the thread that ends it have been destroyed: what the table's functions touch there
   * (the text of last_error, say) has to be without destructors. */
  int (*initialize)(void);
  int (*finalize)(void);

  /* What `rondo info` shows (each optional): texts that stay. */
  const char* (*driver_version)(void);
  const char* (*runtime_version)(void);

  /* Memory of the host that kernels and copies of that device use at the same address, and the host
   * all the while (optional, both or neither; they need streams). Without: collectives between
   * hosts are the host's, or a library's. */
  int (*allocate_host)(int device, size_t bytes, void** memory);
  int (*deallocate_host)(int device, void* memory);
} rondo_device_table;

/* One reduction: the sources are combined in their order, each read once, and the result is stored
 * to every target; a target may be one of the sources. `divisor`: of an average the sum is divided
 * by it before it is stored, integers towards zero; other ops don't look at it. 16-bit floats are
 * combined as f32 and rounded once, to nearest even. */
typedef struct rondo_reduction {
  size_t size; /* sizeof(rondo_reduction) of the caller's header */
  const void* const* sources;
  size_t source_count;
  void* const* targets;
  size_t target_count;
  size_t count; /* elements */
  int divisor;
} rondo_reduction;

/* Puts one reduction into a stream (null where the device has none: it is done on return). */
typedef int (*rondo_reduce_kernel)(int device, rondo_plugin_stream stream,
                                   const rondo_reduction* reduction);

/* Whole collectives by a library of the devices' maker (since 1.1). Every rank of a world joins a
 * communicator by an id that one of them has made; then all make the same calls in the same order.
 * Each goes into the stream as a kernel does, and none waits for other ranks: where something takes
 * longer (joining, say), it goes on behind the call, and `ready` tells when it is done. Rondo looks
 * after deadlines and lost ranks, and calls `abort` where it gives up.
 *
 * Of the collectives those that are null go another way, as does what `reduces` denies. Counts are
 * elements, `type` and `op` are texts as in add_reduce_kernel. In place is as in communicator.h.
 * Threads: one at a time for a communicator. */
typedef struct rondo_plugin_communicator_s* rondo_plugin_communicator; /* the plug-in's own */

typedef struct rondo_plugin_id {
  unsigned char bytes[128];
} rondo_plugin_id;

typedef struct rondo_collective_table {
  size_t size; /* sizeof(rondo_collective_table) */

  /* Name and version, all that has to agree: ranks whose texts differ don't join each other. */
  const char* version;
  /* Not 0: no two ranks of a communicator can be on one device. */
  int needs_own_device;
  /* 1 where elements of that type are reduced so, else 0. */
  int (*reduces)(const char* type, const char* op);

  int (*make_id)(rondo_plugin_id* id);
  int (*join)(int device, const rondo_plugin_id* id, int rank, int world,
              rondo_plugin_communicator* communicator);
  /* Sets *done to 1 once what was asked for last is in its stream (or, for join, done): Rondo asks
   * for nothing else before (optional: it is so when the function returns). Fails where anything
   * has failed since. */
  int (*ready)(rondo_plugin_communicator communicator, int* done);
  /* What is in streams for it ends as soon as may be, whatever other ranks do. Only leave follows.
   */
  int (*abort)(rondo_plugin_communicator communicator);
  int (*leave)(rondo_plugin_communicator communicator);

  /* (each optional) */
  int (*all_reduce)(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
                    const void* input, void* output, size_t count, const char* type,
                    const char* op);
  int (*reduce)(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
                const void* input, void* output, size_t count, const char* type, const char* op,
                int root);
  int (*broadcast)(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
                   const void* input, void* output, size_t count, const char* type, int root);
  /* `count` of each rank. */
  int (*all_gather)(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
                    const void* input, void* output, size_t count, const char* type);
  /* `count` for each rank. */
  int (*reduce_scatter)(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
                        const void* input, void* output, size_t count, const char* type,
                        const char* op);

  /* Messages, which gather, scatter and all-to-all are made of (optional, both or neither; they
   * need groups). */
  int (*send)(rondo_plugin_communicator communicator, rondo_plugin_stream stream, const void* data,
              size_t count, const char* type, int peer);
  int (*receive)(rondo_plugin_communicator communicator, rondo_plugin_stream stream, void* data,
                 size_t count, const char* type, int peer);
  /* What is asked for in between is one, and waits for nothing of each other (optional, both or
   * neither). Collectives whose parts have sizes of their own need it, too. */
  int (*begin_group)(rondo_plugin_communicator communicator);
  int (*end_group)(rondo_plugin_communicator communicator);
} rondo_collective_table;

/* What a plug-in registers with. Both copy what they are given. They return 0, or else not, and
 * Rondo reports what was wrong: pass that on. */
typedef struct rondo_plugin_registry {
  size_t size; /* sizeof(rondo_plugin_registry) of the caller's header */
  void* context;
  int (*add_device)(void* context, const rondo_device_table* table);
  /* Of a kind that has been added; `type` is "f32", "i8", ..., `op` "sum", "max", "avg", ...
   * (others are refused). What no kernel is registered for goes by way of the host. */
  int (*add_reduce_kernel)(void* context, const char* kind, const char* type, const char* op,
                           rondo_reduce_kernel kernel);
  /* Since 1.1: there where `size` says so. Of a kind that has been added. */
  int (*add_collectives)(void* context, const char* kind, const rondo_collective_table* table);
} rondo_plugin_registry;

/* Exported by the plug-in. */
int rondo_device_plugin(const rondo_plugin_registry* registry);

/* NOLINTEND(modernize-use-using,modernize-redundant-void-arg,readability-identifier-naming) */

#ifdef __cplusplus
}
#endif
