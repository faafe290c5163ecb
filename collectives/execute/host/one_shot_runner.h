#pragma once

// The fast path of a small all-reduce: the payload goes to every peer at once, in the cache line
// that says it is there or, where it is longer, in a slot of memory that the peer reads; every rank
// combines all contributions, where they lie, in rank order. No groups, tokens or segments.
//
// Its specification is the schedule `one_shot` (collectives/algorithms): on the wire the two are
// alike, message for message, so ranks may differ in which of them they run, and the bits are the
// same (one_shot_runner_test).
//
// Where all ranks can read each other's bulletins, and so do, each writes its contribution once for
// all peers, who give nothing back: up to 24 bytes a line written and p-1 read, however many ranks
// there are. Where a rank combines its part alone, that is a reduce-scatter, `direct`. With nothing
// to combine that is a barrier, or, where each rank takes its part of every contribution, an
// all-gather or all-to-all: the schedules `direct`. And where only some contribute or take
// anything, a broadcast, reduce, gather or scatter: the schedules `linear`. Nobody waits there for
// a bulletin that is of no use to it; before the next one it has to have come.

#include <optional>
#include <vector>

#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/first_look.h"
#include "collectives/execute/host/other_cores.h"
#include "collectives/kernels/reduce.h"

namespace rondo::execute {

class OneShotRunner final : public Runner {
 public:
  /// What is taken of one rank's contribution.
  struct Part {
    int rank = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  /// What depends on counts.
  struct Sizes {
    std::size_t count = 0;            ///< of elements that this rank combines
    std::size_t combined_offset = 0;  ///< of these in each contribution, in bytes
    /// Nothing is combined: the output is this of ranks' contributions, one behind the other.
    std::optional<std::vector<Part>> gathered{};
    /// Bytes that each rank contributes, where not all the same; then by bulletins.
    std::vector<std::size_t> contributed_bytes{};
  };
  struct Inputs {
    int rank = 0;
    std::vector<transport::Endpoint*> endpoints;  ///< by rank; null: this rank itself
    Sizes sizes{};
    std::size_t element_bytes = 1;
    kernels::ReduceKernel kernel = nullptr;  ///< null where calls bring functions
    int divisor = 1;
    bool bulletins = false;  ///< on all ranks alike
    bool spare_core = true;  ///< worth a few looks before the waiter is asked how to wait
  };
  /// Whether so many bytes can be sent to each peer as they are.
  static bool suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes);
  static bool suits_bulletins(const std::vector<transport::Endpoint*>& endpoints,
                              std::size_t bytes);
  /// The endpoints suit the bytes.
  explicit OneShotRunner(Inputs inputs);
  /// Of calls of other counts from now on, between two; the endpoints suit these, by bulletins or
  /// without. What has been learnt of peers (when to look, who shares this core) is kept.
  void set_sizes(Sizes sizes, bool bulletins);

 private:
  const Sizes& sizes() const { return inputs_.sizes; }
  void expect();
  void begin(const transport::Call& call, const Operands& operands) override;
  void enter(const transport::Call& call, const Operands& operands);
  HeadStart head_start() const override {
    const std::size_t messages = inputs_.bulletins ? 0 : bytes_ * peers_.size();
    return head_start_of(messages, peers_, inputs_.spare_core);
  }
  Status send_first(const transport::Call& call, const Operands& operands) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  std::uint32_t looks_per_step() const override;
  std::size_t bytes_of(int rank) const {
    return sizes().contributed_bytes.empty()
               ? bytes_
               : sizes().contributed_bytes[static_cast<std::size_t>(rank)];
  }
  bool has_received_all() const { return received_ == peers_.size(); }
  /// A peer that is far behind may have no room for what this rank sends until long after its own
  /// contribution has come.
  bool finished() const override { return has_received_all() && sent_ == peers_.size(); }
  int waits_for() const override;
  std::span<transport::Endpoint* const> peers() const override { return peers_; }
  bool has_skipped() const;
  Status settle();
  Status publish();
  Status send_all();
  std::span<const std::byte> own() const;
  void put(int rank, const std::byte* contribution) {
    sources_[static_cast<std::size_t>(rank)] = contribution + sizes().combined_offset;
  }
  Result<bool> read_bulletins();
  Result<const std::byte*> await_bulletin(std::size_t peer);
  Result<const std::byte*> await_on_shared_core(std::size_t peer);
  Result<bool> receive_all();
  Result<const std::byte*> receive_next(int looks);
  Status combine();
  Status reduce();
  bool gathers_much() const;
  void gather();

  trace::CallTimer* timer() const { return operands_->timer; }
  void note_wait() const {
    if (timer() != nullptr) timer()->idle(waits_for());
  }

  Inputs inputs_;
  std::size_t bytes_ = 0;
  /// What a peer contributes.
  struct Contribution {
    std::size_t bytes = 0;
    int rank = 0;
    bool is_awaited = true;  ///< the others aren't used
  };

  std::vector<transport::Endpoint*> peers_;
  std::vector<Contribution> expected_;  ///< of peers_
  std::vector<const void*> sources_;    ///< by rank: what is used of its contribution, once here
  const transport::Call* call_ = nullptr;
  const Operands* operands_ = nullptr;  ///< of the call
  std::size_t sent_ = 0;                ///< peers that have this rank's contribution
  FirstLook first_look_;                ///< at the first bulletin of a call
  bool has_looked_ = false;
  bool found_at_once_ = false;  ///< by that
  OtherCores other_cores_;      ///< where ranks share cores: the order of looking at bulletins
  std::size_t received_ = 0;    ///< peers, in order, whose contribution is here
};

}  // namespace rondo::execute
