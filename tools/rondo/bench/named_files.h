#pragma once

// What is wrong for every rank alike, looked for once before the ranks are started: it is one line,
// and not one of each rank. Threads: any.

#include <string>

#include "rondo/communicator.h"

namespace rondo::tool {

/// Those of RONDO_TUNING (where there are ranks enough to choose for), unless the command's own
/// flag --tuning has said something, and of RONDO_SCHEDULE. Errors: Error or FileError, with the
/// file, what named it and what is wrong.
void check_named_files(int ranks, const std::string& tuning_flag = {});

/// The options that so many ranks are going to have, and the variables for them, as far as they can
/// be found wrong without the world. Errors: as Communicator::create.
void check_options_of_ranks(int ranks, const CommunicatorOptions& options);

}  // namespace rondo::tool
