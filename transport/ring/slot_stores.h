#pragma once

// How a sender stores into slots. Their lines are the reader's, who has read them. Where the two
// cores share a cache they come back at 1 to 2 ns each; where they are far apart every store of a
// line waits for it, one behind the other: 27 to 35 ns on an EPYC of a later kind, 36 us for 64 KiB
// that stores past the caches write in 2.3, and that their reader then has in 5.3 instead of 4.4.
// Where cores are near that takes longer in all, and a hypervisor or the kernel moves ranks about:
// so stores are timed, and where they are slow the next ones go past the caches, with a trial of
// plain ones from time to time, ever more seldom in vain. (A copy whose source is slow to read, far
// memory say, is taken for a slow store, too: from 4 GB/s down.) Both ways the reader sees the
// same. Threads: one at a time.

#include <cstddef>
#include <cstdint>

#include "core/ticks.h"

namespace rondo::transport {

class SlotStores {
 public:
  /// Less is in the reader's hands before it matters.
  static constexpr std::size_t kLeastPastCaches = 4096;
  /// Of less a part is still on its way out of the core when the clock is read.
  static constexpr std::size_t kLeastTimed = 8192;
  static constexpr std::uint32_t kShortestPeriod = 64;
  static constexpr std::uint32_t kLongestPeriod = 2048;
  /// In a row. A rank may lose its core in the middle of one; and how slow plain stores are shows
  /// once all slots have been used by them.
  static constexpr std::uint32_t kSlowCopies = 12;

  /// `ns_per_tick`: see core/ticks.h.
  explicit SlotStores(double ns_per_tick);

  void copy(std::byte* slot, const std::byte* data, std::size_t bytes);

  /// Whether so many bytes go past the caches now.
  bool is_past_caches(std::size_t bytes) const {
    return is_past_caches_ && bytes >= kLeastPastCaches;
  }
  /// So many bytes, kLeastTimed at least, have been stored plainly in that time.
  void took(std::size_t bytes, Ticks ticks);
  /// So many have been stored past the caches.
  void went_past_caches(std::size_t bytes);

 private:
  double slow_ticks_per_byte_;
  bool is_past_caches_ = false;
  std::uint32_t slow_copies_ = 0;           ///< one behind the other
  std::uint32_t period_ = kShortestPeriod;  ///< timed copies from one trial to the next
  std::uint32_t until_trial_ = 0;
};

}  // namespace rondo::transport
