#pragma once

// What each algorithm costs, as the page says it and as numbers that are compared with the
// schedules themselves. S: bytes of the larger of one rank's buffers; p: ranks, one on each host.

#include <string_view>

namespace rondo::tool {

struct Formula {
  std::string_view collective;
  std::string_view algorithm;
  std::string_view messages;  ///< in a row: of the longest chain that wait for each other
  /// Negative where the words say nothing of such a p; null: not compared.
  double (*messages_of)(int p);
  std::string_view sent;     ///< most bytes that one rank sends
  double (*sent_of)(int p);  ///< in S; null: not compared
};

/// Null where there is none.
const Formula* formula_of(std::string_view collective, std::string_view algorithm);

}  // namespace rondo::tool
