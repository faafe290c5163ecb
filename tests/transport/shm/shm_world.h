#pragma once

#include "transport/shm/registered_pool.h"
#include "transport/shm/shm_transport.h"

namespace rondo::transport {

/// Where private memory of more than a few pages is read by process_vm_readv.
struct ShmWorld {
  static Result<std::unique_ptr<Transport>> make(const Identity& identity) {
    const ShmOptions options{.private_read_bytes = 8192};
    RONDO_ASSIGN(std::unique_ptr<Transport> made, ShmTransport::create(identity, options));
    return made;
  }
  static std::byte* allocate(std::size_t bytes) {
    return RegisteredPool::instance().value()->allocate(bytes).value();
  }
  static void free(std::byte* data) { RegisteredPool::instance().value()->free(data); }
  static constexpr bool kPlainIsLent = false;
};

/// Where nobody reads private memory, and slots are few and small.
struct ShmWorldOfSlots : ShmWorld {
  static Result<std::unique_ptr<Transport>> make(const Identity& identity) {
    const ShmOptions options{.slot_bytes = 4096, .slot_count = 3};
    RONDO_ASSIGN(std::unique_ptr<Transport> made, ShmTransport::create(identity, options));
    return made;
  }
};

}  // namespace rondo::transport
