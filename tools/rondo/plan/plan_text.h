#pragma once

// What `rondo plan` prints, bytes and times in the words of core/amounts.h. Threads: any.

#include <cstddef>
#include <cstdint>
#include <string>

#include "rondo/plan.h"

namespace rondo::tool {

/// The question, the choice and why, a line for each candidate, for each link that ranks share, and
/// for so many of those between ranks.
std::string plan_text(const PlanQuestion& question, const PlanReport& report,
                      std::size_t most_links);

/// One size's line of a table of crossovers: what is chosen, what is fastest by simulation, and
/// what follows it. The chosen one and what follows have how many times the fastest's time they
/// take.
std::string crossover_heading();
std::string crossover_line(std::uint64_t bytes, const PlanReport& report);

}  // namespace rondo::tool
