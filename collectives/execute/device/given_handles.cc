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
  if (!peers_[peer].memory.try_emplace(memory.allocation, memory).second) return;
  driver_.keep(memory);
  has_new_ = true;
}

void GivenHandles::find_freed() {
  const std::uint64_t frees = driver_.frees();
  // What others free nobody counts: it is looked for where new memory came, too.
  if (frees == frees_seen_ && !has_new_) return;
  frees_seen_ = frees;
  has_new_ = false;
  for (auto& [rank, peer] : peers_) {
    std::erase_if(peer.memory, [this, &gone = peer.gone](const auto& given) {
      if (driver_.lives(given.second)) return false;
      gone.push_back(given.second);
      return true;
    });
  }
}

void GivenHandles::take_back(std::span<const int> peers,
                             std::span<const device::SharedHandle> events) {
  const std::lock_guard lock(mutex_);
  for (const int peer : peers) {
    std::vector<device::SharedHandle>& gone = taken_back_[peer];
    gone.insert(gone.end(), events.begin(), events.end());
  }
  has_taken_back_.store(true, std::memory_order_release);
}

void GivenHandles::next_for(int peer, std::vector<GoneHandle>& gone) {
  gone.clear();
  collect_taken_back();
  const auto found = peers_.find(peer);
  if (found == peers_.end() || found->second.gone.empty()) return;
  std::vector<device::SharedHandle>& all = found->second.gone;
  const auto first = all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), kMostAtOnce));
  std::transform(first, all.end(), std::back_inserter(gone), gone_handle);
  found->second.told.insert(found->second.told.end(), first, all.end());
  all.erase(first, all.end());
}

void GivenHandles::confirm(int peer, std::uint64_t closed) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  Peer& own = found->second;
  for (; own.confirmed < closed && !own.told.empty(); ++own.confirmed) {
    let_go(own.told.front());
    own.told.pop_front();
  }
}

void GivenHandles::let_all_go() {
  for (auto& [rank, peer] : std::exchange(peers_, {})) {
    for (const auto& [number, memory] : peer.memory) let_go(memory);
    for (const device::SharedHandle& handle : peer.gone) let_go(handle);
    for (const device::SharedHandle& handle : peer.told) let_go(handle);
  }
}

void GivenHandles::let_go(const device::SharedHandle& handle) {
  if (handle.what == device::SharedKind::kMemory) driver_.let_go(handle);
}

void GivenHandles::collect_taken_back() {
  if (!has_taken_back_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  for (auto& [rank, events] : taken_back_) {
    std::vector<device::SharedHandle>& gone = peers_[rank].gone;
    gone.insert(gone.end(), events.begin(), events.end());
  }
  taken_back_.clear();
  has_taken_back_.store(false, std::memory_order_relaxed);
}

}  // namespace rondo::execute
