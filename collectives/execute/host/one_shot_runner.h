#pragma once

// The fast path of a small all-reduce where ranks have no bulletins (bulletin_runner.h): the
// payload goes to every peer at once, in the cache line that says it is there or, where it is
// longer, in a slot of memory that the peer reads; every rank combines all contributions, where
// they lie, in rank order. No groups, tokens or segments.
//
// Its specification is the schedule `one_shot` (collectives/algorithms): on the wire the two are
// alike, message for message, so ranks may differ in which of them they run, and the bits are the
// same (one_shot_runner_test).

#include <vector>

#include "collectives/execute/host/contributions.h"
#include "collectives/execute/host/drive.h"

namespace rondo::execute {

class OneShotRunner final : public Runner {
 public:
  struct Inputs {
    std::vector<transport::Endpoint*> endpoints;  ///< by rank; null: this rank itself
    Contributions::Inputs contributions{};
    std::size_t count = 0;
    bool spare_core = true;  ///< worth a few looks before the waiter is asked how to wait
  };
  /// Whether so many bytes can be sent to each peer as they are.
  static bool suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes);
  /// The endpoints suit the bytes.
  explicit OneShotRunner(const Inputs& inputs);
  /// Of calls of another count from now on, between two; the endpoints suit it.
  void set_count(std::size_t count) { contributions_.set_sizes({.count = count}); }

 private:
  void begin(const transport::Call& call, const Operands& operands) override;
  HeadStart head_start() const override {
    return head_start_of(contributions_.bytes() * peers_.size(), peers_, spare_core_);
  }
  Status send_first(const transport::Call& call, const Operands& operands) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  std::uint32_t looks_per_step() const override;
  /// A peer that is far behind may have no room for what this rank sends until long after its own
  /// contribution has come.
  bool finished() const override { return has_received_all() && sent_ == peers_.size(); }
  int waits_for() const override;
  std::span<transport::Endpoint* const> peers() const override { return peers_; }

  bool has_received_all() const { return received_ == peers_.size(); }
  Status send_all();
  Result<bool> receive_all();
  Result<const std::byte*> receive_next(int looks);
  Status combine();

  trace::CallTimer* timer() const { return contributions_.operands().timer; }

  Contributions contributions_;
  bool spare_core_;
  std::vector<transport::Endpoint*> peers_;
  std::size_t sent_ = 0;      ///< peers that have this rank's contribution
  std::size_t received_ = 0;  ///< peers, in order, whose contribution is here
};

}  // namespace rondo::execute
