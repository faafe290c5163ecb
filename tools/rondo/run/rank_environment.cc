#include "tools/rondo/run/rank_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rondo::tool {
namespace {

constexpr std::array<std::string_view, 7> kOwnVariables = {
    "RONDO_RANK", "RONDO_WORLD",    "RONDO_LOCAL_RANK", "RONDO_LOCAL_WORLD",
    "RONDO_JOB",  "RONDO_STORE_FD", "RONDO_STORE"};

bool is_own(const std::string& variable) {
  const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
  return std::ranges::find(kOwnVariables, name) != kOwnVariables.end();
}

}  // namespace

std::vector<std::string> rank_environment(const std::vector<std::string>& inherited,
                                          const WorldPlan& world, int rank) {
  std::vector<std::string> environment;
  std::ranges::remove_copy_if(inherited, std::back_inserter(environment), is_own);
  environment.push_back(fmt::format("RONDO_RANK={}", rank));
  environment.push_back(fmt::format("RONDO_WORLD={}", world.ranks));
  environment.push_back(fmt::format("RONDO_LOCAL_RANK={}", rank));
  environment.push_back(fmt::format("RONDO_LOCAL_WORLD={}", world.ranks));
  environment.push_back(fmt::format("RONDO_JOB={:016x}", world.job));
  environment.push_back("RONDO_STORE=" + world.store_address);
  if (rank == 0) environment.push_back(fmt::format("RONDO_STORE_FD={}", world.store_fd));
  return environment;
}

}  // namespace rondo::tool
