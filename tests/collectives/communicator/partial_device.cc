// The sample of a device (examples/custom_device) without some of what a plug-in may leave out:
// RONDO_TEST_WITHOUT names it, with spaces between. What Rondo does then is plugin_ways_ranks's.

#include <rondo/device_plugin.h>

#include <cstddef>
#include <cstdlib>
#include <string>

/// The sample's own entry, by the name that this file's build gives it.
extern "C" int whole_device_plugin(const rondo_plugin_registry* registry);

namespace {

const rondo_plugin_registry* outer = nullptr;

bool lacks(const char* what) {
  const char* const text = std::getenv("RONDO_TEST_WITHOUT");
  if (text == nullptr) return false;
  return (" " + std::string(text) + " ").find(" " + std::string(what) + " ") != std::string::npos;
}

template <typename... Entry>
void clear(Entry&... entries) {
  ((entries = nullptr), ...);
}

int add_device(void* /*context*/, const rondo_device_table* whole) {
  rondo_device_table t = *whole;
  if (lacks("sharing"))
    clear(t.export_memory, t.import_memory, t.release_memory, t.export_event, t.import_event);
  if (lacks("streams")) {
    clear(t.create_stream, t.destroy_stream, t.synchronize_stream, t.copy_async, t.create_event,
          t.destroy_event, t.record_event, t.wait_event, t.query_event, t.synchronize_event);
  }
  if (lacks("copy_async")) clear(t.copy_async);
  if (lacks("query_event")) clear(t.query_event);
  if (lacks("ranges")) clear(t.begin_range, t.end_range);
  if (lacks("host_memory") || lacks("streams")) clear(t.allocate_host, t.deallocate_host);
  return outer->add_device(outer->context, &t);
}

int add_reduce_kernel(void* /*context*/, const char* kind, const char* type, const char* op,
                      rondo_reduce_kernel kernel) {
  if (lacks("kernels")) return 0;
  return outer->add_reduce_kernel(outer->context, kind, type, op, kernel);
}

int add_collectives(void* /*context*/, const char* kind, const rondo_collective_table* whole) {
  if (lacks("collectives")) return 0;
  rondo_collective_table t = *whole;
  if (lacks("ready")) clear(t.ready);
  if (lacks("all_reduce")) clear(t.all_reduce);
  if (lacks("reduce")) clear(t.reduce);
  if (lacks("broadcast")) clear(t.broadcast);
  if (lacks("all_gather")) clear(t.all_gather);
  if (lacks("reduce_scatter")) clear(t.reduce_scatter);
  if (lacks("messages")) clear(t.send, t.receive);
  if (lacks("groups")) clear(t.begin_group, t.end_group);
  return outer->add_collectives(outer->context, kind, &t);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int rondo_device_plugin(
    const rondo_plugin_registry* registry) {
  outer = registry;
  rondo_plugin_registry between{};
  between.size = sizeof(between);
  between.add_device = &add_device;
  between.add_reduce_kernel = &add_reduce_kernel;
  between.add_collectives = &add_collectives;
  return whole_device_plugin(&between);
}
