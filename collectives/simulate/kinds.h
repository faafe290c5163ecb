#pragma once

// Ranks that do the same at the same times although no symmetry of the schedule says so, as in
// trees: found by simulating, and proved by what came out.
//
// Ranks are taken in units that share resources: hosts. A kind is a set of units that are thought
// to do the same; one of each is simulated, with the kinds of its peers for its peers. Messages
// between units are of one exchange where both ends are the same of the same kinds. Every exchange
// is simulated, also those that no representative takes part in, on links as full as those that it
// would pass. If then all exchanges that one end of a kind has part in went alike, moment by
// moment, what was simulated of the representatives is true of all: each unit sees of its peers
// what its representative sees, and each message has the share of links that max-min fairness gives
// it. A run of the whole world can't differ, for it is determined by those rules. If not, units
// that saw different things become kinds of their own, and the rest is tried again. Source:
// partition refinement, P. Kanellakis and S. Smolka, "CCS expressions, finite state processes, and
// three problems of equivalence" (Information and Computation, 1990).

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/simulate/network.h"
#include "collectives/simulate/quotient.h"
#include "collectives/simulate/survey.h"

namespace rondo::simulate {

/// Messages from one end of a kind to one end of a kind.
struct Exchange {
  std::uint32_t pair = 0;    ///< one that has it, as its sender sees it (survey.h)
  bool of_sender = false;    ///< that is the pair of a representative,
  bool of_receiver = false;  ///< and turned, of one
};

class Kinds {
 public:
  /// Whether they can be told on this network: not where switches are shared.
  static bool are_known_on(const Network& network) { return network.switches.empty(); }
  /// A first guess, by what ranks are built to do. Borrows the survey.
  Kinds(const Survey& survey, const Network& network);

  std::size_t kinds() const { return representative_.size(); }
  std::size_t units() const { return first_rank_.size() - 1; }
  /// Of units that are each of a kind of their own no proof is needed.
  bool all_differ() const { return kinds() == units(); }
  void part_all();
  Quotient quotient() const;

  const std::vector<Exchange>& exchanges() const { return exchanges_; }
  /// What goes from one end of a pair to the other belongs to.
  std::uint32_t exchange_of(std::uint32_t pair) const { return exchange_of_[pair]; }
  /// Of a representative's pair: the exchanges that begin at this end of it; that end there.
  std::span<const std::uint32_t> sent_from(std::uint32_t pair) const { return sent_from_.of(pair); }
  std::span<const std::uint32_t> received_at(std::uint32_t pair) const {
    return received_at_.of(pair);
  }

  /// Units to whom exchanges went differently become kinds of their own; false where there are
  /// none. `traces`: what stands for how each exchange went.
  bool part(const std::vector<std::uint64_t>& traces);

 private:
  void make_units(const Network& network);
  std::uint64_t guess(int unit, const HostGroup& host) const;
  const HostGroup& host_of_unit(int unit, const Network& network) const;
  void number_kinds(const std::vector<std::uint64_t>& keys);
  /// Lists of exchanges, by pairs.
  struct ByPair {
    std::span<const std::uint32_t> of(std::uint32_t pair) const {
      return std::span(exchanges).subspan(first[pair], first[pair + 1] - first[pair]);
    }
    /// `pair_of`: each exchange's.
    void fill(std::size_t pairs, std::span<const std::uint32_t> pair_of);

    std::vector<std::uint32_t> first{};  ///< one more than pairs
    std::vector<std::uint32_t> exchanges{};
  };
  void list_exchanges();
  std::uint32_t stands_for(std::uint32_t pair) const;

  const Survey& survey_;
  std::vector<schedule::Rank> first_rank_;  ///< of each unit; one more
  std::vector<int> unit_of_;                ///< by rank
  bool units_are_hosts_ = true;
  std::vector<int> kind_of_;         ///< by unit
  std::vector<int> representative_;  ///< by kind: a unit
  std::vector<int> units_each_;
  std::vector<Exchange> exchanges_;
  std::vector<std::uint32_t> exchange_of_;  ///< by pair
  ByPair sent_from_;
  ByPair received_at_;
};

}  // namespace rondo::simulate
