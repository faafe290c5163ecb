#pragma once

// Splits the time of the call under way. Clocks are read where waiting begins and ends, never per
// look: of an 8-byte all-reduce four times, two of them by whom it waits for.
// Threads: as what runs the call.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/cache_line.h"
#include "core/trace/call_record.h"

namespace rondo::trace {

class CallTimer {
 public:
  /// `call` says what it is; its times are filled in here.
  void begin(const CallRecord& call, Ticks entered, Ticks begun) {
    record_ = call;
    record_.entered = entered;
    record_.begun = begun;
    idle_since_ = longest_ = reducing_since_ = 0;
    waited_longest_for_ = waited_last_for_ = -1;
  }

  bool is_idle() const { return idle_since_ != 0; }
  /// Nothing can be done until something comes from `peer`; -1: from a device, which moves bytes
  /// itself. Nothing where it waits already.
  void idle(int peer) {
    if (idle_since_ != 0) return;
    idle_since_ = ticks_now();
    idle_for_ = peer;
    end_reduction(idle_since_);
  }
  /// What it waited for has come. To be told before it is copied or combined, where that takes
  /// time.
  void moved() {
    if (idle_since_ != 0) end_idle(ticks_now());
  }
  /// The same before a long copy, which may be behind a last kernel, too.
  void copies() {
    if (idle_since_ != 0 || reducing_since_ != 0) end_span(ticks_now());
  }
  /// The same where it is being copied since `begun`, if that is within the wait.
  void moved_since(Ticks begun) {
    if (idle_since_ != 0) end_idle(begun > idle_since_ ? begun : ticks_now());
  }
  /// The same, if that copy began within the wait, or behind the kernel.
  void copied_since(Ticks begun) {
    if (begun > std::max(idle_since_, reducing_since_)) end_span(begun);
  }

  /// When a kernel begins, for which what it waited for has come.
  Ticks begin_kernel() {
    const Ticks now = ticks_now();
    end_span(now);
    return now;
  }
  void end_kernel(Ticks begun) { record_.reduce += ticks_now() - begun; }
  /// A kernel begins, behind which there is mostly nothing to be done but to tell peers: it ends
  /// where the next wait or long copy begins, or with the call. Peers needn't wait for a reading
  /// then.
  void begin_last_kernel() { reducing_since_ = begin_kernel(); }
  /// What is next takes time and is no kernel; nothing where none is open. A wait goes on.
  void end_last_kernel() {
    if (reducing_since_ != 0) end_reduction(ticks_now());
  }
  /// From the last byte on until the call is done there is nothing but a kernel.
  void reduces_to_the_end() {
    reducing_since_ = record_.last_byte != 0 ? record_.last_byte : ticks_now();
  }

  void end() {
    const Ticks now = ticks_now();
    end_span(now);
    if (record_.first_byte == 0) record_.first_byte = record_.begun;
    if (record_.last_byte == 0) record_.last_byte = record_.begun;
    record_.done = now;
    // In pairs: the record is copied word by word, and a word of which half was written alone can't
    // be read before both stores have left the core.
    put_pair(offsetof(CallRecord, root), record_.root, waited_longest_for_);
    put_pair(offsetof(CallRecord, waited_last_for), waited_last_for_, record_.link_peer);
  }
  /// Of the time without anything to do, `link` was one in which a message was coming.
  void came_in_parts(int peer, Ticks link, std::uint64_t bytes) {
    record_.link = link;
    record_.link_bytes = bytes;
    record_.link_peer = peer;
    record_.wait -= std::min(record_.wait, link);
  }

  CallRecord& record() { return record_; }
  const CallRecord& record() const { return record_; }

 private:
  /// Of waiting, or of a kernel: one begins where the other ends.
  void end_span(Ticks now) {
    if (idle_since_ != 0) end_idle(now);
    end_reduction(now);
  }
  void end_reduction(Ticks now) {
    if (reducing_since_ != 0) record_.reduce += now - reducing_since_;
    reducing_since_ = 0;
  }
  void end_idle(Ticks now) {
    const Ticks waited = now - idle_since_;
    idle_since_ = 0;
    if (record_.first_byte == 0) record_.first_byte = now;
    record_.last_byte = now;
    if (idle_for_ < 0) return;
    record_.wait += waited;
    waited_last_for_ = idle_for_;
    if (waited < longest_) return;
    longest_ = waited;
    waited_longest_for_ = idle_for_;
  }
  /// To two members of the record, one behind the other.
  void put_pair(std::size_t offset, std::int32_t first, std::int32_t second) {
    const std::array<std::uint64_t, 2> halves{static_cast<std::uint32_t>(first),
                                              static_cast<std::uint32_t>(second)};
    std::uint64_t word = halves[0] | halves[1] << 32;
    asm("" : "+r"(word));  // or gcc stores only the half that isn't there already
    std::memcpy(reinterpret_cast<std::byte*>(&record_) + offset, &word, sizeof(word));
  }
  static_assert(offsetof(CallRecord, waited_longest_for) ==
                offsetof(CallRecord, root) + sizeof(std::int32_t));
  static_assert(offsetof(CallRecord, link_peer) ==
                offsetof(CallRecord, waited_last_for) + sizeof(std::int32_t));

  alignas(kCacheLineBytes) CallRecord record_;
  Ticks idle_since_ = 0;
  Ticks longest_ = 0;
  Ticks reducing_since_ = 0;
  int idle_for_ = -1;
  int waited_longest_for_ = -1;
  int waited_last_for_ = -1;
};

/// The time of one kernel, as long as it lives; null: nobody asks.
class KernelSpan {
 public:
  explicit KernelSpan(CallTimer* timer)
      : timer_(timer), begun_(timer == nullptr ? 0 : timer->begin_kernel()) {}
  ~KernelSpan() {
    if (timer_ != nullptr) timer_->end_kernel(begun_);
  }
  KernelSpan(const KernelSpan&) = delete;
  KernelSpan& operator=(const KernelSpan&) = delete;

 private:
  CallTimer* timer_;
  Ticks begun_;
};

}  // namespace rondo::trace
