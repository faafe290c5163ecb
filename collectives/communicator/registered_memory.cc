#include <utility>

#include "core/status.h"
#include "rondo/communicator.h"
#include "transport/shm/registered_pool.h"

namespace rondo {
inline namespace v1 {

RegisteredMemory::RegisteredMemory(std::size_t bytes)
    : data_(value_or_throw(value_or_throw(transport::RegisteredPool::instance())->allocate(bytes))),
      bytes_(bytes) {}

RegisteredMemory::RegisteredMemory(RegisteredMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

RegisteredMemory& RegisteredMemory::operator=(RegisteredMemory&& other) noexcept {
  RegisteredMemory given(std::move(other));
  std::swap(data_, given.data_);
  std::swap(bytes_, given.bytes_);
  return *this;
}

RegisteredMemory::~RegisteredMemory() {
  if (data_ == nullptr) return;
  // The memory came from the pool, so the pool is there.
  (*transport::RegisteredPool::instance())->free(static_cast<std::byte*>(data_));
}

}  // namespace v1
}  // namespace rondo
