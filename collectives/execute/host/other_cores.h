#pragma once

// Which peers run on other cores than this rank, where ranks share cores: what they are about to
// write comes while this rank looks, within a turn of theirs. What a peer of its own core is to
// write comes only while this rank has given the core away. A rank that gives it away for the one
// kind as well as the other has three turns of a core for two calls among four ranks on two cores,
// where two turns for two calls are enough (docs/performance.md, Four ranks on two cores).
// Nobody is asked where he runs: a peer whose message has come between two looks runs elsewhere,
// and one for which this rank has waited in vain again and again doesn't. The kernel moves both
// about. Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ticks.h"

namespace rondo::execute {

class OtherCores {
 public:
  static constexpr std::uint32_t kShortestPeriod = 32;
  static constexpr std::uint32_t kLongestPeriod = 1024;
  static constexpr int kWaitsInVain = 8;

  /// `ns_per_tick`: see core/ticks.h.
  OtherCores(std::size_t peers, double ns_per_tick);

  /// The i-th to look at: first those of this rank's core, for whom it is to give the core away
  /// before it waits for any other.
  std::size_t at(std::size_t i) const { return order_[i]; }
  /// Between calls: the order may become another one.
  void call_begins() {
    if (has_changed_) sort();
  }
  /// Its message isn't here: whether to wait for it, and keep the core meanwhile. From time to time
  /// that is tried with whoever seems to share this rank's core, ever more seldom in vain.
  bool is_worth_waiting_for(std::size_t peer);
  /// For so long.
  Ticks patience() const { return patience_; }
  /// How that wait ended.
  void waited_for(std::size_t peer, bool has_come);

 private:
  struct Peer {
    int waits_left = 0;  ///< in vain, until it is taken to share this rank's core; 0: it is
    std::uint32_t period = kShortestPeriod;  ///< looks in vain from one trial to the next
    std::uint32_t until_trial = kShortestPeriod;
  };

  void sort();

  Ticks patience_;
  std::vector<Peer> peers_;
  std::vector<std::size_t> order_;
  bool has_changed_ = false;
};

}  // namespace rondo::execute
