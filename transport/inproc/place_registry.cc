#include "transport/inproc/place_registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace rondo::transport {

PlaceRegistry& PlaceRegistry::instance() {
  static auto& registry = *new PlaceRegistry;
  return registry;
}

Status PlaceRegistry::add(const std::shared_ptr<InprocPlace>& place) {
  const Identity& identity = place->identity();
  const std::lock_guard lock(mutex_);
  if (!places_.emplace(key_of(identity, identity.rank), place).second)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} of epoch {} has a place in this process already",
                              identity.rank, identity.epoch));
  return {};
}

void PlaceRegistry::remove(const InprocPlace& place) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key_of(place.identity(), place.identity().rank));
  if (found != places_.end() && found->second.get() == &place) places_.erase(found);
}

Result<std::vector<std::shared_ptr<InprocPlace>>> PlaceRegistry::join(
    const std::shared_ptr<InprocPlace>& place, std::span<const int> peers, Deadline deadline,
    const Look& look) {
  std::unique_lock lock(mutex_);
  for (const int peer : peers) place->add_channel(peer);
  join_present(place, peers);
  changed_.notify_all();
  const auto is_missing = [&](int peer) { return place->joined(peer) == nullptr; };
  const auto all_are_there = [&] { return std::ranges::none_of(peers, is_missing); };
  Lookout lookout(look);
  Status seen;
  while (seen.ok() && !changed_.wait_until(lock, lookout.next(deadline), all_are_there) &&
         std::chrono::steady_clock::now() < deadline) {
    lock.unlock();
    seen = lookout.look();
    lock.lock();
  }

  // Taken out in any case: places that hold each other would never be freed.
  std::vector<std::shared_ptr<InprocPlace>> joined;
  std::vector<int> missing;
  for (const int peer : peers) {
    joined.push_back(std::exchange(place->joined(peer), nullptr));
    if (joined.back() == nullptr) missing.push_back(peer);
  }
  if (missing.empty()) return joined;
  RONDO_TRY(seen);
  return Status(
      ErrorCode::kTimeout,
      fmt::format("rank {} waited for rank{} {} of the same process: not there in time",
                  place->identity().rank, missing.size() > 1 ? "s" : "", fmt::join(missing, ", ")),
      missing.front());
}

void PlaceRegistry::join_present(const std::shared_ptr<InprocPlace>& place,
                                 std::span<const int> peers) {
  const Identity& identity = place->identity();
  for (const int peer : peers) {
    const auto found = places_.find(key_of(identity, peer));
    if (found == places_.end() || found->second->channel(identity.rank) == nullptr) continue;
    place->joined(peer) = found->second;
    found->second->joined(identity.rank) = place;
  }
}

}  // namespace rondo::transport
