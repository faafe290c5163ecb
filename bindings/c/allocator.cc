// C's allocator: where Rondo takes memory from.

#include "rondo/allocator.h"

#include <utility>

#include "bindings/c/guard.h"
#include "rondo/rondo.h"

using rondo::c::guarded;

static_assert(RONDO_MEMORY_ALIGNMENT == rondo::kMemoryAlignment);

namespace {

rondo_device as_c(rondo::Device device) {
  return {static_cast<int32_t>(device.kind), static_cast<int32_t>(device.index)};
}

}  // namespace

extern "C" {

rondo_status rondo_set_allocator(rondo_allocate_function allocate, rondo_release_function release,
                                 void* context) {
  return guarded([&] {
    rondo::Allocator allocator;
    if (allocate != nullptr) {
      allocator.allocate = [allocate, context](rondo::Device device, std::size_t bytes) {
        return allocate(context, as_c(device), bytes);
      };
    }
    if (release != nullptr) {
      allocator.release = [release, context](rondo::Device device, void* memory,
                                             std::size_t bytes) {
        release(context, as_c(device), memory, bytes);
      };
    }
    rondo::set_allocator(std::move(allocator));
  });
}

}  // extern "C"
