#pragma once

// The files that variables name for every rank, read once before the ranks are started: a broken
// one is one line, and not one of each rank. Threads: any.

#include <string>

namespace rondo::tool {

/// Those of RONDO_TUNING (where there are ranks enough to choose for), unless the command's own
/// flag --tuning has said something, and of RONDO_SCHEDULE. Errors: Error or FileError, with the
/// file, what named it and what is wrong.
void check_named_files(int ranks, const std::string& tuning_flag = {});

}  // namespace rondo::tool
