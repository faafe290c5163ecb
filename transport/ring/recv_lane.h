#pragma once

// The receiving half of one lane: matches the next line of the channel with the oldest posted
// receive, checks that both mean the same message, and brings the bytes to their place or lends
// them out. Nothing that stands in a line is trusted: it is copied, then checked, then used.
// A line counts as consumed, in order, once its bytes are copied or its view is released.
// Threads: one at a time. Steady state allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/ticks.h"
#include "transport/endpoint/endpoint.h"
#include "transport/ring/channel.h"
#include "transport/ring/lent_view.h"
#include "transport/ring/remote_memory.h"

namespace rondo::transport {

/// Borrowed: what one lane reads from and writes to.
struct RecvPort {
  const CallBoard* own_calls = nullptr;
  int rank = 0;
  int peer = 0;
  std::uint16_t lane = 0;
  const std::array<Line, kLineCount>* lines = nullptr;  ///< in the peer's memory
  ConsumedCount* consumed = nullptr;
  WriteBacks* write_backs = nullptr;
  Relocations* relocations = nullptr;  ///< as in SendPort
  const Relocations* peer_relocations = nullptr;
  CopyOffers* copy_offers = nullptr;
  const CopyAnswers* copy_answers = nullptr;
  const StoreSpans* stores = nullptr;  ///< of the current call: where the peer may store
  Slots slots;                         ///< the peer's; `memory`: of this lane
  RemoteMemory* memory = nullptr;
  Staging* staging = nullptr;
  std::size_t window = 0;
};

class RecvLane {
 public:
  explicit RecvLane(const RecvPort& port);

  std::size_t outstanding() const { return tail_ - head_; }
  bool idle() const { return head_ == tail_; }
  /// `transfer` is a kRecv or kRecvView. Only while outstanding() is below the window.
  void push(const Transfer& transfer, std::uint32_t group);

  /// A view of a message of exactly so many bytes, past the groups; false if it hasn't come. Only
  /// while idle, and while no other such view is out. Errors as progress.
  Result<bool> recv_eager(const Call& call, std::size_t bytes, LentView& view);

  /// The heading of the message that has come; false where none has. Only while idle. Errors:
  /// DataLoss (it has none).
  Result<bool> look_at_heading(Heading& heading) const;
  /// Takes that message, whose heading says so many bytes; false where it comes in several slots.
  /// Errors: DataLoss, PeerLost.
  Result<bool> take_headed(std::span<std::byte> target);

  /// Takes what has come; `consumed` turns true if the peer may write more.
  /// Errors: Mismatch, DataLoss (a damaged line), Internal, PeerLost; the line isn't consumed.
  Status progress(const Call& call, RingGroups& groups, bool& consumed);
  /// Whether a message lies there that nobody has taken.
  bool has_message() const { return has_line(); }
  /// An error where that is of an earlier call, which had no use for it.
  Status check_left_over(const Call& call) const;
  bool can_progress() const {
    return !idle() && (offer_.is_out() ? offer_.is_answered() : has_line());
  }

  /// Where a view's bytes may be replaced: its slot, or null. What stands there when the view is
  /// released, the peer puts to `place` of its own memory. Once.
  std::byte* write_back(LentView& view, std::uint64_t place) const;
  /// Gives a view's line or buffer back; true if the peer may write more.
  bool release(const LentView& view);
  /// Whether messages have come that were stored, since this was asked last.
  bool took_stored() { return std::exchange(took_stored_, false); }

  std::uint64_t received_bytes() const { return received_bytes_; }
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  /// Of copies that take longer than to read the clock, the first of a look; 0: there was none.
  Ticks copying_since() const { return copying_since_; }

 private:
  struct Pending {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t room = 0;           ///< Transfer's
    std::size_t arrived_bytes = 0;  ///< of a message that comes in slots
    std::uint32_t group = 0;
    bool is_view = false;
    bool may_be_stored = false;  ///< though it is a view
    std::uint32_t staging = Staging::kNone;
  };

  /// A message that several receives take.
  struct Run {
    const std::byte* data = nullptr;  ///< of what is left; null: it was stored
    std::size_t left = 0;             ///< bytes; 0: there is no run
    std::size_t bytes = 0;            ///< in all
    std::size_t unit = 0;
    std::uint64_t line = 0;
    std::uint64_t sequence = 0;
    std::size_t offered = 0;      ///< where the part begins that the sender was offered last
    std::size_t offered_end = 0;  ///< and where it ends
    bool is_copied = false;       ///< that part, by the sender
  };

  const Line& next_line() const { return (*port_.lines)[next_line_ % kLineCount]; }
  bool has_line() const {
    return next_line().stamp.load(std::memory_order_acquire) == next_line_ + 1;
  }
  Result<bool> belongs_to(const Call& call, const LineContent& content) const;
  Status wrong_size(const Call& call, std::uint64_t sent_bytes, std::size_t expected_bytes) const;
  Status take_next(const Call& call, Pending& pending, LentView& view, bool& taken);
  Status begin_run(const Call& call, const LineContent& content);
  Status take_of_run(const Call& call, Pending& pending, LentView& view, bool& taken);
  bool copy_of_run(const Pending& pending);
  void offer_part(const Pending& pending);
  Status take(const LineContent& content, Pending& pending, LentView& view);
  Status take_inline(const LineContent& content, Pending& pending, LentView& view);
  Status take_slot(const LineContent& content, Pending& pending, LentView& view);
  Result<const std::byte*> find_lent(const LineContent& content, std::size_t bytes);
  Status take_lent(const LineContent& content, Pending& pending, LentView& view);
  Status take_private(const LineContent& content, Pending& pending, LentView& view);
  void begin_copy(std::size_t bytes);
  Status provide_target(Pending& pending);
  LentView lend(const std::byte* data, std::size_t bytes) const;
  void consume(std::uint64_t line);
  Status damaged(const std::string& what) const;

  RecvPort port_;
  std::vector<Pending> pending_;
  Run run_;
  CopyOffer offer_;                                ///< of a part of the run
  std::array<std::uint32_t, kLineCount> views_{};  ///< of runs: how many are out, by line
  Pending eager_;  ///< of recv_eager: what has come of a message that comes in slots
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t next_line_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t given_back_ = 0;  ///< bit k: line k (modulo kLineCount) is free, some before it not
  std::uint64_t received_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
  Ticks copying_since_ = 0;
  bool has_copied_ = false;  ///< as much, in this look
  bool took_stored_ = false;
};

}  // namespace rondo::transport
