#pragma once

// Runs a plan of short messages: sweep after sweep, each message sent at once (in the cache line
// that says it is there, in a slot beside it, or to a socket) and read where it lies. No groups,
// tokens or segments: what costs more than it saves while messages are short. Where it lends,
// registered memory is read by the peers where it lies, and results are stored into theirs; where
// it doesn't, all is copied: that is the cheaper way for the shortest.
//
// Its specification is PlanRunner with the same plan: on the wire the two are alike, message for
// message, so ranks may differ in which of them they run, and the bits are the same
// (eager_runner_test).

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"

namespace rondo::execute {

class EagerRunner final : public Runner {
 public:
  /// Whether every message of the plan can be sent at once to whom it goes.
  static bool suits(const Plan& plan);
  enum class Memory : bool { kCopied, kLent };
  /// The plan suits. `spare_core`: a few looks are worth it before the waiter is asked how to wait,
  /// and peers don't need this one's core.
  EagerRunner(const Plan& plan, bool spare_core, Memory memory = Memory::kCopied);
  void resize() override;

 private:
  void begin(const transport::Call& call, const Operands& operands) override;
  HeadStart head_start() const override { return head_start_; }
  Status send_first(const transport::Call& call, const Operands& operands) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  std::uint32_t looks_per_step() const override;
  bool finished() const override { return sweep_ == sweeps_.size() && has_all_back(); }
  int waits_for() const override;
  std::span<transport::Endpoint* const> peers() const override { return plan_.endpoints(); }

  Result<bool> advance();
  Result<bool> receive();
  Status combine();
  Status reduce(const kernels::ReduceArguments& arguments);
  Status begin_stores() const;
  void end_stores() const;
  void find_targets();
  bool sends_before_copy() const;
  std::byte* peer_memory(const BoundPort& port) const;
  bool has_source_from(const transport::Endpoint* endpoint) const;
  void release_sources();
  Result<bool> send();
  Result<bool> send_to(std::size_t target);
  Result<bool> take_back();
  bool has_all_back() const { return !lends_ || returned_ == plan_.senders().size(); }
  void next_sweep();
  std::byte* memory(const BoundSlice& slice) const;
  trace::CallTimer* timer() const { return operands_->timer; }
  transport::Endpoint* sender_of(const BoundPort& port) const;

  const Plan& plan_;
  std::span<const BoundSweep> sweeps_;
  bool spare_core_;
  int most_looks_;
  bool lends_;
  std::size_t own_sweeps_ = 0;  ///< the first so many take nothing from peers
  HeadStart head_start_ = HeadStart::kNone;
  const Operands* operands_ = nullptr;
  std::array<std::byte*, 3> bases_{};  ///< by schedule::BufferRole
  std::size_t sweep_ = 0;
  std::size_t source_ = 0;              ///< of the sweep: the next to be received
  std::size_t target_ = 0;              ///< of the sweep: the next to be sent to
  bool combined_ = false;               ///< the sweep's sources
  bool sends_first_ = false;            ///< the sweep's row goes out before it is copied
  std::size_t returned_ = 0;            ///< channels that have given back what was lent
  const std::byte* payload_ = nullptr;  ///< what the sweep sends
  std::vector<const void*> sources_;    ///< arguments of the kernel, reused
  std::vector<void*> targets_;
  std::vector<char> stored_;  ///< by target of the sweep: it is in the peer's memory already
};

}  // namespace rondo::execute
