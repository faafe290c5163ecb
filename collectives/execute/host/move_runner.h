#pragma once

// Runs a plan of short messages that combines nothing and passes nothing on: each sweep copies,
// sends or receives one row. Gathers, scatters and all-to-alls whose ranks know the sizes of their
// own rows only are such plans: bulletins want all ranks to know whether all rows fit. What goes
// out is copied, or, where it is longer and lies in registered memory, lent: its reader copies it
// then, and that alone.
//
// Its specification is PlanRunner with the same plan, as EagerRunner's is: on the wire the three
// are alike, message for message, so ranks may differ in which of them they run
// (move_runner_test).

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"

namespace rondo::execute {

class MoveRunner final : public Runner {
 public:
  /// Whether there is no more to the plan's sweeps than that: it suits where EagerRunner does.
  static bool only_moves(const Plan& plan);
  /// The plan suits; it is borrowed. `spare_core`: as EagerRunner's.
  MoveRunner(const Plan& plan, bool spare_core);
  void resize() override;

 private:
  /// One sweep.
  struct Move {
    transport::Endpoint* from = nullptr;  ///< null: out of own memory
    transport::Endpoint* to = nullptr;    ///< null: into own memory
    BoundSlice source;
    BoundSlice target;
    std::size_t bytes = 0;
  };

  void begin(const transport::Call& call, const Operands& operands) override;
  HeadStart head_start() const override { return head_start_; }
  Status send_first(const transport::Call& call, const Operands& operands) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  std::uint32_t looks_per_step() const override;
  bool has_moved_all() const { return next_ == moves_.size(); }
  bool has_all_back() const { return !has_lent_ || returned_ == plan_.senders().size(); }
  bool finished() const override { return has_moved_all() && has_all_back(); }
  int waits_for() const override;
  std::span<transport::Endpoint* const> peers() const override { return plan_.endpoints(); }

  Result<bool> advance();
  Result<bool> make(const Move& move);
  Result<bool> send(const Move& move, const std::byte* source);
  Result<bool> take_back();
  std::byte* memory(const BoundSlice& slice) const;

  const Plan& plan_;
  std::vector<Move> moves_;
  bool spare_core_;
  int most_looks_;
  HeadStart head_start_ = HeadStart::kNone;
  const Operands* operands_ = nullptr;  ///< of the call
  std::array<std::byte*, 3> bases_{};   ///< by schedule::BufferRole
  std::size_t next_ = 0;                ///< of moves_
  bool has_lent_ = false;               ///< in this call
  std::size_t returned_ = 0;            ///< senders that have all of that back
};

}  // namespace rondo::execute
