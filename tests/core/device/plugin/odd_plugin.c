/* Plug-ins that are wrong in one way each (ODD), and one that does nothing wrong. C99. */

#include <rondo/device_plugin.h>
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

static const char* last_error(void) { return "the odd device is out of order"; }
static int device_count(int* count) {
  *count = 1;
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

int rondo_device_plugin(const rondo_plugin_registry* registry) {
  rondo_device_table table;
  memset(&table, 0, sizeof(table));
  table.size = ODD == SMALL_TABLE ? 24 : sizeof(table);
  table.major_version = ODD == OTHER_VERSION ? 99 : RONDO_DEVICE_PLUGIN_MAJOR;
  table.minor_version = RONDO_DEVICE_PLUGIN_MINOR;
  table.kind = ODD == BAD_NAME ? "9 lives" : ODD == KIND_OF_RONDO ? "emulated" : "odd";
  table.last_error = &last_error;
  table.device_count = &device_count;
  table.allocate = &allocate;
  table.deallocate = &deallocate;
  table.owns = &owns;
  table.copy = ODD == NO_COPY ? NULL : &copy;
  table.create_stream = ODD == HALF_THE_STREAMS ? &create_stream : NULL;
  if (ODD == FAILS) return 5;
  if (ODD == NO_DEVICE) return 0;
  if (ODD == KERNEL_OF_NOBODY)
    return registry->add_reduce_kernel(registry->context, "nobody", "f32", "sum", &reduce);
  if (registry->add_device(registry->context, &table) != 0) return 1;
  return registry->add_reduce_kernel(registry->context, "odd", "f32", "sum", &reduce);
}
