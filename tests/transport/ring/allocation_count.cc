// Every form: a sanitizer's own would take what is left out, and not know what is freed here.

#include "tests/transport/ring/allocation_count.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> allocations = 0;
std::atomic<std::uint64_t> all_bytes = 0;

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  ++allocations;
  all_bytes += bytes;
  const std::size_t whole =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, whole);
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}

void* allocate(std::size_t bytes) noexcept {
  return allocate(bytes, std::size_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__});
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace rondo::transport {

std::uint64_t allocation_count() { return allocations.load(); }
std::uint64_t allocated_bytes() { return all_bytes.load(); }

}  // namespace rondo::transport

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

void* operator new(size_t bytes) { return or_throw(allocate(bytes)); }
void* operator new[](size_t bytes) { return or_throw(allocate(bytes)); }
void* operator new(size_t bytes, const nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](size_t bytes, const nothrow_t&) noexcept { return allocate(bytes); }
void* operator new(size_t bytes, align_val_t to) { return or_throw(allocate(bytes, to)); }
void* operator new[](size_t bytes, align_val_t to) { return or_throw(allocate(bytes, to)); }
void* operator new(size_t bytes, align_val_t to, const nothrow_t&) noexcept {
  return allocate(bytes, to);
}
void* operator new[](size_t bytes, align_val_t to, const nothrow_t&) noexcept {
  return allocate(bytes, to);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, align_val_t, const nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, align_val_t, const nothrow_t&) noexcept { std::free(memory); }
