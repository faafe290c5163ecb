#pragma once

// Which algorithm a collective runs: the one with the least predicted time. The choice is a pure
// function of what every rank holds equal (collective, bytes, world, layout, constants), so all
// ranks choose alike without talking.
//
// Cost: steps * alpha + bytes through a rank's link * beta (Hockney's model, Parallel Computing 20
// (1994)); the terms of each algorithm are in its file's top comment.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "core/status.h"

namespace rondo::select {

/// One kind of link between two ranks.
struct LinkCost {
  double alpha_us = 0;          ///< one message, end to end
  double beta_us_per_byte = 0;  ///< one more byte
};

/// What the ranks' pairs are joined by, as every rank sees it.
struct Layout {
  int world = 1;
  bool one_host = true;  ///< every pair shares memory (inproc or shm)
  /// Which ranks share a host; null: all. Borrowed.
  const schedule::HostLayout* hosts = nullptr;
  /// Of the machine where that is most. Of more than one, all but the first wait for the core that
  /// a message takes.
  double ranks_per_core = 1;
};

/// Constants of a layout's slowest link. Measured on a 2-core Xeon (docs/performance.md); they move
/// crossovers, never results.
LinkCost default_link_cost(const Layout& layout);

/// What is moved as one piece: long enough to hide a message's cost, short enough that a segment is
/// still in the cache when it is forwarded, and that a slot takes it. Frames of tcp cost more. A
/// multiple of every element's size, and equal on all ranks.
std::size_t default_segment_bytes(const Layout& layout);

/// Up to so many bytes one-shot's ranks of one host write their contributions once, for all to read
/// (Endpoint::bulletin_bytes).
inline constexpr std::size_t kBulletinBytes = 1024;

struct Candidate {
  const algorithms::Algorithm* algorithm = nullptr;
  double predicted_us = 0;
  double registered_us = 0;  ///< on registered memory, where a tuning knows that; else 0
};

/// Which algorithms will do for a call.
struct Demands {
  /// Whose rows' sizes a rank knows.
  enum class Rows : std::uint8_t {
    kAll,
    kOwn,  ///< those that it sends or receives (all_to_all_v): algorithms that relay are left out
  };
  /// Of a reduction. (Other collectives combine nothing.)
  enum class Order : std::uint8_t {
    kAny,
    kRanks,  ///< those that keep the ranks' order (algorithms::Algorithm::keeps_rank_order)
  };
  Rows rows = Rows::kAll;
  Order order = Order::kAny;

  bool operator==(const Demands&) const = default;
};

bool allows(const Demands& demands, const algorithms::Algorithm& algorithm);

/// All algorithms of the collective that the layout and the demands allow, cheapest first.
std::vector<Candidate> candidates(schedule::Collective collective, std::size_t bytes,
                                  const Layout& layout, const LinkCost& link,
                                  const Demands& demands = {});

/// The one called `name` where the collective has it and the demands allow it; null for "auto", and
/// where they don't: this call then chooses for itself.
/// Errors: InvalidArgument for a name that no collective has; the message lists the names.
Result<const algorithms::Algorithm*> forced_algorithm(schedule::Collective collective,
                                                      std::string_view name,
                                                      const Demands& demands = {});

/// The cheapest, or the one that is forced.
/// Errors: as forced_algorithm; Unsupported: the collective has no algorithm that is allowed.
Result<const algorithms::Algorithm*> choose(schedule::Collective collective, std::size_t bytes,
                                            const Layout& layout, std::string_view forced,
                                            const Demands& demands = {});

}  // namespace rondo::select
