#include "tools/rondo/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

int first_output_error = 0;  // as stdout itself, the program's one

}  // namespace

void write_output(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && first_output_error == 0) first_output_error = errno;
}

int exit_code_after_output(int code) {
  if (first_output_error == 0) return code;
  fmt::print(stderr, "rondo: can't write to standard output: {}\n",
             std::strerror(first_output_error));
  return code == 0 ? kExitFailure : code;
}

}  // namespace rondo::tool
