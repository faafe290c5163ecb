#include "collectives/communicator/tuning_cache.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "collectives/communicator/tuning_world.h"
#include "core/environment.h"
#include "core/hash.h"

namespace rondo::communicator {
namespace {

std::optional<std::string> cache_folder() {
  if (auto folder = environment_text("RONDO_CACHE_DIR")) return folder;
  if (const auto folder = environment_text("XDG_CACHE_HOME")) return *folder + "/rondo";
  if (const auto home = environment_text("HOME")) return *home + "/.cache/rondo";
  return std::nullopt;
}

}  // namespace

Result<std::string> cached_tuning_path(std::string_view transport,
                                       std::span<const transport::RankInfo> ranks,
                                       std::size_t segment_bytes) {
  const auto folder = cache_folder();
  if (!folder.has_value()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the folder of caches is named by RONDO_CACHE_DIR, XDG_CACHE_HOME or HOME, and "
                  "none of them is set");
  }
  std::string hosts(transport);
  const std::vector<std::size_t> of_host = cores_of_hosts(ranks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    hosts +=
        fmt::format(";{}*{}/{}", ranks[rank].hostname, ranks[rank].cores.size(), of_host[rank]);
  if (segment_bytes != 0) hosts += fmt::format(";segments of {}", segment_bytes);
  // A number by what files of before lacked: they are measured anew.
  return fmt::format("{}/tuning5-{}-{:016x}.json", *folder, ranks.size(), fnv1a(hosts));
}

}  // namespace rondo::communicator
