#include "core/device/cuda/exports.h"

#include <system_error>
#include <utility>

namespace rondo::device {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void CudaExports::keep(const SharedHandle& memory) {
  const std::lock_guard lock(mutex_);
  ++kept_[{memory.base, memory.allocation}].by;
}

void CudaExports::let_go(const SharedHandle& memory) {
  GiveBack give_back;
  {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find({memory.base, memory.allocation});
    if (found == kept_.end() || --found->second.by > 0) return;
    give_back = std::move(found->second.give_back);
    if (give_back) --freed_;
    kept_.erase(found);
  }
  if (give_back) give_back();
}

bool CudaExports::put_off(std::uint64_t base, std::uint64_t allocation, GiveBack give_back) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find({base, allocation});
  if (found == kept_.end()) return false;
  if (found->second.give_back) return true;  // freed twice
  found->second.give_back = std::move(give_back);
  found->second.freed_at = Clock::now();
  ++freed_;
  watch();
  return true;
}

void CudaExports::watch() {
  changed_.notify_all();
  if (thread_.joinable()) return;
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { give_back_old(stop); });
  } catch (const std::system_error&) {
    // It stays until peers have closed it, or memory runs out.
  }
}

void CudaExports::give_back_old(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return freed_ > 0; })) {
    changed_.wait_for(lock, stop, longest_ / 10, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    give_back(longest_);
    lock.lock();
  }
}

bool CudaExports::is_freed(std::uint64_t base, std::uint64_t allocation) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find({base, allocation});
  return found != kept_.end() && found->second.give_back;
}

bool CudaExports::give_back(std::chrono::milliseconds ago) {
  std::vector<GiveBack> actions;
  {
    const std::lock_guard lock(mutex_);
    if (freed_ == 0) return false;
    const auto latest = Clock::now() - ago;
    for (auto& [memory, kept] : kept_) {
      if (!kept.give_back || kept.freed_at > latest) continue;
      actions.push_back(std::exchange(kept.give_back, nullptr));
    }
    freed_ -= static_cast<int>(actions.size());
  }
  for (const GiveBack& action : actions) action();
  return !actions.empty();
}

}  // namespace rondo::device
