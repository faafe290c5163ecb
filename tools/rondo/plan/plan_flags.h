#pragma once

// What `rondo plan` is asked.

#include <string>
#include <string_view>

#include "rondo/plan.h"

namespace rondo::tool {

/// As they are typed.
struct PlanFlags {
  std::string collective;
  int ranks = 0;      ///< 0: not given
  std::string hosts;  ///< "2x4": hosts x ranks of each
  std::string network_path;
  std::string bytes = "1M";
  std::string type = "f32";
  int root = 0;
  std::string algorithm = "auto";
  bool deterministic = false;
  bool crossovers = false;
  bool print_network = false;
  int steps_of_rank = -1;
  std::string draw_path;
};

/// `network` is the text of the file, if one is named.
/// Throws UsageError: words that aren't understood, or that contradict each other.
PlanQuestion question_of(const PlanFlags& flags, std::string network);

/// The whole file. Throws UsageError where it can't be read or is longer than networks are.
std::string read_network(const std::string& path);

}  // namespace rondo::tool
