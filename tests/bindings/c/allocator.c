/* A program's allocator, in C. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>

#include "check.h"
#include "collectives.h"

/* What is out, and what has been, by any thread. */
static struct {
  pthread_mutex_t mutex;
  size_t taken, out, bytes_out;
} pool = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};

static void* take(void* context, rondo_device device, size_t bytes) {
  void* memory = NULL;
  CHECK(context == &pool && bytes > 0 && device.kind == RONDO_DEVICE_HOST && device.index == 0);
  if (posix_memalign(&memory, RONDO_MEMORY_ALIGNMENT, bytes) != 0) return NULL;
  pthread_mutex_lock(&pool.mutex);
  ++pool.taken;
  ++pool.out;
  pool.bytes_out += bytes;
  pthread_mutex_unlock(&pool.mutex);
  return memory;
}

static void put(void* context, rondo_device device, void* memory, size_t bytes) {
  CHECK(context == &pool && device.kind == RONDO_DEVICE_HOST);
  pthread_mutex_lock(&pool.mutex);
  --pool.out;
  pool.bytes_out -= bytes;
  pthread_mutex_unlock(&pool.mutex);
  free(memory);
}

static void* none(void* context, rondo_device device, size_t bytes) {
  (void)context, (void)device, (void)bytes;
  return NULL;
}

/* Sent before it is asked for: rank 1 keeps it in memory of the program's. */
static void message_kept(rondo_communicator* c) {
  enum { kEarly = 5000 };
  static float early[kEarly];
  float late = 0.25F;
  if (rondo_rank(c) == 0) {
    for (size_t i = 0; i < kEarly; ++i) early[i] = given(0, i);
    OK(rondo_send(c, early, kEarly, RONDO_F32, 1, 1));
    OK(rondo_send(c, &late, 1, RONDO_F32, 1, 2));
  } else if (rondo_rank(c) == 1) {
    OK(rondo_receive(c, &late, 1, RONDO_F32, 0, 2));
    CHECK(pool.taken > 0 && pool.bytes_out >= sizeof early);
    OK(rondo_receive(c, early, kEarly, RONDO_F32, 0, 1));
    for (size_t i = 0; i < kEarly; ++i) CHECK(early[i] == given(0, i));
  }
}

void own_allocator(void) {
  rondo_communicator* c = NULL;
  REFUSED(rondo_set_allocator(take, NULL, &pool), RONDO_INVALID_ARGUMENT, "`release` is empty");
  REFUSED(rondo_set_allocator(NULL, put, &pool), RONDO_INVALID_ARGUMENT, "`allocate` is empty");
  OK(rondo_set_allocator(take, put, &pool));
  OK(rondo_create(NULL, &c));
  message_kept(c);
  OK(rondo_barrier(c));
  OK(rondo_set_allocator(none, put, &pool)); /* what is out goes back to `put` all the same */
  OK(rondo_destroy(c));
  CHECK(pool.out == 0 && pool.bytes_out == 0);
  OK(rondo_set_allocator(NULL, NULL, NULL));
}
