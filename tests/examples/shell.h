#pragma once

// Runs the example as its users do: from a shell, alone or by a launcher.

#include <string>

namespace rondo::examples {

struct Outcome {
  int exit_code = 0;
  std::string output;  ///< stdout and stderr
};

Outcome shell(const std::string& command);

/// The command line of the example without a launcher, by `rondo run`, and by mpirun.
std::string alone(const std::string& arguments);
std::string by_rondo_run(int ranks, const std::string& arguments);
std::string by_mpirun(int ranks, const std::string& arguments);
bool have_mpirun();

}  // namespace rondo::examples
