#include "collectives/communicator/timed_floats.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "transport/shm/registered_pool.h"

namespace rondo::communicator {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

Status TimedFloats::reserve(std::size_t count) {
  if (count <= count_) return {};
  free();
  // The pool puts what is shorter elsewhere on a page.
  RONDO_ASSIGN(data_, allocate((count * sizeof(float) + kPage - 1) / kPage * kPage));
  count_ = count;
  return {};
}

Result<float*> TimedFloats::allocate(std::size_t bytes) const {
  if (memory_ == MemoryKind::kRegistered) {
    RONDO_ASSIGN(transport::RegisteredPool * pool, transport::RegisteredPool::instance());
    RONDO_ASSIGN(std::byte * data, pool->allocate(bytes));
    return reinterpret_cast<float*>(data);
  }
  auto* const data = static_cast<float*>(std::aligned_alloc(kPage, bytes));
  if (data != nullptr) return data;
  return Status(ErrorCode::kSystem, fmt::format("no memory for {} bytes to be timed with", bytes));
}

void TimedFloats::free() {
  float* const data = std::exchange(data_, nullptr);
  count_ = 0;
  if (data == nullptr) return;
  if (memory_ == MemoryKind::kRegistered)
    (*transport::RegisteredPool::instance())->free(reinterpret_cast<std::byte*>(data));
  else
    std::free(data);
}

}  // namespace rondo::communicator
