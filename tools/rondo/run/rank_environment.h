#pragma once

// The environment that a rank starts with: this program's, and where the rank belongs.
// Pure; thread-safe.

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::tool {

struct WorldPlan {
  int ranks = 1;
  std::uint64_t job = 0;      ///< random: keeps jobs on one machine apart
  std::string store_address;  ///< host:port
  int store_fd = -1;          ///< its listening socket, which rank 0 inherits
};

/// `inherited` as NAME=value, with the variables of another `rondo run` replaced.
std::vector<std::string> rank_environment(const std::vector<std::string>& inherited,
                                          const WorldPlan& world, int rank);

}  // namespace rondo::tool
