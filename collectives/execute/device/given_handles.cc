#include "collectives/execute/device/given_handles.h"

#include <algorithm>
#include <utility>

namespace rondo::execute {
namespace {

GoneHandle gone_handle(const device::SharedHandle& handle) {
  return {.number = handle.allocation, .process = handle.process, .what = handle.what};
}

}  // namespace

void GivenHandles::give(int peer, const device::SharedHandle& memory) {
  if (memory.allocation == 0) return;  // there is none
  const bool is_new = peers_[peer].memory.try_emplace(memory.allocation, memory).second;
  has_new_ = has_new_ || is_new;
}

void GivenHandles::find_freed(device::DeviceDriver& driver) {
  const std::uint64_t frees = driver.frees();
  // What others free nobody counts: it is looked for where new memory came, too.
  if (frees == frees_seen_ && !has_new_) return;
  frees_seen_ = frees;
  has_new_ = false;
  for (auto& [rank, peer] : peers_) {
    std::erase_if(peer.memory, [&driver, &gone = peer.gone](const auto& given) {
      if (driver.lives(given.second)) return false;
      gone.push_back(gone_handle(given.second));
      return true;
    });
  }
}

void GivenHandles::take_back(std::span<const int> peers,
                             std::span<const device::SharedHandle> events) {
  const std::lock_guard lock(mutex_);
  for (const int peer : peers) {
    std::vector<GoneHandle>& gone = taken_back_[peer];
    std::ranges::transform(events, std::back_inserter(gone), gone_handle);
  }
  has_taken_back_.store(true, std::memory_order_release);
}

void GivenHandles::next_for(int peer, std::vector<GoneHandle>& gone) {
  gone.clear();
  collect_taken_back();
  const auto found = peers_.find(peer);
  if (found == peers_.end() || found->second.gone.empty()) return;
  std::vector<GoneHandle>& all = found->second.gone;
  const auto first = all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), kMostAtOnce));
  gone.assign(first, all.end());
  all.erase(first, all.end());
}

void GivenHandles::collect_taken_back() {
  if (!has_taken_back_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  for (auto& [rank, events] : taken_back_) {
    std::vector<GoneHandle>& gone = peers_[rank].gone;
    gone.insert(gone.end(), events.begin(), events.end());
  }
  taken_back_.clear();
  has_taken_back_.store(false, std::memory_order_relaxed);
}

}  // namespace rondo::execute
