// Learns to read handwritten digits: the whole way from files to a judged model, on one rank or on
// many. Start it alone, by `rondo run -n 4 -- recognize_digits`, or by mpirun.

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "examples/recognize_digits/job.h"
#include "examples/recognize_digits/options.h"
#include "examples/recognize_digits/world.h"

namespace {

namespace examples = rondo::examples;

constexpr int kFailure = 1;

int run(const examples::CommandLine& line) {
  // Every rank reads the same command line; what is to be said about it, rank 0 says.
  const bool ends_here = line.exit_code >= 0;
  examples::World world(ends_here ? 1 : line.options.places);
  if (!ends_here) return examples::run_job(line.options, world);
  if (world.prints()) std::fputs(line.text.c_str(), line.exit_code == 0 ? stdout : stderr);
  return line.exit_code;
}

/// A report that a full disk has swallowed is no success.
int code_after_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("recognize_digits: can't write to standard output\n", stderr);
  return code == 0 ? kFailure : code;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return code_after_output(run(examples::parse_command_line(count, arguments)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "recognize_digits: {}\n", error.what());
    return kFailure;
  }
}
