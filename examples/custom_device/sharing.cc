#include "examples/custom_device/sharing.h"

#include <cstddef>

#include "examples/custom_device/failure.h"
#include "examples/custom_device/handles.h"
#include "examples/custom_device/memory.h"

namespace custom_cpu {
namespace {

int export_memory(int device, const void* address, rondo_plugin_handle* handle,
                  std::size_t* bytes) {
  if (!memory().owns(device, address, 1)) return failed("that is no memory of this device");
  const MemoryName name = memory().name(address);
  pack(name, *handle);
  *bytes = name.bytes;
  return done();
}

int import_memory(int /*device*/, const rondo_plugin_handle* handle, void** address) {
  *address = memory().open(unpacked<MemoryName>(*handle));
  if (*address != nullptr) return done();
  return failed("that memory isn't there: its process has ended, or is another user's");
}

int release_memory(int /*device*/, void* address) {
  return memory().close(address) ? done() : failed("nothing was imported there");
}

int export_event(int /*device*/, rondo_plugin_event event, rondo_plugin_handle* handle) {
  auto* const recorded_here = dynamic_cast<OwnEvent*>(own(event));
  if (recorded_here == nullptr) return failed("that event is another process's");
  const auto name = recorded_here->share();
  if (!name) return failed("too many events are exported");
  pack(*name, *handle);
  return done();
}

int import_event(int /*device*/, const rondo_plugin_handle* handle, rondo_plugin_event* event) {
  const auto name = unpacked<EventName>(*handle);
  auto board = PeerBoard::open(name);
  if (board == nullptr)
    return failed("that event isn't there: its process has ended, or is another user's");
  *event = handle_of(new PeerEvent(std::move(board), name.slot));
  return done();
}

}  // namespace

void add_sharing(rondo_device_table& table) {
  table.export_memory = guarded<&export_memory>;
  table.import_memory = guarded<&import_memory>;
  table.release_memory = guarded<&release_memory>;
  table.export_event = guarded<&export_event>;
  table.import_event = guarded<&import_event>;
}

}  // namespace custom_cpu
