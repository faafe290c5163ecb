#pragma once

// What each algorithm costs, as the page says it and as numbers that are compared with the
// schedules themselves. S: bytes of the larger of one rank's buffers; p: ranks, one on each host.

#include <cstddef>
#include <span>
#include <string_view>

namespace rondo::tool {

/// What is compared as large data: divided by every number of ranks that is.
inline constexpr std::size_t kLargeBytes = std::size_t{720'720} * 16;

/// In italics stands what nobody has compared.
struct Formula {
  std::string_view collective;
  std::string_view algorithm;
  std::string_view messages;  ///< in a row: of the longest chain that wait for each other
  /// Negative where the words say nothing of such a p; null: not compared.
  double (*messages_of)(int p);
  std::string_view sent;     ///< most bytes that one rank sends
  double (*sent_of)(int p);  ///< in S; null: not compared
};

/// What is said of h hosts whose ranks share memory.
struct HostFormula {
  std::string_view collective;
  std::string_view algorithm;
  std::size_t bytes;             ///< of the data
  double (*messages_of)(int h);  ///< inside and between them; null: not compared
  double (*sent_of)(int h);      ///< most that one host sends to others, in S
};

std::span<const HostFormula> host_formulas();

/// Null where there is none.
const Formula* formula_of(std::string_view collective, std::string_view algorithm);

}  // namespace rondo::tool
