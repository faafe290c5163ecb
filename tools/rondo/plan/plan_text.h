#pragma once

// What `rondo plan` prints. Threads: any.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rondo/plan.h"

namespace rondo::tool {

/// "64 MiB", "1000 B"
std::string bytes_text(std::uint64_t bytes);
/// "3.25 us", "12.4 ms", "1.2 s"
std::string time_text(double us);

/// The question, the choice and why, a line for each candidate, for each link that ranks share, and
/// for so many of those between ranks.
std::string plan_text(const PlanQuestion& question, const PlanReport& report,
                      std::size_t most_links);

/// One size's line of a table of crossovers: what is chosen, what is fastest by simulation, and
/// what follows it.
std::string crossover_heading();
std::string crossover_line(std::uint64_t bytes, const PlanReport& report);

}  // namespace rondo::tool
