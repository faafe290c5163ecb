#include "tests/collectives/communicator/steady_cost.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<std::uint64_t> allocations = 0;
std::atomic<std::uint64_t> locks = 0;

/// What is replaced below.
template <typename Function>
Function original(Function /*replaced*/, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// The names that glibc has for its own besides: dlsym may allocate.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// In place of the C library's: whatever of the process calls them is counted. (What is hidden would
// be called by this program alone: GCC goes by the C library's declarations, clang by its options.)
#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  static const auto mapped = original(&mmap, "mmap");
  ++allocations;
  return mapped(at, bytes, protection, flags, file, offset);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto lock = original(&pthread_mutex_lock, "pthread_mutex_lock");
  ++locks;
  return lock(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static const auto lock = original(&pthread_mutex_trylock, "pthread_mutex_trylock");
  ++locks;
  return lock(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* mutex) {
  static const auto lock = original(&pthread_rwlock_rdlock, "pthread_rwlock_rdlock");
  ++locks;
  return lock(mutex);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* mutex) {
  static const auto lock = original(&pthread_rwlock_wrlock, "pthread_rwlock_wrlock");
  ++locks;
  return lock(mutex);
}

}  // extern "C"
#pragma GCC visibility pop

namespace rondo::testing {

Cost cost_so_far() { return {allocations.load(), locks.load()}; }

void meet(std::atomic<int>& arrived, int all) {
  ++arrived;
  while (arrived < all) std::this_thread::yield();
}

}  // namespace rondo::testing
