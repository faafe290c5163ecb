#include "tools/rondo/verify_worlds.h"

#include <algorithm>

namespace rondo::tool {
namespace {

void add(const VerifiedAlgorithm& row, VerifiedAlgorithm& sum) {
  sum.worlds += row.worlds;
  sum.schedules += row.schedules;
  sum.sweeps += row.sweeps;
  sum.direct_stores += row.direct_stores;
  sum.least_credits = std::max(sum.least_credits, row.least_credits);
}

void add(const VerifiedMutants& row, VerifiedMutants& sum) {
  sum.mutants += row.mutants;
  sum.caught += row.caught;
  sum.equivalent += row.equivalent;
  sum.sampled += row.sampled;
  sum.missed += row.missed;
}

/// Every world has the same rows in the same order, or none.
template <typename Row>
void add_all(const std::vector<Row>& rows, std::vector<Row>& sums) {
  if (sums.empty()) {
    sums = rows;
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], sums[i]);
}

}  // namespace

VerifyReport verify_worlds(const WorldRange& worlds, bool mutants,
                           const std::function<void(int world)>& before_world) {
  VerifyReport sum;
  sum.ok = true;
  for (int world = worlds.first; world <= worlds.last && sum.ok; ++world) {
    before_world(world);
    const VerifyReport report = verify_built_in(world, world, mutants);
    sum.ok = report.ok;
    sum.error = report.error;
    add_all(report.algorithms, sum.algorithms);
    add_all(report.mutants, sum.mutants);
  }
  return sum;
}

}  // namespace rondo::tool
