#include "transport/ring/asymmetric_fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rondo::transport {
namespace {

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

bool enable_asymmetric_fence() {
  return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0 &&
         membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0;
}

void announce_sleep(SleepWord& word) {
  const std::uint64_t turn = word.turn.load(std::memory_order_relaxed);
  word.turn.store(turn + (turn % 2 == 0 ? 1 : 2), std::memory_order_relaxed);
  heavy_fence();
}

void heavy_fence() {
  __sync_synchronize();
  // It fails only where enable_asymmetric_fence() was false, and there peers fence themselves.
  membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void announce_wake(SleepWord& word) {
  const std::uint64_t turn = word.turn.load(std::memory_order_relaxed);
  if (turn % 2 == 1) word.turn.store(turn + 1, std::memory_order_relaxed);
}

}  // namespace rondo::transport
