#pragma once

// The names of the RONDO_* variables, so that one that is misspelt doesn't pass in silence.
// Threads: any, as long as nobody changes the environment meanwhile.

#include <span>
#include <string>
#include <string_view>

namespace rondo {

/// What users and launchers set (docs/environment.md), and what programs read that come with Rondo.
std::span<const std::string_view> known_variables();

/// Those of an environment ("NAME=value", behind the last a null) that begin as Rondo's do and are
/// none, each with what may be meant: "RONDO_ALGORITHM (RONDO_ALGO?), RONDO_FOO".
std::string unknown_variables(const char* const* environment);

/// Warns of the process's own, the first time.
void warn_of_unknown_variables();

}  // namespace rondo
