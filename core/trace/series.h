#pragma once

// Totals of the calls of one kind (collective, algorithm, transport) of one communicator, for
// metrics. Kinds are found when a plan is made; a call adds to its own, which one thread at a time
// does, and any number read meanwhile.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/cache_line.h"
#include "core/trace/call_record.h"

namespace rondo::trace {

/// What one thread adds to and others read: no locked instruction.
class Total {
 public:
  void add(std::uint64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  void forget() { value_.store(0, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// Buckets of durations, four times as long each: below 1.024 us, 4.096 us, ..., 17.2 s, and
/// beyond.
inline constexpr std::size_t kBuckets = 14;
inline constexpr std::uint64_t kFirstBucketNs = 1024;
std::size_t bucket_of(std::uint64_t ns);

/// What a call adds to comes first, in as few cache lines as it takes.
struct alignas(kCacheLineBytes) Series {
  Total calls;
  Total errors;
  Total bytes;
  Total wait;  ///< ticks, like the other two
  Total transfer;
  Total reduce;
  Total latency;  ///< ticks from the call, or its start, to its end
  std::uint16_t index = 0;
  std::array<Total, kBuckets> buckets;
  std::string collective;
  std::string algorithm;
  std::string transport;

  /// `ns_per_tick` decides the bucket alone.
  void add(const CallRecord& record, double ns_per_tick);
  /// No call has ended.
  void forget();
};

class SeriesTable {
 public:
  static constexpr std::size_t kMost = 4096;
  /// The kind's own, made where there is none yet; the last of kMost takes what is beyond. It stays
  /// where it is. Threads: any.
  Series& find(std::string_view collective, std::string_view algorithm, std::string_view transport);
  /// All of them, as if they had been made just now. Threads: no call is under way.
  void forget();
  /// By index. Threads: any.
  std::vector<const Series*> all() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Series> series_;
};

}  // namespace rondo::trace
