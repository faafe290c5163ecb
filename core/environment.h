#pragma once

// RONDO_* variables, read typed: an unset or empty variable gives the fallback, a value that can't
// be understood is InvalidArgument naming the variable, its value and what is allowed.
// Threads: any, as long as nobody changes the environment meanwhile.

#include <cstdint>
#include <optional>
#include <string>

#include "core/status.h"

namespace rondo {

/// The value, or nothing where the variable is unset or empty.
std::optional<std::string> environment_text(const char* name);

struct IntegerRange {
  std::int64_t lowest;
  std::int64_t highest;
};

/// A decimal integer within `range`, ends included.
Result<std::int64_t> environment_integer(const char* name, std::int64_t fallback,
                                         IntegerRange range);

/// 1, on, true, yes; 0, off, false, no.
Result<bool> environment_flag(const char* name, bool fallback);

}  // namespace rondo
