// A device for Rondo in a shared object: two "devices" in the host's memory, whose streams are
// threads. It has all that a plug-in may have. What a real one does differently is inside these
// functions; the table stays.
//
//   RONDO_DEVICE_PLUGINS=$PWD/build/release/lib/custom_cpu.so rondo bench all_reduce --device
//   custom_cpu -g 2

#include <rondo/device_plugin.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>

#include "examples/custom_device/collectives.h"
#include "examples/custom_device/failure.h"
#include "examples/custom_device/handles.h"
#include "examples/custom_device/memory.h"
#include "examples/custom_device/reduce.h"
#include "examples/custom_device/sharing.h"

namespace custom_cpu {
namespace {

const char* last_error() { return last_failure().data(); }

int device_count(int* count) {
  *count = kDevices;
  return done();
}

int allocate(int device, std::size_t bytes, void** address) {
  *address = memory().allocate(device, bytes);
  if (*address != nullptr) return done();
  return failed("there are no " + std::to_string(bytes) + " bytes of memory");
}

int deallocate(int device, void* address) {
  return memory().deallocate(device, address) ? done() : failed("that is no block of this device");
}

int owns(int device, const void* address, std::size_t bytes, int* found) {
  *found = memory().owns(device, address, bytes) ? 1 : 0;
  return done();
}

int copy(int /*device*/, void* target, const void* source, std::size_t bytes) {
  std::memmove(target, source, bytes);
  return done();
}

int create_stream(int /*device*/, rondo_plugin_stream* stream) {
  *stream = reinterpret_cast<rondo_plugin_stream>(new Stream());
  return done();
}

int destroy_stream(int /*device*/, rondo_plugin_stream stream) {
  delete own(stream);
  return done();
}

int synchronize_stream(int /*device*/, rondo_plugin_stream stream) {
  return own(stream)->synchronize() ? done() : failed("work of this stream failed");
}

int copy_async(int /*device*/, rondo_plugin_stream stream, void* target, const void* source,
               std::size_t bytes) {
  own(stream)->add([=] {
    std::memmove(target, source, bytes);
    return true;
  });
  return done();
}

int create_event(int /*device*/, rondo_plugin_event* event) {
  *event = handle_of(new OwnEvent());
  return done();
}

int destroy_event(int /*device*/, rondo_plugin_event event) {
  delete own(event);
  return done();
}

int record_event(int /*device*/, rondo_plugin_stream stream, rondo_plugin_event event) {
  auto* const recorded_here = dynamic_cast<OwnEvent*>(own(event));
  if (recorded_here == nullptr) return failed("an event of another process is waited for alone");
  own(stream)->record(*recorded_here);
  return done();
}

int wait_event(int /*device*/, rondo_plugin_stream stream, rondo_plugin_event event) {
  own(stream)->wait(*own(event));
  return done();
}

int query_event(int /*device*/, rondo_plugin_event event, int* is_done) {
  *is_done = own(event)->reached() ? 1 : 0;
  return done();
}

int synchronize_event(int /*device*/, rondo_plugin_event event) {
  return own(event)->waiter()() ? done() : failed("work before this event failed");
}

/// A real device's are seen in its maker's profiler; these are counted.
std::atomic<int> ranges_begun = 0;
std::atomic<int> ranges_ended = 0;

int begin_range(const char* /*name*/, std::uint64_t* range) {
  *range = static_cast<std::uint64_t>(++ranges_begun);
  return done();
}

int end_range(std::uint64_t /*range*/) {
  ++ranges_ended;
  return done();
}

/// A real driver is opened and closed here; that they were is counted.
std::atomic<int> initialized = 0;

int initialize() {
  ++initialized;
  return done();
}

int finalize() {
  --initialized;
  return done();
}

const char* driver_version() { return "1.0 (threads)"; }
const char* runtime_version() { return "1.0"; }

/// The host's own: a real device's is page-locked, and mapped for the device.
int allocate_host(int /*device*/, std::size_t bytes, void** address) {
  constexpr std::align_val_t kAlignment{64};
  *address = ::operator new(bytes, kAlignment, std::nothrow);
  return *address != nullptr ? done() : failed("the host has no such memory left");
}

int deallocate_host(int /*device*/, void* address) {
  constexpr std::align_val_t kAlignment{64};
  ::operator delete(address, kAlignment);
  return done();
}

rondo_device_table table() {
  rondo_device_table table{};
  table.size = sizeof(table);
  table.major_version = RONDO_DEVICE_PLUGIN_MAJOR;
  table.minor_version = RONDO_DEVICE_PLUGIN_MINOR;
  table.kind = "custom_cpu";
  table.last_error = &last_error;
  table.device_count = &device_count;
  table.allocate = guarded<&allocate>;
  table.deallocate = guarded<&deallocate>;
  table.owns = guarded<&owns>;
  table.copy = &copy;
  add_sharing(table);
  table.create_stream = guarded<&create_stream>;
  table.destroy_stream = guarded<&destroy_stream>;
  table.synchronize_stream = guarded<&synchronize_stream>;
  table.copy_async = guarded<&copy_async>;
  table.create_event = guarded<&create_event>;
  table.destroy_event = guarded<&destroy_event>;
  table.record_event = guarded<&record_event>;
  table.wait_event = guarded<&wait_event>;
  table.query_event = guarded<&query_event>;
  table.synchronize_event = guarded<&synchronize_event>;
  table.begin_range = &begin_range;
  table.end_range = &end_range;
  table.initialize = &initialize;
  table.finalize = &finalize;
  table.driver_version = &driver_version;
  table.runtime_version = &runtime_version;
  table.allocate_host = &allocate_host;
  table.deallocate_host = &deallocate_host;
  return table;
}

}  // namespace
}  // namespace custom_cpu

extern "C" __attribute__((visibility("default"))) int rondo_device_plugin(
    const rondo_plugin_registry* registry) {
  const rondo_device_table table = custom_cpu::table();
  if (registry->add_device(registry->context, &table) != 0) return 1;
  for (const custom_cpu::Kernel& kernel : custom_cpu::kernels()) {
    const int code = registry->add_reduce_kernel(registry->context, table.kind, kernel.type,
                                                 kernel.op, kernel.kernel);
    if (code != 0) return code;
  }
  // An older Rondo has no place for them.
  const bool takes_collectives = registry->size > offsetof(rondo_plugin_registry, add_collectives);
  if (!takes_collectives) return 0;
  const rondo_collective_table collectives = custom_cpu::collectives();
  return registry->add_collectives(registry->context, table.kind, &collectives);
}

/// For tests: how often it was initialized.
extern "C" __attribute__((visibility("default"))) int custom_cpu_initialized() {
  return custom_cpu::initialized;
}

/// For tests: ranges that were begun, and ended.
extern "C" __attribute__((visibility("default"))) void custom_cpu_ranges(int* begun, int* ended) {
  *begun = custom_cpu::ranges_begun;
  *ended = custom_cpu::ranges_ended;
}
