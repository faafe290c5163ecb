#pragma once

// Runs a whole world of schedules in one thread, sweep by sweep, in any order that the channels
// allow. Sweeps and bounded FIFOs are a Kahn network: whether it ends and what its messages hold
// doesn't depend on the order, so one run decides for all; what could depend on it, memory, is
// checked with vector clocks (world_memory.h).

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/clocks.h"
#include "collectives/verify/contributor_sets.h"
#include "collectives/verify/world_memory.h"
#include "core/status.h"

namespace rondo::verify {

struct Model {
  /// Eager (false): a message is copied when it is sent, and no store is direct. Direct (true): a
  /// message is its sender's memory, read when it is consumed, and every `direct` port stores.
  bool lent = false;
  bool in_place = false;
  std::uint32_t credits = 1;  ///< messages that fit into one channel
};

class Machine {
 public:
  /// The world's shape has been checked. `sets` may be null: contributors are not kept then.
  Machine(std::span<const schedule::FusedSchedule> world, const Model& model,
          ContributorSets* sets);

  /// To the end, or to the first violation. Errors: InvalidArgument, naming rank and sweep.
  Status run();

  bool deadlocked() const { return deadlocked_; }
  std::uint64_t sweeps() const { return sweeps_; }
  std::uint64_t messages() const { return messages_; }
  /// What a rank's memory holds; null where nothing was stored.
  const Value* find(schedule::Rank rank, schedule::Slice slice) const;
  /// Whether the end of `rank` comes after the start of `other` in every order.
  bool end_knows_start(schedule::Rank rank, schedule::Rank other) const;

 private:
  struct Message {
    Value value;
    std::uint32_t row = 0;
    Clocks::Snapshot clock = 0;
    LoanId loan = ~LoanId{0};
    bool stored = false;  ///< already in the receiver's `slice`
    schedule::Slice slice;
    std::uint32_t wait_point = 0;  ///< 0: nobody waits for it
  };
  struct Fifo {
    std::vector<Message> messages;
    std::size_t head = 0;
    std::size_t size() const { return messages.size() - head; }
  };
  struct Lane {
    schedule::Rank rank = 0;
    std::uint32_t lane = 0;
    std::size_t next = 0;
    bool queued = false;
  };
  /// A sweep that some wait names.
  struct WaitPoint {
    bool executed = false;
    std::uint32_t pending_sends = 0;
    Clocks::Snapshot clock = 0;
  };

  std::span<const schedule::Sweep> sweeps_of(const Lane& lane) const;
  std::span<const schedule::Port> sources_of(const Lane& lane, const schedule::Sweep& sweep) const;
  std::span<const schedule::Port> targets_of(const Lane& lane, const schedule::Sweep& sweep) const;
  Fifo& fifo(schedule::Rank from, schedule::Rank to, std::uint32_t lane);
  void find_wait_points();
  void initialise_inputs();
  void wake(std::uint32_t lane);
  void wake_peer(schedule::Rank rank, std::uint32_t lane);
  bool is_ready(const Lane& lane, const schedule::Sweep& sweep);
  bool wait_is_over(const Lane& lane, const schedule::Sweep& sweep);
  std::string execute(std::uint32_t lane_id, const schedule::Sweep& sweep);
  std::string take_sources(std::uint32_t lane_id, const schedule::Sweep& sweep, Value& value);
  std::string take_message(std::uint32_t lane_id, const schedule::Sweep& sweep,
                           const schedule::Port& port, Value& value);
  std::string check_final(const schedule::Sweep& sweep, const Value& value) const;
  std::string store_targets(std::uint32_t lane_id, const schedule::Sweep& sweep,
                            const Value& value);
  std::string send(std::uint32_t lane_id, const schedule::Sweep& sweep, const Value& value);
  CellId backing(const Lane& lane, const schedule::Sweep& sweep) const;
  WaitPoint* wait_point(std::uint32_t lane_id, std::size_t sweep, std::uint32_t& id);
  Status error_at(std::uint32_t lane_id, std::string why) const;
  Status deadlock() const;
  Status leftovers() const;
  std::string holds(const Value& value) const;

  std::span<const schedule::FusedSchedule> world_;
  Model model_;
  ContributorSets* sets_;
  bool reduces_ = false;
  bool has_memory_ = true;  ///< a barrier's row is empty: there is nothing to touch
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> first_lane_;
  std::uint32_t lanes_per_rank_ = 1;
  std::vector<Fifo> fifos_;
  std::vector<std::uint32_t> ready_;
  Clocks clocks_;
  WorldMemory memory_;
  std::vector<std::uint64_t> complete_sums_;  ///< per row
  std::vector<LoanId> own_loans_;             ///< messages that the running sweep consumes
  bool takes_stored_ = false;  ///< the running sweep is a recv of what its peer has stored
  std::vector<WaitPoint> wait_points_{1};
  std::unordered_map<std::uint64_t, std::uint32_t> wait_point_ids_;
  bool deadlocked_ = false;
  std::uint64_t sweeps_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace rondo::verify
