#pragma once

// What the command line of recognize_digits says.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::examples {

struct Options {
  std::string data = "digits";
  int epochs = 0;         ///< 0: as many as suit the set
  std::size_t batch = 0;  ///< 0: as large as suits the set
  double learning_rate = 0.1;
  std::string optimizer = "momentum";
  double momentum = 0.9;
  std::vector<std::int64_t> hidden = {128};
  std::uint64_t seed = 1;
  std::string precision = "f32";
  std::string kernels = "auto";
  std::string loss_file;
  std::size_t steps = 0;  ///< 0: all steps of all epochs
  int places = 1;
};

/// What came of reading the command line. Where `exit_code` isn't negative, the program ends with
/// it after showing `text` (help, or what is wrong).
struct CommandLine {
  Options options;
  int exit_code = -1;
  std::string text;
};

CommandLine parse_command_line(int count, char** arguments);

}  // namespace rondo::examples
