#include "transport/rendezvous/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "transport/rendezvous/byte_fields.h"

namespace rondo::rendezvous {
namespace {

constexpr std::size_t kMostListed = 16;

}  // namespace

std::string gathered_key(const std::string& key, int index) {
  return key + "/" + std::to_string(index);
}

std::vector<std::string> gathered_keys(const std::string& key, int world) {
  std::vector<std::string> keys;
  for (int index = 0; index < world; ++index) keys.push_back(gathered_key(key, index));
  return keys;
}

std::string world_key(const std::string& key) { return key + "/world"; }

std::vector<std::string> keys_to_remove(const std::string& key, int index) {
  if (index != 0) return {gathered_key(key, index)};
  return {gathered_key(key, index), world_key(key)};
}

std::string encode(const WorldClaim& claim) {
  return FieldWriter()
      .number(static_cast<std::uint32_t>(claim.world))
      .number(static_cast<std::uint32_t>(claim.index))
      .take();
}

WorldClaim decode_world_claim(const std::string& bytes) {
  FieldReader in(bytes);
  const auto world = static_cast<int>(in.number<std::uint32_t>());
  const auto index = static_cast<int>(in.number<std::uint32_t>());
  return in.done() ? WorldClaim{.world = world, .index = index} : WorldClaim{.index = kNoCulprit};
}

std::string list_of(const std::vector<int>& indices) {
  const auto shown = std::min(indices.size(), kMostListed);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i > 0 && i + 1 == indices.size();
    if (i > 0) text += last ? " and " : ", ";
    text += std::to_string(indices[i]);
  }
  if (shown < indices.size()) text += fmt::format(" and {} more", indices.size() - shown);
  return text;
}

Status not_all_came(const std::string& key, int world, const std::vector<int>& absent) {
  const char* verb = absent.size() == 1 ? "has" : "have";
  return Status(ErrorCode::kTimeout,
                fmt::format("process {} of {} {} not come to '{}' in time", list_of(absent), world,
                            verb, key),
                absent.empty() ? kNoCulprit : absent.front());
}

Status came_twice(const std::string& key, int index) {
  return Status(ErrorCode::kMismatch,
                fmt::format("process {0} has come to '{1}' already: two processes were started "
                            "with index {0}, or the name was used before; give every process its "
                            "own index and use a new name each time",
                            index, key),
                index);
}

Status worlds_differ(const std::string& key, const WorldClaim& first, const WorldClaim& own) {
  return Status(ErrorCode::kMismatch,
                fmt::format("process {} came to '{}' for a world of {} processes, but process {}, "
                            "which came first, for one of {}: start all of them with the same "
                            "number (RONDO_WORLD)",
                            own.index, key, own.world, first.index, first.world),
                own.index);
}

}  // namespace rondo::rendezvous
