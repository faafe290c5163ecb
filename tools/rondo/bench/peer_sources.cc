#include "tools/rondo/bench/peer_sources.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "rondo/version.h"
#include "tools/rondo/bench/local_ranks.h"

namespace rondo::tool {
namespace {

namespace fs = std::filesystem;

/// That of /usr, or of whatever folder all of Rondo is installed in.
fs::path prefix() { return fs::path(own_program()).parent_path().parent_path(); }

bool is_in_tree(const fs::path& script) {
  return script.parent_path() == fs::path(RONDO_PEERS_SOURCE);
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_in_path(const char* program) {
  std::istringstream folders(variable("PATH"));
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// As of the tunings that are measured. Errors: std::runtime_error.
fs::path cache_folder() {
  if (fs::path folder = variable("RONDO_CACHE_DIR"); !folder.empty()) return folder;
  if (const fs::path folder = variable("XDG_CACHE_HOME"); !folder.empty()) return folder / "rondo";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache/rondo";
  throw std::runtime_error(
      "there is no folder to compile the loops into: RONDO_CACHE_DIR, XDG_CACHE_HOME or HOME names "
      "it, and none of them is set");
}

}  // namespace

std::string peers_script() {
  // An installed program takes its own before those of a tree that happens to lie where it was
  // built.
  const std::vector<fs::path> possible = {prefix() / "share/rondo/peers/ratios",
                                          fs::path(RONDO_PEERS_SOURCE) / "ratios"};
  for (const fs::path& script : possible) {
    if (access(script.c_str(), X_OK) == 0) return script.string();
  }
  throw std::runtime_error(
      fmt::format("the loops through other libraries aren't here: neither {} nor {} can be run",
                  possible.front().string(), possible.back().string()));
}

fs::path peers_include(const fs::path& script) {
  const std::string given = variable("RONDO_PEERS_INCLUDE");
  if (!given.empty()) return given;
  if (!is_in_tree(script)) return prefix() / "include";
  return fs::path(RONDO_PEERS_SOURCE).parent_path().parent_path() / "include";
}

/// Each installed Rondo has loops of its own: they are compiled for its version, and find its
/// library where it lay then.
fs::path peers_build(const fs::path& script) {
  const std::string given = variable("RONDO_PEERS_BUILD");
  if (!given.empty()) return given;
  if (is_in_tree(script)) return prefix() / "peers";
  std::string installed = version() + prefix().string();
  std::ranges::replace(installed, '/', '%');
  return cache_folder() / "peers" / installed;
}

void check_loops_compile(const fs::path& include) {
  std::string missing;
  if (!fs::exists(include / "rondo/communicator.h"))
    missing = fmt::format(
        "Rondo's headers in {} (package librondo-dev, or RONDO_PEERS_INCLUDE names their folder)",
        include.string());
  if (!is_in_path("c++")) {
    if (!missing.empty()) missing += " and ";
    missing += "a C++ compiler, c++, in PATH (package g++)";
  }
  if (missing.empty()) return;
  throw std::runtime_error(
      fmt::format("the loops are compiled on the machine that is measured; missing: {}", missing));
}

}  // namespace rondo::tool
