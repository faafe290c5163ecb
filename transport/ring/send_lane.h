#pragma once

// The sending half of one lane: takes sends in order, chooses how each travels, and writes lines
// while the peer leaves room. A message that fits no slot is cut into slots, written as they become
// free, so that the copies of both sides overlap. Sends are done in order: copied ones when they
// are written, lent ones when the peer has consumed them.
// Threads: one at a time. Steady state allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ticks.h"
#include "transport/endpoint/endpoint.h"
#include "transport/ring/channel.h"
#include "transport/ring/lent_view.h"
#include "transport/ring/remote_memory.h"
#include "transport/ring/slot_stores.h"

namespace rondo::transport {

/// Borrowed: what one lane writes to and reads from.
struct SendPort {
  int peer = 0;
  std::array<Line, kLineCount>* lines = nullptr;
  const ConsumedCount* consumed = nullptr;  ///< in the peer's memory
  const WriteBacks* write_backs = nullptr;  ///< likewise
  const StoreSpans* stores = nullptr;       ///< of the current call: where they may go
  Slots slots;                              ///< `memory`: of this lane
  Relocations* relocations = nullptr;       ///< null: what is lent stays lent, on this lane
  const Relocations* peer_relocations = nullptr;
  RemoteMemory* memory = nullptr;
  std::size_t window = 0;
};

class SendLane {
 public:
  explicit SendLane(const SendPort& port);

  std::size_t outstanding() const { return tail_ - head_; }
  bool idle() const { return head_ == tail_; }
  /// `transfer` is a kSend or kStored. Only while outstanding() is below the window.
  void push(const Transfer& transfer, std::uint32_t group);

  /// Most bytes that can be copied at once: to a line, or to one slot.
  std::size_t eager_bytes() const;
  /// Such a message, past the groups; false without room. Only while idle. Errors as progress.
  Result<bool> send_eager(const Call& call, std::span<const std::byte> message);

  /// The same for memory that the peer maps, which it reads where it lies, and for bytes that it
  /// has already.
  Result<bool> lend_eager(const Call& call, std::span<const std::byte> message);
  Result<bool> stored_eager(const Call& call, std::size_t bytes);
  /// Whether the peer has given back all that lend_eager lent.
  Result<bool> returned_eager();
  /// As send_eager, of at most headed_bytes.
  Result<bool> send_headed(const Heading& heading, std::span<const std::byte> message);
  std::size_t headed_bytes() const;

  /// Writes and completes what it can; `wrote` turns true if there are new lines for the peer.
  /// Errors: DataLoss where the peer's count of consumed lines can't be true.
  Status progress(const Call& call, RingGroups& groups, bool& wrote);
  /// Puts what the peer has written back into slots to where it belongs. Errors: DataLoss where the
  /// peer names a place that it may not store to.
  Status take_write_backs();
  /// Where relocations are possible: copies to slots what was lent and the peer hasn't begun to
  /// read, as far as there is room. True if sends are done by that.
  bool copy_lent();
  /// Whether the peer has consumed lines that this side doesn't know of.
  bool has_news() const {
    return port_.consumed->count.load(std::memory_order_acquire) != seen_consumed_;
  }
  /// Whether progress() would find something to do that it couldn't do the last time.
  bool can_progress() const;

  /// A message that several receives take out of this side's memory.
  struct LentRun {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;  ///< 0: the oldest send that isn't done is no such message
    std::uint64_t line = 0;
  };
  LentRun lent_run() const;
  /// Of that.
  void count_copied(std::size_t bytes) { copied_bytes_ += bytes; }

  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  /// When what the peer had written back was last put where it belongs, as Endpoint's.
  Ticks copying_since() const { return copying_since_; }

 private:
  struct Pending {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    const Heading* heading = nullptr;
    std::size_t written_bytes = 0;  ///< kSlot
    std::uint64_t location = 0;     ///< kLent, kPrivate, kLentRun
    std::uint64_t unit = 0;         ///< kLentRun, kStoredRun
    std::uint64_t last_line = 0;
    std::uint32_t group = 0;
    LineKind kind = LineKind::kInline;
    bool was_read = false;  ///< kLent: the peer had begun when it was to be copied
  };

  struct SlotUse {
    std::uint64_t free_at = 0;   ///< count of consumed lines
    std::size_t bytes = 0;       ///< that lie in it
    bool may_come_back = false;  ///< with other bytes
  };

  Pending& at(std::uint64_t index) { return pending_[index % pending_.size()]; }
  void choose_route(Pending& pending) const;
  void choose_buffered_route(Pending& pending) const;
  void choose_route_of_run(Pending& pending) const;
  Status refresh();
  Status take_write_back(std::size_t slot, bool& copies);
  Result<bool> has_free_slot();
  bool move_to_slots(Pending& pending);
  std::optional<std::size_t> free_run_of_slots(std::size_t count);
  Result<bool> has_room();
  Result<bool> emit(const Call& call, Pending& pending);
  Result<bool> emit_slots(const Call& call, Pending& pending);
  void claim_next_line() const;
  void claim_next_slot(std::size_t bytes) const;
  bool done(const Pending& pending) const;
  Line& begin_line(const Call& call, const Pending& pending);
  void publish(Line& line);

  SendPort port_;
  std::vector<Pending> pending_;
  std::uint64_t head_ = 0;     ///< oldest send that isn't done
  std::uint64_t emitted_ = 0;  ///< oldest send that isn't written
  std::uint64_t tail_ = 0;
  std::uint64_t next_line_ = 0;
  std::uint64_t seen_consumed_ = 0;
  std::uint64_t lent_through_ = 0;  ///< by lend_eager: lines that the peer has to give back
  std::uint64_t next_slot_ = 0;
  std::uint64_t moved_at_ = kNowhere;  ///< seen_consumed_ when something was copied by copy_lent
  std::uint32_t idle_looks_ = 0;       ///< at a lent message that the peer has yet to consume
  std::array<SlotUse, kMaxSlots> slots_{};
  SlotStores slot_stores_;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
  Ticks copying_since_ = 0;
};

}  // namespace rondo::transport
