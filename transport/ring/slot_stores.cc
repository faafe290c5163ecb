#include "transport/ring/slot_stores.h"

#include <algorithm>

#include "core/cache_line.h"
#include "core/copy_bytes.h"

namespace rondo::transport {
namespace {

/// Of plain stores. Between threads of one core and near ones they take 1 to 6 ns; between far ones
/// 27 and more, but where the reader has written results back, which this rank has read: about 10
/// there, and an all_reduce of 64 KiB 8.3 us, past the caches 10.5.
constexpr double kSlowNsPerLine = 16;

}  // namespace

SlotStores::SlotStores(double ns_per_tick)
    : slow_ticks_per_byte_(kSlowNsPerLine / ns_per_tick / static_cast<double>(kCacheLineBytes)) {}

void SlotStores::copy(std::byte* slot, const std::byte* data, std::size_t bytes) {
  if (is_past_caches(bytes)) {
    copy_past_caches(slot, data, bytes);
    went_past_caches(bytes);
    return;
  }
  if (bytes < kLeastTimed || !can_copy_past_caches()) {
    copy_into_cache(slot, data, bytes);
    return;
  }
  const Ticks start = ticks_now();
  copy_into_cache(slot, data, bytes);
  took(bytes, ticks_now() - start);
}

void SlotStores::took(std::size_t bytes, Ticks ticks) {
  if (static_cast<double>(ticks) <= static_cast<double>(bytes) * slow_ticks_per_byte_) {
    slow_copies_ = 0;
    period_ = kShortestPeriod;
    return;
  }
  if (++slow_copies_ < kSlowCopies || !can_copy_past_caches()) return;
  is_past_caches_ = true;
  slow_copies_ = 0;
  until_trial_ = period_;
  period_ = std::min(2 * period_, kLongestPeriod);
}

void SlotStores::went_past_caches(std::size_t bytes) {
  if (bytes < kLeastTimed || --until_trial_ > 0) return;
  is_past_caches_ = false;
}

}  // namespace rondo::transport
