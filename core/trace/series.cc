#include "core/trace/series.h"

#include <algorithm>
#include <bit>

namespace rondo::trace {

std::size_t bucket_of(std::uint64_t ns) {
  const auto bits = static_cast<std::size_t>(std::bit_width(ns / kFirstBucketNs));
  return std::min((bits + 1) / 2, kBuckets - 1);
}

void Series::add(const CallRecord& record, double ns_per_tick) {
  calls.add(1);
  if (record.result != 0) errors.add(1);
  bytes.add(record.bytes);
  wait.add(record.wait);
  transfer.add(record.transfer());
  reduce.add(record.reduce);
  latency.add(record.done - record.entered);
  // Signed, which the processor converts by itself.
  const double ns =
      static_cast<double>(static_cast<std::int64_t>(record.done - record.entered)) * ns_per_tick;
  buckets[bucket_of(static_cast<std::uint64_t>(static_cast<std::int64_t>(ns)))].add(1);
}

void Series::forget() {
  for (Total* const total : {&calls, &errors, &bytes, &wait, &transfer, &reduce, &latency})
    total->forget();
  for (Total& bucket : buckets) bucket.forget();
}

void SeriesTable::forget() {
  const std::lock_guard lock(mutex_);
  for (Series& one : series_) one.forget();
}

Series& SeriesTable::find(std::string_view collective, std::string_view algorithm,
                          std::string_view transport) {
  const std::lock_guard lock(mutex_);
  for (Series& one : series_) {
    if (one.collective == collective && one.algorithm == algorithm && one.transport == transport)
      return one;
  }
  if (series_.size() == kMost) return series_.back();
  Series& made = series_.emplace_back();
  made.index = static_cast<std::uint16_t>(series_.size() - 1);
  made.collective = collective;
  made.algorithm = algorithm;
  made.transport = transport;
  return made;
}

std::vector<const Series*> SeriesTable::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Series*> list;
  for (const Series& one : series_) list.push_back(&one);
  return list;
}

}  // namespace rondo::trace
