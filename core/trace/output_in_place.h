#pragma once

// Outputs that are written where they are, as no file may be put in their place: devices, pipes,
// sockets, and what this program's own output goes to, by its name in /dev or by that of the file
// that a shell has led it to. Threads: any.

#include <cstdio>
#include <string>
#include <string_view>

#include "core/unique_fd.h"

namespace rondo::trace {

struct OutputInPlace {
  /// That `path` leads to such an output; otherwise to a file or a folder, or nothing is there yet.
  bool is_one = false;
  int error = 0;  ///< errno: why it can't be opened; ENXIO: a pipe that nobody reads
  UniqueFd file{};
  std::FILE* stream = nullptr;  ///< of this program's own, whose text goes first; null: of another
};

/// Opens what `path` leads to, if it is one. Doesn't wait for a pipe's reader.
OutputInPlace open_in_place(const std::string& path);

/// Behind what is there. Where a pipe's reader has gone that is an error, and doesn't end the
/// process. 0, or errno.
int write_in_place(const OutputInPlace& output, std::string_view text);

}  // namespace rondo::trace
