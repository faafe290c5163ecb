// The sample of a device (examples/custom_device) for tests of what goes wrong: its functions fail
// when they are asked to, and what they have given is counted.

#include <rondo/device_plugin.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "tests/core/device/watched.h"

/// The sample's own entry, by the name that this file's build gives it.
extern "C" int whole_device_plugin(const rondo_plugin_registry* registry);

namespace {

/// By the names of RONDO_EMULATED_FAULTS.
constexpr std::array<std::string_view, 5> kOperations = {"allocate", "stream", "event", "export",
                                                         "import"};
enum Operation : std::size_t { kAllocate, kStream, kEvent, kExport, kImport };

const rondo_plugin_registry* outer = nullptr;
rondo_device_table whole;
std::atomic<int> open = 0;
std::atomic<int> failed = 0;
std::array<std::atomic<int>, kOperations.size()> left_before_failure;  ///< 0: none fails
thread_local bool fails_on_purpose = false;

bool fails(Operation operation) {
  std::atomic<int>& left = left_before_failure.at(operation);
  fails_on_purpose = left.load() > 0 && left.fetch_sub(1) == 1;
  if (fails_on_purpose) ++failed;
  return fails_on_purpose;
}

template <typename Make>
int make(Operation operation, const Make& it) {
  if (fails(operation)) return 77;
  const int code = it();
  if (code == 0) ++open;
  return code;
}

int given_back(int code) {
  fails_on_purpose = false;
  if (code == 0) --open;
  return code;
}

const char* last_error() { return fails_on_purpose ? "the test asked for it" : whole.last_error(); }

int allocate(int device, std::size_t bytes, void** memory) {
  return make(kAllocate, [&] { return whole.allocate(device, bytes, memory); });
}
int deallocate(int device, void* memory) { return given_back(whole.deallocate(device, memory)); }

int export_memory(int device, const void* memory, rondo_plugin_handle* handle, std::size_t* bytes) {
  return fails(kExport) ? 77 : whole.export_memory(device, memory, handle, bytes);
}
int import_memory(int device, const rondo_plugin_handle* handle, void** memory) {
  return make(kImport, [&] { return whole.import_memory(device, handle, memory); });
}
int release_memory(int device, void* memory) {
  return given_back(whole.release_memory(device, memory));
}
int export_event(int device, rondo_plugin_event event, rondo_plugin_handle* handle) {
  return fails(kExport) ? 77 : whole.export_event(device, event, handle);
}
int import_event(int device, const rondo_plugin_handle* handle, rondo_plugin_event* event) {
  return make(kImport, [&] { return whole.import_event(device, handle, event); });
}

int create_stream(int device, rondo_plugin_stream* stream) {
  return make(kStream, [&] { return whole.create_stream(device, stream); });
}
int destroy_stream(int device, rondo_plugin_stream stream) {
  return given_back(whole.destroy_stream(device, stream));
}
int create_event(int device, rondo_plugin_event* event) {
  return make(kEvent, [&] { return whole.create_event(device, event); });
}
int destroy_event(int device, rondo_plugin_event event) {
  return given_back(whole.destroy_event(device, event));
}

int add_device(void* /*context*/, const rondo_device_table* sample) {
  whole = *sample;
  rondo_device_table t = whole;
  t.last_error = &last_error;
  t.allocate = &allocate;
  t.deallocate = &deallocate;
  t.export_memory = &export_memory;
  t.import_memory = &import_memory;
  t.release_memory = &release_memory;
  t.export_event = &export_event;
  t.import_event = &import_event;
  t.create_stream = &create_stream;
  t.destroy_stream = &destroy_stream;
  t.create_event = &create_event;
  t.destroy_event = &destroy_event;
  return outer->add_device(outer->context, &t);
}

/// "allocate:3", or nothing.
void plan_faults(const char* text) {
  const std::string_view faults = text;
  const std::size_t colon = faults.find(':');
  failed = 0;
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    int number = 0;
    if (faults.substr(0, colon) == kOperations.at(i))
      std::from_chars(faults.data() + colon + 1, faults.data() + faults.size(), number);
    left_before_failure.at(i) = number;
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int rondo_device_plugin(
    const rondo_plugin_registry* registry) {
  outer = registry;
  rondo_plugin_registry between = *registry;
  between.context = nullptr;
  between.add_device = &add_device;
  between.add_reduce_kernel = [](void* /*context*/, const char* kind, const char* type,
                                 const char* op, rondo_reduce_kernel kernel) {
    return outer->add_reduce_kernel(outer->context, kind, type, op, kernel);
  };
  between.add_collectives = [](void* /*context*/, const char* kind,
                               const rondo_collective_table* table) {
    return outer->add_collectives(outer->context, kind, table);
  };
  return whole_device_plugin(&between);
}

extern "C" __attribute__((visibility("default"))) const rondo::testing::WatchedDevice*
watched_device() {
  static const rondo::testing::WatchedDevice watched = {.plan_faults = &plan_faults,
                                                        .failed = [] { return failed.load(); },
                                                        .open = [] { return open.load(); },
                                                        .kept_threads = [] { return 0; }};
  return &watched;
}
