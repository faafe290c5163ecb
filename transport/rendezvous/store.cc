#include "transport/rendezvous/store.h"

#include "transport/rendezvous/gather.h"

namespace rondo::rendezvous {
namespace {

/// The first to come to `key` says how large the world is; who says otherwise hears it at once
/// rather than wait for processes that nobody starts.
Status agree_on_world(Store& store, const std::string& key, int index, int world) {
  const WorldClaim own{.world = world, .index = index};
  RONDO_ASSIGN(const std::string held,
               store.compare_set(world_key(key), std::nullopt, encode(own)));
  const WorldClaim first = decode_world_claim(held);
  if (first.world == world) return {};
  return worlds_differ(key, first, own);
}

}  // namespace

Result<std::vector<std::string>> Store::all_gather(const std::string& key, int index, int world,
                                                   const std::string& value, Deadline deadline) {
  RONDO_TRY(agree_on_world(*this, key, index, world));
  RONDO_ASSIGN(const std::string held, compare_set(gathered_key(key, index), std::nullopt, value));
  if (held != value) return came_twice(key, index);
  const auto keys = gathered_keys(key, world);
  auto values = wait(keys, deadline);
  if (values.ok() || values.status().code() != ErrorCode::kTimeout) return values;
  RONDO_ASSIGN(const std::vector<int> absent, missing(key, world));
  if (absent.empty()) return wait(keys, deadline);  // the last one came just now
  return not_all_came(key, world, absent);
}

Result<std::vector<int>> Store::missing(const std::string& key, int world) {
  std::vector<int> absent;
  for (int index = 0; index < world; ++index) {
    RONDO_ASSIGN(const std::optional<std::string> value, get(gathered_key(key, index)));
    if (!value) absent.push_back(index);
  }
  return absent;
}

}  // namespace rondo::rendezvous
