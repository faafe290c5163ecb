#include "core/trace/record_ring.h"

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

namespace rondo::trace {

static_assert(std::is_trivially_copyable_v<CallRecord>);
static_assert(sizeof(CallRecord) == 120, "two cache lines with the version");

namespace {

std::uint64_t word_of(const CallRecord& record, std::size_t index) {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const std::byte*>(&record) + index * sizeof(word),
              sizeof(word));
  return word;
}

/// Without a loop, and word by word, as they were written: a wider load of what has just been
/// written in words waits until the core has no store under way.
template <std::size_t... kIndex>
void store_words(std::array<std::atomic<std::uint64_t>, sizeof...(kIndex)>& words,
                 const CallRecord& record, std::index_sequence<kIndex...> /*of words*/) {
  (words[kIndex].store(word_of(record, kIndex), std::memory_order_release), ...);
}

}  // namespace

RecordRing::RecordRing(std::size_t capacity)
    : capacity_(capacity), slots_(std::make_unique<Slot[]>(capacity)) {}

// Words are released, so that a reader that sees one of them sees the odd version too.
void RecordRing::push(const CallRecord& record) {
  const std::uint64_t index = pushed_.load(std::memory_order_relaxed);
  Slot& slot = slots_[next_];
  slot.version.store(2 * index + 1, std::memory_order_relaxed);
  store_words(slot.words, record, std::make_index_sequence<kWords>());
  slot.version.store(2 * index + 2, std::memory_order_release);
  pushed_.store(index + 1, std::memory_order_release);
  if (++next_ == capacity_) next_ = 0;
}

bool RecordRing::copy(std::uint64_t index, CallRecord& record) const {
  const Slot& slot = slots_[index % capacity_];
  const std::uint64_t whole = 2 * index + 2;
  if (slot.version.load(std::memory_order_acquire) != whole) return false;
  std::array<std::uint64_t, kWords> words;
  for (std::size_t i = 0; i < kWords; ++i) words[i] = slot.words[i].load(std::memory_order_acquire);
  if (slot.version.load(std::memory_order_relaxed) != whole) return false;
  record = std::bit_cast<CallRecord>(words);
  return true;
}

std::vector<CallRecord> RecordRing::read() const {
  const std::uint64_t end = pushed();
  std::vector<CallRecord> records;
  for (std::uint64_t i = end > capacity_ ? end - capacity_ : 0; i < end; ++i) {
    CallRecord record;
    if (copy(i, record)) records.push_back(record);
  }
  return records;
}

}  // namespace rondo::trace
