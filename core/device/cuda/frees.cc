#include "core/device/cuda/frees.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

namespace rondo::device {

CudaFrees::~CudaFrees() {
  std::unique_lock lock(mutex_);
  is_closing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !is_running_ && givers_.empty(); });
}

// Calls that overlap, one begun before the other ends, would put it off for ever: now and then
// whoever comes waits a little for those that are under way, but not for one that may wait for him.
CudaFrees::Hold CudaFrees::hold() {
  constexpr auto kLongEnough = std::chrono::milliseconds(100);
  constexpr auto kAtMost = std::chrono::milliseconds(2);
  std::unique_lock lock(mutex_);
  const bool can_end = !put_off_.empty() && awaited_.empty();
  if (can_end && std::chrono::steady_clock::now() - put_off_since_ > kLongEnough) {
    changed_.wait_for(lock, kAtMost, [this] { return put_off_.empty(); });
    put_off_since_ = std::chrono::steady_clock::now();
  }
  ++holds_;  // nobody else begins to give anything back
  changed_.wait(lock, [this] { return !others_give(); });
  return Hold(this, [](void* frees) { static_cast<CudaFrees*>(frees)->release(); });
}

void CudaFrees::release() {
  const std::lock_guard lock(mutex_);
  if (--holds_ == 0 && !put_off_.empty()) wake_thread();
}

void CudaFrees::hold_until(std::function<bool()> is_over) {
  const std::lock_guard lock(mutex_);
  awaited_.push_back(std::move(is_over));
  if (something_waits()) wake_thread();
}

bool CudaFrees::wait_for_put_off(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  const auto is_done = [this] { return put_off_.empty() && !others_give(); };
  if (is_done()) return false;
  changed_.wait_for(lock, most, is_done);
  return true;
}

bool CudaFrees::is_giver() const {
  return std::ranges::find(givers_, std::this_thread::get_id()) != givers_.end();
}

bool CudaFrees::something_waits() {
  std::erase_if(awaited_, [](const auto& is_over) { return is_over(); });
  return holds_ != 0 || !awaited_.empty();
}

void CudaFrees::give_back(std::function<void()> action) {
  std::unique_lock lock(mutex_);
  if (is_giver()) {
    lock.unlock();
    return action();
  }
  if (something_waits()) {
    if (put_off_.empty()) put_off_since_ = std::chrono::steady_clock::now();
    put_off_.push_back(std::move(action));
    return wake_thread();
  }
  if (!put_off_.empty()) wake_thread();
  std::vector<std::function<void()>> own;
  own.push_back(std::move(action));
  give(lock, std::move(own));
}

void CudaFrees::wake_thread() {
  changed_.notify_all();
  if (std::exchange(is_running_, true)) return;
  try {
    std::thread([this] { give_back_later(); }).detach();  // whoever destroys this waits for it
  } catch (const std::system_error&) {
    is_running_ = false;  // what is put off is given back by a later one
  }
}

/// Nothing waits, nor comes to wait meanwhile: whoever wants a hold waits for this.
void CudaFrees::give(std::unique_lock<std::mutex>& lock,
                     std::vector<std::function<void()>> actions) {
  const auto own = std::this_thread::get_id();
  givers_.push_back(own);
  lock.unlock();
  for (const auto& action : actions) action();
  actions.clear();  // what they hold may give more back
  lock.lock();
  std::erase(givers_, own);
  changed_.notify_all();
}

void CudaFrees::give_put_off(std::unique_lock<std::mutex>& lock) {
  // Asked first in any case: what isn't awaited any more is forgotten.
  while (!something_waits() && !put_off_.empty()) give(lock, std::exchange(put_off_, {}));
}

void CudaFrees::give_back_later() {
  // Nobody rings when what is awaited is over.
  constexpr std::chrono::milliseconds kShortest{5}, kLongest{200};
  auto nap = kShortest;
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    give_put_off(lock);
    if (awaited_.empty() && put_off_.empty()) break;
    if (awaited_.empty())
      changed_.wait(lock);
    else
      changed_.wait_for(lock, nap = std::min(2 * nap, kLongest));
  }
  give_put_off(lock);
  is_running_ = false;
  changed_.notify_all();
}

}  // namespace rondo::device
