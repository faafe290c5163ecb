#pragma once

// Where a data set lies: $RONDO_DATA, then ./data, then the data folder of the checkout that the
// running program was built in.

#include <string>
#include <vector>

#include "core/status.h"

namespace rondo::nn {

/// The folders that may hold sets, in the order in which they are searched.
std::vector<std::string> data_folders();

/// A set that has a name.
struct NamedSet {
  const char* name;  ///< and that of its folder
  const char* file;  ///< one that is there where the set is
  bool is_fetched;   ///< by scripts/data; else its user brings it
};

/// The folder `set` that holds its file, in the first of `folders` that has it.
/// Errors: InvalidArgument (lists where it looked, and says how to get the set).
Result<std::string> locate_set(const NamedSet& set, const std::vector<std::string>& folders);

}  // namespace rondo::nn
