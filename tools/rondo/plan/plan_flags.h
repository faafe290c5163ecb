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
  std::string tuning_path;
  std::string bytes = "1M";
  std::string type = "f32";
  int root = 0;
  std::string algorithm = "auto";
  bool deterministic = false;
  std::string buffers = "malloc";
  bool crossovers = false;
  bool print_network = false;
  bool print_schedule = false;
  std::string schedule_path;
  int steps_of_rank = -1;
  int links = 12;  ///< so many of the chosen one's are shown; 0: all
  std::string draw_path;
  std::string run_path;  ///< of what `rondo bench --json` has written
};

/// Reads the files that are named. Throws UsageError: words that aren't understood, or that
/// contradict each other; files that can't be read.
PlanQuestion question_of(const PlanFlags& flags);

/// Whether the flags say which world it is, or bring a schedule for one.
bool describe_world(const PlanFlags& flags);
/// The world and the schedule alone; where neither ranks nor a file says how large it is,
/// `ranks_otherwise` on one host. Throws as question_of.
PlanQuestion world_of(const PlanFlags& flags, int ranks_otherwise);

/// The whole file, or what comes out of a pipe. Throws UsageError, beginning with `flag`, where it
/// can't be read or is longer than such files are.
std::string read_text(std::string_view flag, const std::string& path);

}  // namespace rondo::tool
