#pragma once

// Where a data set lies: $RONDO_DATA, then ./data, then the data folder of the checkout that the
// running program was built in.

#include <string>
#include <vector>

#include "core/status.h"

namespace rondo::nn {

/// The folders that may hold sets, in the order in which they are searched.
std::vector<std::string> data_folders();

/// The folder `set` that holds `file`, in the first of `folders` that has it.
/// Errors: InvalidArgument (lists where it looked, and the command that fetches the set).
Result<std::string> locate_set(const std::string& set, const std::string& file,
                               const std::vector<std::string>& folders);

}  // namespace rondo::nn
