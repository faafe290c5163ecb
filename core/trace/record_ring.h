#pragma once

// The last calls of one communicator, in memory that is allocated once. One thread at a time
// writes, any number read meanwhile: each record has a version that is odd while it is written, and
// a reader that finds another version behind its copy than before has read a torn record, and
// leaves it out. All is atomic words without fences, which ThreadSanitizer follows.
// Source: Boehm, "Can seqlocks get along with programming language memory models?" (MSPC 2012).

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cache_line.h"
#include "core/trace/call_record.h"

namespace rondo::trace {

class RecordRing {
 public:
  /// `capacity`: records, at least 1.
  explicit RecordRing(std::size_t capacity);

  /// Asks for the memory of the next record, which no cache may have any more by now: stores are
  /// seen in order, so where `push` waited for it, the next call's messages would, too. Threads: as
  /// push.
  void fetch_next() const {
    const auto* const slot = reinterpret_cast<const std::byte*>(&slots_[next_]);
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + sizeof(Slot) / 2, 1);
  }
  /// Threads: one at a time.
  void push(const CallRecord& record);
  /// The records that are kept, oldest first, without those that were written over meanwhile.
  /// Threads: any.
  std::vector<CallRecord> read() const;
  /// Records that were ever pushed. Threads: any.
  std::uint64_t pushed() const { return pushed_.load(std::memory_order_acquire); }
  std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::size_t kWords = sizeof(CallRecord) / sizeof(std::uint64_t);
  struct alignas(2 * kCacheLineBytes) Slot {
    std::atomic<std::uint64_t> version = 0;  ///< of record i: 2i + 1 while written, then 2i + 2
    std::array<std::atomic<std::uint64_t>, kWords> words{};
  };
  bool copy(std::uint64_t index, CallRecord& record) const;

  std::size_t capacity_;
  std::unique_ptr<Slot[]> slots_;
  std::size_t next_ = 0;
  std::atomic<std::uint64_t> pushed_ = 0;
};

}  // namespace rondo::trace
