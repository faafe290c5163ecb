#pragma once

// The fast path of the shortest calls where all ranks read each other's bulletins (transport): each
// writes its contribution once for all its peers, up to 24 bytes in the cache line that says it is
// there, and every rank combines or gathers what it reads, where it lies. Nobody gives anything
// back: a line written and p-1 read, however many ranks there are.
//
// Its specifications are the schedules `one_shot` (all-reduce) and `direct` (reduce-scatter,
// all-gather, all-to-all, and, with nothing to combine, barrier), and the same bits come of it.
// Where only some ranks contribute or take anything it is a broadcast, reduce, gather or scatter:
// the schedules `linear`. Nobody waits there for a bulletin that is of no use to it; before the
// next one it has to have come.
//
// What is done before this rank's bulletin goes out, and behind the last one that comes, is all
// that is left of a call between two near cores: a hundred instructions are 7 ns of 150.

#include <vector>

#include "collectives/execute/host/contributions.h"
#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/first_look.h"
#include "collectives/execute/host/other_cores.h"

namespace rondo::execute {

class BulletinRunner final : public Runner {
 public:
  struct Inputs {
    std::vector<transport::Endpoint*> endpoints;  ///< by rank; null: this rank itself
    Contributions::Inputs contributions{};
    Contributions::Sizes sizes{};
    bool spare_core = true;  ///< worth a few looks before the waiter is asked how to wait
  };
  /// Whether all endpoints have bulletins of so many bytes.
  static bool suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes);
  /// The endpoints suit the bytes. On all ranks alike.
  explicit BulletinRunner(Inputs inputs);
  /// Of calls of other counts from now on, between two; the endpoints suit these. What has been
  /// learnt of peers (when to look, who shares this core) is kept.
  void set_sizes(Contributions::Sizes sizes);

 private:
  void begin(const transport::Call& call, const Operands& operands) override;
  HeadStart head_start() const override { return head_start_of(0, peers_, spare_core_); }
  Status send_first(const transport::Call& call, const Operands& operands) override;
  bool end_at_once(Status& status, int rank) override;
  Status end(Status status, int rank) override;
  Result<bool> step() override;
  std::uint32_t looks_per_step() const override {
    return static_cast<std::uint32_t>(most_looks(spare_core_, peers_));
  }
  bool finished() const override { return received_ == peers_.size(); }
  int waits_for() const override;
  std::span<transport::Endpoint* const> peers() const override { return peers_; }

  void enter(const transport::Call& call, const Operands& operands);
  void begin_at_peers();
  void expect();
  inline Status publish();
  Status settle();
  bool has_skipped() const;
  Status read();
  inline Result<const std::byte*> look_first(std::size_t peer);
  Result<const std::byte*> await(std::size_t peer);
  Result<const std::byte*> await_longer(std::size_t peer, int looks);
  Result<const std::byte*> await_on_shared_core(std::size_t peer);
  Status combine();
  void leave();

  trace::CallTimer* timer() const { return contributions_.operands().timer; }
  void note_wait() const {
    if (timer() != nullptr) timer()->idle(waits_for());
  }

  /// What a peer contributes.
  struct Expected {
    std::size_t bytes = 0;
    int rank = 0;
    bool is_awaited = true;  ///< the others aren't used
  };

  Contributions contributions_;
  bool spare_core_;
  std::vector<transport::Endpoint*> peers_;
  std::vector<Expected> expected_;  ///< of peers_
  const transport::Call* call_ = nullptr;
  bool is_published_ = false;
  FirstLook first_look_;  ///< at the first bulletin of a call
  bool has_looked_ = false;
  bool found_at_once_ = false;  ///< by that
  OtherCores other_cores_;      ///< where ranks share cores: the order of looking
  std::size_t received_ = 0;    ///< peers, in order, whose contribution is here
};

}  // namespace rondo::execute
