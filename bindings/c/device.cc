// C's streams and memory of devices.

#include <memory>
#include <utility>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"

using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::need;

extern "C" {

rondo_status rondo_stream_create(rondo_device device, void* native, rondo_stream** out) {
  return guarded([&] {
    need(out, "out");
    const rondo::Device own = rondo::c::device_of(device, "device");
    rondo::Stream stream =
        native == nullptr ? rondo::Stream(own) : rondo::Stream::borrow(own, native);
    *out = std::make_unique<rondo_stream>(rondo_stream{.stream = std::move(stream)}).release();
  });
}

rondo_status rondo_stream_borrow(rondo_device device, void* native, rondo_stream** out) {
  return guarded([&] {
    need(out, "out");
    rondo::Stream stream = rondo::Stream::borrow(rondo::c::device_of(device, "device"), native);
    *out = std::make_unique<rondo_stream>(rondo_stream{.stream = std::move(stream)}).release();
  });
}

rondo_status rondo_stream_copy(rondo_stream* stream, void* target, const void* source,
                               size_t bytes) {
  return guarded([&] {
    auto& own = checked(stream, "stream").stream;
    if (bytes == 0) return;
    need(target, "target");
    need(source, "source");
    own.copy(target, source, bytes);
  });
}

rondo_status rondo_stream_synchronize(rondo_stream* stream) {
  return guarded([&] { checked(stream, "stream").stream.synchronize(); });
}

rondo_status rondo_stream_release(rondo_stream* stream) {
  return guarded([&] { rondo::c::give_back(stream, "stream"); });
}

rondo_status rondo_device_allocate(rondo_device device, size_t bytes, rondo_device_memory** out,
                                   void** data) {
  return guarded([&] {
    need(out, "out");
    need(data, "data");
    auto memory = std::make_unique<rondo_device_memory>(rondo_device_memory{
        .memory = rondo::DeviceMemory(rondo::c::device_of(device, "device"), bytes)});
    *data = memory->memory.data();
    *out = memory.release();
  });
}

rondo_status rondo_device_free(rondo_device_memory* memory) {
  return guarded([&] { rondo::c::give_back(memory, "memory"); });
}

}  // extern "C"
