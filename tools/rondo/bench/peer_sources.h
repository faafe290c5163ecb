#pragma once

// Where the loops through other libraries lie (bench/peers), and what it takes to compile them.
// Threads: one at a time.

#include <filesystem>
#include <string>

namespace rondo::tool {

/// Their script: installed beside this program, or in the tree that it was built in. Errors:
/// std::runtime_error, saying where it was looked for.
std::string peers_script();

/// Rondo's headers, for the loops of that script; RONDO_PEERS_INCLUDE where it is set.
std::filesystem::path peers_include(const std::filesystem::path& script);
/// Where they are compiled to, once: RONDO_PEERS_BUILD where it is set; beside the programs of a
/// build; or in the folder of caches (RONDO_CACHE_DIR, XDG_CACHE_HOME/rondo, HOME/.cache/rondo).
/// Errors: std::runtime_error (nothing names a folder).
std::filesystem::path peers_build(const std::filesystem::path& script);

/// That there are Rondo's headers in `include` and a C++ compiler. Errors: std::runtime_error,
/// naming each that is missing and its package.
void check_loops_compile(const std::filesystem::path& include);

}  // namespace rondo::tool
