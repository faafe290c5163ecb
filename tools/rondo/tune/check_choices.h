#pragma once

// `rondo tune --check`: what a world chooses, beside everything that it could have chosen.

#include <cstdint>
#include <string>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::tool {

/// As the command line has it.
struct CheckedRange {
  std::vector<std::string> collectives;
  std::string first = "1K";
  std::string last = "64M";
  int factor = 4;
  int rounds = 15;
  std::string buffers = "malloc";
};

/// Errors: UsageError.
std::vector<std::uint64_t> checked_sizes(const CheckedRange& range);

/// Rank 0 prints a line for each size as soon as it is measured, then a summary. Choices more than
/// a tenth slower than the fastest are measured once more when all others are done, for a choice
/// that is wrong is so again, and what the machine did meanwhile mostly isn't.
/// Collective: every rank makes the same call. Errors: UsageError; as a collective call.
void check_choices(Communicator& world, const CheckedRange& range);

}  // namespace rondo::tool
