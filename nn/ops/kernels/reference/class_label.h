#pragma once

// The check of a row's class label, with the error that says which row of the batch is wrong.

#include <string>

#include "core/status.h"

namespace rondo::nn {

inline Status check_label(std::int64_t label, std::int64_t classes, std::int64_t row) {
  if (label >= 0 && label < classes) return {};
  return Status(ErrorCode::kInvalidArgument,
                "label " + std::to_string(label) + " in row " + std::to_string(row) +
                    " isn't a class: expected 0 to " + std::to_string(classes - 1));
}

}  // namespace rondo::nn
