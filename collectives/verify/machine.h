#pragma once

// Runs a whole world of schedules in one thread, sweep by sweep, in any order that the channels
// allow. Sweeps and bounded FIFOs are a Kahn network: whether it ends and what its messages hold
// doesn't depend on the order, so one run decides for all; what could depend on it, memory, is
// checked with vector clocks (world_memory.h).
//
// A world with a rotation is run in the order in which all turns of a base do each sweep together.
// They are then always in the same state but for the turn, so the bases alone are run: a message to
// a peer is put into the base's own FIFO, for the turn that sends it to this rank; who stores into
// a peer's memory, stores into its own as that turn. Values are hashed so that turns look alike
// (value.h).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation.h"
#include "collectives/verify/clocks.h"
#include "collectives/verify/fifos.h"
#include "collectives/verify/lane_table.h"
#include "collectives/verify/lineage.h"
#include "collectives/verify/postcondition.h"
#include "collectives/verify/wait_points.h"
#include "collectives/verify/world_memory.h"
#include "core/status.h"

namespace rondo::verify {

struct Model {
  /// Eager (false): a message is copied when it is sent. Direct (true): a message is its sender's
  /// memory, read when it is consumed.
  bool lent = false;
  bool in_place = false;
  std::uint32_t credits = 1;  ///< messages that may fit into one channel, at most
  /// With `lent`: every port marked `direct` stores into its peer's memory; otherwise the marks are
  /// ignored, as where that memory can't be mapped.
  bool stores = true;
  /// With `lent` and `stores`: what is stored is lent as well, so that what either forbids is
  /// forbidden (verify_at_once).
  bool lends_all = false;
  /// With `lent`: a wait for what a sweep sent ends those loans, but teaches nothing of who took
  /// them, as where some channels copy what others lend.
  bool waits_teach_least = false;
  /// No rules about memory but that what is read has been written, for worlds in which they are
  /// known to be kept.
  bool values_only = false;
};

class Machine {
 public:
  /// The world's shape has been checked. `lineage` may be null: where values come from is not kept
  /// then; it can be only where there is no rotation. What is passed is borrowed.
  Machine(std::span<const schedule::FusedSchedule> bases, const schedule::Rotation& rotation,
          const Model& model, Lineage* lineage);

  /// To the end, or to the first violation. Where nothing moves any more, channels hold twice as
  /// much from then on, up to `model.credits`: a state that fewer credits lead to is one of those
  /// that more of them lead to as well. Errors: InvalidArgument, naming rank and sweep where that
  /// was noticed and, with a lineage, those to blame.
  Status run();

  /// Messages per channel that were enough or, where nothing moved any more, tried: a power of two
  /// or `model.credits`.
  std::uint32_t credits() const { return credits_; }
  /// Of the whole world.
  std::uint64_t sweeps() const { return sweeps_ * order(); }
  std::uint64_t messages() const { return messages_ * order(); }
  /// After a run in place that nothing was wrong with: whether one out of place would have stored
  /// and sent the same.
  bool is_the_same_out_of_place() const;
  /// Of the bases. Valid while the machine lives.
  Outcome outcome() const;

 private:
  struct Message {
    Value value;
    std::uint32_t row = 0;
    std::uint32_t sweep = 0;  ///< of its sender's lane
    Clocks::Snapshot clock = 0;
    LoanId loan = kNoLoan;
    bool stored = false;  ///< already in the receiver's `slice`
    schedule::Slice slice;
    WaitPoints::Id wait_point = 0;
  };
  struct Lane {
    std::size_t next = 0;  ///< sweep
    bool queued = false;
  };
  /// A message that a sweep reads where its sender has it.
  struct Borrowed {
    schedule::Rank sender = 0;
    LoanId loan = kNoLoan;
  };
  /// What a sweep is while it runs. Its steps return what is wrong; empty: nothing.
  struct Running {
    LaneId lane = 0;
    const schedule::Sweep& sweep;
    Event event;
    Value value;
    std::vector<Borrowed>& borrowed;  ///< messages that it consumes
    bool takes_stored = false;        ///< it is a recv of what its peer has stored
  };

  Status run_until_stuck();
  bool waits_for_room() const;
  bool is_over() const;
  void initialise_inputs();
  void add_to_complete(std::uint32_t row, const Value& input);
  void wake(LaneId lane);
  void wake_rank(schedule::Rank rank);
  std::uint64_t order() const { return static_cast<std::uint64_t>(rotation_.order()); }
  /// `event` as it is seen by the base of `peer`.
  Event seen_by(schedule::Rank peer, LaneId lane, Event event) const;
  bool is_ready(LaneId lane) const;
  std::string execute(LaneId lane);
  std::string take_sources(Running& running);
  std::string take_source(Running& running, const schedule::Port& port, Value& source);
  bool is_lost_input(const Running& running, const schedule::Port& port, CellId cell) const;
  std::string take_message(Running& running, const schedule::Port& port, Value& value);
  std::string check_final(const Running& running);
  std::string store_targets(const Running& running);
  std::string send(const Running& running);
  std::string fill_message(const Running& running, const schedule::Port& port, Message& message);
  std::string store_into_peer(const Running& running, const schedule::Port& port);
  std::string take_note_of_store(Running& running, const schedule::Port& port,
                                 schedule::Slice stored);
  static std::string too_many_messages();
  Status error_at(LaneId lane, std::string why) const;
  std::string in_words(Maker maker) const;
  std::string in_words(const Conflict& conflict) const;
  std::string sent_by(LaneId lane, const Message& message) const;
  std::optional<Blame> blame(const Value& value, std::span<const schedule::Rank> right) const;
  Status deadlock() const;
  Status leftovers() const;

  Model model_;
  Lineage* lineage_;
  const schedule::Rotation& rotation_;
  bool has_memory_;  ///< a barrier's row is empty: there is nothing to touch
  bool reduces_;
  LaneTable lane_table_;
  /// Where messages are copied and every rank has one lane, no two ranks touch the same memory, and
  /// nobody has to know what other ranks have done. Without rules about memory, nobody at all.
  bool tracks_order_;
  std::vector<Lane> lanes_;
  Fifos<Message> fifos_;
  std::vector<LaneId> ready_;
  Clocks clocks_;
  WaitPoints wait_points_;
  WorldMemory memory_;
  std::vector<std::uint64_t> complete_sums_;  ///< per base row
  std::vector<Borrowed> borrowed_;            ///< Running::borrowed, kept for its memory
  std::vector<Lineage::Id> origins_;          ///< of the running sweep's sources
  std::optional<Blame> blame_;                ///< for what the running sweep has noticed
  std::vector<LoanId> own_loans_;             ///< of store_into_peer, likewise
  std::span<const schedule::FusedSchedule> bases_;
  std::uint32_t credits_ = 1;
  std::uint64_t sweeps_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace rondo::verify
