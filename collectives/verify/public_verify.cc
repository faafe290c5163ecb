// The public face of the verifier (rondo/schedules.h): reports as plain values.

#include <fmt/format.h>

#include "collectives/algorithms/registry.h"
#include "collectives/verify/built_in.h"
#include "collectives/verify/mutants.h"
#include "rondo/schedules.h"

namespace rondo {
inline namespace v1 {

std::vector<AlgorithmInfo> built_in_algorithms() {
  std::vector<AlgorithmInfo> list;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    list.push_back({to_string(algorithm.collective), std::string(algorithm.name),
                    std::string(algorithm.summary)});
  }
  return list;
}

namespace {

void add_mutants(int first_world, int last_world, VerifyReport& report) {
  verify::MutantOptions options{.worlds = {}};
  for (int world = std::max(first_world, kFirstMutantWorld);
       world <= std::min(last_world, kLastMutantWorld); ++world) {
    options.worlds.push_back(world);
  }
  if (options.worlds.empty()) return;
  for (const verify::MutantCount& count : verify::count_mutants(options)) {
    report.mutants.push_back({to_string(count.mutation), count.mutants, count.caught,
                              count.equivalent, count.sampled, count.missed});
    if (count.missed == 0) continue;
    report.ok = false;
    report.error = fmt::format("the verifier accepts a wrong schedule ({}): {}",
                               to_string(count.mutation), count.first_missed);
  }
}

}  // namespace

VerifyReport verify_built_in(int first_world, int last_world, bool mutants, Coverage coverage) {
  VerifyReport report;
  const auto counts = verify::verify_built_in(first_world, last_world, coverage);
  report.ok = counts.ok();
  if (!counts.ok()) {
    report.error = counts.status().to_string();
    return report;
  }
  for (const verify::AlgorithmCount& count : counts.value()) {
    report.algorithms.push_back({to_string(count.collective), std::string(count.name), count.worlds,
                                 count.schedules, count.sweeps, count.direct_stores,
                                 count.least_credits});
  }
  if (mutants) add_mutants(first_world, last_world, report);
  return report;
}

}  // namespace v1
}  // namespace rondo
