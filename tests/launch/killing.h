#pragma once

// Worlds whose rank 2 kills itself, or stops: what all others say of it.

#include <string>

namespace rondo::launch {

/// The command that starts so many ranks of rank_program.
std::string rondo_run(int ranks, const std::string& arguments);

struct Killing {
  const char* name;
  std::string variables;  ///< of the environment, with their values
  const char* arguments;  ///< of rank_program
};

/// Rank 2 of four is killed; all others name it within the two seconds that are promised, and leave
/// nothing in shared memory.
void expect_others_name_the_killed(const Killing& killing);

/// Rank 2 of three stands still; the others' calls end soon after the deadline.
void expect_others_notice_the_stopped(const std::string& variables);

}  // namespace rondo::launch
