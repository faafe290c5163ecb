#pragma once

#include "loop.h"

namespace bench {

/// Runs a call once and looks at its result: libraries whose results differ are not to be compared.
/// Errors: std::runtime_error.
void check(World& world, const std::string& name, const World::Call& call, const Data& data);

}  // namespace bench
