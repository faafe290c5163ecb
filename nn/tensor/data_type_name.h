#pragma once

// From a data type's printed name back to the type: attributes of ops hold types by name, so that
// listings of programs read well.

#include <string_view>

#include "core/status.h"
#include "rondo/types.h"

namespace rondo::nn {

Result<DataType> data_type_from(std::string_view name);

}  // namespace rondo::nn
