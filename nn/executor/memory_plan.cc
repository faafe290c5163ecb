#include "nn/executor/memory_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace rondo::nn {
namespace {

struct PlannedBuffer {
  std::size_t bytes;
  bool batched;
  std::size_t busy_until;
};

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// The free buffer nearest in size, or buffers.size().
std::size_t best_free(const std::vector<PlannedBuffer>& buffers, const Lifetime& need) {
  std::size_t best = buffers.size();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const PlannedBuffer& buffer = buffers[i];
    if (buffer.batched != need.batched || buffer.busy_until >= need.first) continue;
    if (best == buffers.size() ||
        distance(buffer.bytes, need.bytes) < distance(buffers[best].bytes, need.bytes)) {
      best = i;
    }
  }
  return best;
}

}  // namespace

std::vector<std::size_t> assign_buffers(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].first < lifetimes[b].first;
  });
  std::vector<std::size_t> assigned(lifetimes.size());
  std::vector<PlannedBuffer> buffers;
  for (const std::size_t i : order) {
    const Lifetime& need = lifetimes[i];
    const std::size_t chosen = best_free(buffers, need);
    if (chosen == buffers.size()) buffers.push_back({0, need.batched, 0});
    buffers[chosen].bytes = std::max(buffers[chosen].bytes, need.bytes);
    buffers[chosen].busy_until = need.last;
    assigned[i] = chosen;
  }
  return assigned;
}

std::size_t size_class(std::size_t bytes) {
  constexpr std::size_t kSmallest = 64;
  if (bytes <= kSmallest) return kSmallest;
  const std::size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

}  // namespace rondo::nn
