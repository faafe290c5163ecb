/* Plug-ins that are wrong in one way each (ODD), and one that does nothing wrong. C99. */

#include <rondo/device_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINE 0
#define OTHER_VERSION 1
#define SMALL_TABLE 2
#define NO_COPY 3
#define HALF_THE_STREAMS 4
#define NO_DEVICE 5
#define BAD_NAME 6
#define KERNEL_OF_NOBODY 7
#define KIND_OF_RONDO 8
#define FAILS 9
#define HALF_THE_RANGES 10
#define OLD 11
#define COLLECTIVES_OF_NOBODY 12
#define COLLECTIVES_WITHOUT_JOIN 13
#define COLLECTIVES_WITHOUT_VERSION 14
#define MESSAGES_WITHOUT_GROUPS 15
#define HALF_THE_MESSAGES 16
#define SMALL_COLLECTIVES 17
#define KERNEL_OF_NO_TYPE 18
#define KERNEL_OF_NO_OP 19
#define FAILS_TO_INITIALIZE 20
#define HALF_THE_HOST_MEMORY 21
#define LAST_FAILS_TO_INITIALIZE 22
#define WITHOUT_DEVICES 23
#define FEWER_THAN_NO_DEVICES 24

static const char* last_error(void) { return "the odd device is out of order"; }
static int device_count(int* count) {
  *count = ODD == WITHOUT_DEVICES ? 0 : ODD == FEWER_THAN_NO_DEVICES ? -3 : 1;
  return 0;
}
static int allocate(int device, size_t bytes, void** memory) {
  (void)device;
  if (bytes > 1000000) return 7;
  *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  return *memory == NULL;
}
static int deallocate(int device, void* memory) {
  (void)device;
  free(memory);
  return 0;
}
static int owns(int device, const void* memory, size_t bytes, int* found) {
  (void)device, (void)memory, (void)bytes;
  *found = 1;
  return 0;
}
static int copy(int device, void* target, const void* source, size_t bytes) {
  (void)device;
  if (bytes == 13) return 13;
  memmove(target, source, bytes);
  return 0;
}
static int create_stream(int device, rondo_plugin_stream* stream) {
  (void)device, (void)stream;
  return 0;
}
static int reduce(int device, rondo_plugin_stream stream, const rondo_reduction* reduction) {
  const float* a = (const float*)reduction->sources[0];
  const float* b = (const float*)reduction->sources[1];
  float* sum = (float*)reduction->targets[0];
  (void)device, (void)stream;
  for (size_t i = 0; i < reduction->count; ++i) sum[i] = a[i] + b[i];
  return 0;
}

static int begin_range(const char* name, uint64_t* range) {
  (void)name;
  *range = 1;
  return 0;
}
static int initialized = 0;
static int initialize(void) {
  if (ODD == FAILS_TO_INITIALIZE) return 9;
  ++initialized;
  return 0;
}
static int finalize(void) {
  printf("the odd device, initialized %d times, is finalized\n", initialized);
  return 0;
}
static int allocate_host(int device, size_t bytes, void** memory) {
  return allocate(device, bytes, memory);
}
static int reduces(const char* type, const char* op) {
  (void)type, (void)op;
  return 1;
}
static int make_id(rondo_plugin_id* id) {
  (void)id;
  return 3;
}
static int join(int device, const rondo_plugin_id* id, int rank, int world,
                rondo_plugin_communicator* communicator) {
  (void)device, (void)id, (void)rank, (void)world, (void)communicator;
  return 4;
}
static int leave(rondo_plugin_communicator communicator) {
  (void)communicator;
  return 0;
}
static int send_to(rondo_plugin_communicator communicator, rondo_plugin_stream stream,
                   const void* data, size_t count, const char* type, int peer) {
  (void)communicator, (void)stream, (void)data, (void)count, (void)type, (void)peer;
  return 0;
}
static int receive(rondo_plugin_communicator communicator, rondo_plugin_stream stream, void* data,
                   size_t count, const char* type, int peer) {
  (void)communicator, (void)stream, (void)data, (void)count, (void)type, (void)peer;
  return 0;
}
static int add_collectives(const rondo_plugin_registry* registry, const char* kind) {
  rondo_collective_table table;
  memset(&table, 0, sizeof(table));
  table.size = ODD == SMALL_COLLECTIVES ? 16 : sizeof(table);
  table.version = ODD == COLLECTIVES_WITHOUT_VERSION ? "" : "odd 1";
  table.reduces = &reduces;
  table.make_id = &make_id;
  table.join = ODD == COLLECTIVES_WITHOUT_JOIN ? NULL : &join;
  table.abort = &leave;
  table.leave = &leave;
  if (ODD == MESSAGES_WITHOUT_GROUPS || ODD == HALF_THE_MESSAGES) table.send = &send_to;
  if (ODD == MESSAGES_WITHOUT_GROUPS) table.receive = &receive;
  return registry->add_collectives(registry->context, kind, &table);
}

/* Of the plug-in with three kinds: whose turn it was, since it was loaded. */
static char turns[128];
const char* odd_turns(void);
const char* odd_turns(void) { return turns; }
static int take_turn(const char* turn, int code) {
  strcat(turns, turn);
  return code;
}
static int begin_first(void) { return take_turn("+first ", 0); }
static int begin_second(void) { return take_turn("+second ", 0); }
static int begin_third(void) { return take_turn("+third ", 9); }
static int end_first(void) { return take_turn("-first ", 0); }
static int end_second(void) { return take_turn("-second ", 0); }
static int end_third(void) { return take_turn("-third ", 0); }
static int add_kind(const rondo_plugin_registry* registry, rondo_device_table table,
                    const char* kind, int (*begin)(void), int (*end)(void)) {
  table.kind = kind;
  table.initialize = begin;
  table.finalize = end;
  return registry->add_device(registry->context, &table);
}
static int add_three_kinds(const rondo_plugin_registry* registry, const rondo_device_table* table) {
  turns[0] = '\0';
  return add_kind(registry, *table, "first", &begin_first, &end_first) != 0 ||
         add_kind(registry, *table, "second", &begin_second, &end_second) != 0 ||
         add_kind(registry, *table, "third", &begin_third, &end_third) != 0;
}

int rondo_device_plugin(const rondo_plugin_registry* registry) {
  rondo_device_table table;
  memset(&table, 0, sizeof(table));
  table.size = ODD == SMALL_TABLE ? 24
               : ODD == OLD       ? offsetof(rondo_device_table, begin_range)
                                  : sizeof(table);
  table.major_version = ODD == OTHER_VERSION ? 99 : RONDO_DEVICE_PLUGIN_MAJOR;
  table.minor_version = ODD == OLD ? 0 : RONDO_DEVICE_PLUGIN_MINOR;
  table.kind = ODD == BAD_NAME                ? "9 lives"
               : ODD == KIND_OF_RONDO         ? "emulated"
               : ODD == OLD                   ? "old"
               : ODD == FINE                  ? "odd"
               : ODD == WITHOUT_DEVICES       ? "none"
               : ODD == FEWER_THAN_NO_DEVICES ? "fewer"
                                              : "odder";
  table.last_error = &last_error;
  table.device_count = &device_count;
  table.allocate = &allocate;
  table.deallocate = &deallocate;
  table.owns = &owns;
  table.copy = ODD == NO_COPY ? NULL : &copy;
  table.create_stream = ODD == HALF_THE_STREAMS ? &create_stream : NULL;
  /* What an old one has behind its end is nobody's business. */
  if (ODD == OLD || ODD == HALF_THE_RANGES) table.begin_range = &begin_range;
  if (ODD == HALF_THE_HOST_MEMORY) table.allocate_host = &allocate_host;
  table.initialize = &initialize;
  table.finalize = &finalize;
  if (ODD == FAILS) return 5;
  if (ODD == NO_DEVICE) return 0;
  if (ODD == LAST_FAILS_TO_INITIALIZE) return add_three_kinds(registry, &table);
  if (ODD == KERNEL_OF_NOBODY)
    return registry->add_reduce_kernel(registry->context, "nobody", "f32", "sum", &reduce);
  if (registry->add_device(registry->context, &table) != 0) return 1;
  if (registry->add_reduce_kernel(registry->context, table.kind,
                                  ODD == KERNEL_OF_NO_TYPE ? "float32" : "f32",
                                  ODD == KERNEL_OF_NO_OP ? "add" : "sum", &reduce) != 0)
    return 1;
  return ODD == OLD
             ? 0
             : add_collectives(registry, ODD == COLLECTIVES_OF_NOBODY ? "nobody" : table.kind);
}
