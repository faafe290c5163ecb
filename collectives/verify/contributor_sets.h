#pragma once

// Exact contributor sets, for the text of a counter-example: which inputs a wrong value is made of.
// Kept only when a schedule is already known to be wrong and is run again to explain why.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule/op.h"

namespace rondo::verify {

class ContributorSets {
 public:
  /// Ids are never 0, which means: no set.
  std::uint32_t single(schedule::Rank rank, std::uint32_t row);
  std::uint32_t join(std::uint32_t a, std::uint32_t b);

  /// "row 5 of ranks {0, 1, 1}"
  std::string text(std::uint32_t id) const;

 private:
  using Contributor = std::pair<std::uint32_t, schedule::Rank>;  ///< row, rank; sorted, repeated
  std::vector<std::vector<Contributor>> sets_{1};
};

}  // namespace rondo::verify
