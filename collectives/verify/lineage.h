#pragma once

// Where each value came from, for the text of a counter-example: what inputs a wrong value is made
// of, and which sweep went wrong. Kept only when a schedule is already known to be wrong and is run
// again to explain why: a node for each sweep, contributors are counted along the edges. Source:
// the lineage of data (Y. Cui and J. Widom, "Lineage tracing for general data warehouse
// transformations", VLDB 2001).

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule/op.h"
#include "collectives/verify/lane_table.h"

namespace rondo::verify {

/// A sweep of a lane.
struct Maker {
  LaneId lane = 0;
  std::size_t sweep = 0;

  friend bool operator==(const Maker&, const Maker&) = default;
};

/// The sweep that a value went wrong in, and how: words before and behind its name.
struct Fault {
  Maker maker;
  std::string before;
  std::string behind;
};

class Lineage {
 public:
  /// Of a value; never 0, which means: none is kept.
  using Id = std::uint32_t;

  Id input(schedule::Rank rank, std::uint32_t row);
  /// What `maker`, a sweep of `rank` and `row`, makes of its sources, in place of what it is made
  /// of.
  Id made(Maker maker, schedule::Rank rank, std::uint32_t row, std::span<const Id> sources);

  /// The inputs that a value is made of: "row 5 of ranks {0, 1, 1, 4 to 9}". O(sweeps so far).
  std::string text(Id id) const;
  /// The sweep that made it; none of an input.
  std::optional<Maker> maker(Id id) const;
  /// Of a value that should be of each of the ranks `right` once (its row is that of every sweep on
  /// its way): the first sweep that added a rank's a second time; or that passed it on at a rank
  /// whose own is missing and read by nobody; or the last one that a missing one has come to.
  /// Nothing where there is no such sweep. O(sweeps so far * log ranks).
  std::optional<Fault> fault(Id id, std::span<const schedule::Rank> right) const;

 private:
  struct Node {
    Maker maker;
    schedule::Rank rank = 0;
    std::uint32_t row = 0;
    std::uint32_t first_source = 0;
    std::uint32_t source_count = 0;  ///< of an input none
  };
  /// Inputs, and how often each is in a value.
  using Contributors = std::vector<std::pair<Id, std::uint64_t>>;

  std::span<const Id> sources(const Node& node) const {
    return std::span(sources_).subspan(node.first_source, node.source_count);
  }
  /// By node: how often what it made is in the value.
  std::vector<std::uint64_t> uses_in(Id id) const;
  Contributors contributors(const std::vector<std::uint64_t>& uses) const;
  /// By node on the way: how often the input is in what it made.
  std::vector<std::uint64_t> copies_of(Id input, const std::vector<std::uint64_t>& uses) const;
  Fault repeated(Id input, const std::vector<std::uint64_t>& uses) const;
  /// `missing`: inputs by rank.
  std::optional<Fault> omitted(const std::map<schedule::Rank, Id>& missing,
                               const std::vector<std::uint64_t>& uses) const;
  Fault lost_behind(Id input) const;

  std::vector<Node> nodes_{1};
  std::vector<Id> sources_;
};

}  // namespace rondo::verify
