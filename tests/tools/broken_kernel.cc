// The sample of a device (examples/custom_device) whose kernel for sums of f32 is broken on
// purpose: it leaves the last source out. Rondo is the same; `rondo bench` must see it.

#include <rondo/device_plugin.h>

#include <cstddef>
#include <cstring>

/// The sample's own entry, by the name that this file's build gives it.
extern "C" int sound_device_plugin(const rondo_plugin_registry* registry);

namespace {

rondo_reduce_kernel sound_sum = nullptr;

int broken_sum(int device, rondo_plugin_stream stream, const rondo_reduction* given) {
  rondo_reduction less = *given;
  if (less.source_count > 1) --less.source_count;
  return sound_sum(device, stream, &less);
}

const rondo_plugin_registry* outer = nullptr;

int add_device(void* /*context*/, const rondo_device_table* table) {
  return outer->add_device(outer->context, table);
}

int add_reduce_kernel(void* /*context*/, const char* kind, const char* type, const char* op,
                      rondo_reduce_kernel kernel) {
  if (std::strcmp(type, "f32") == 0 && std::strcmp(op, "sum") == 0) {
    sound_sum = kernel;
    kernel = &broken_sum;
  }
  return outer->add_reduce_kernel(outer->context, kind, type, op, kernel);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int rondo_device_plugin(
    const rondo_plugin_registry* registry) {
  outer = registry;
  rondo_plugin_registry between{};
  // As of 1.0: whole collectives, which have kernels of their own, have no place in it.
  between.size = offsetof(rondo_plugin_registry, add_collectives);
  between.add_device = &add_device;
  between.add_reduce_kernel = &add_reduce_kernel;
  return sound_device_plugin(&between);
}
