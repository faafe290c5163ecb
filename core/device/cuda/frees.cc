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
  changed_.wait(lock, [this] { return !is_running_; });
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
  ++holds_;
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
  if (put_off_.empty()) return false;
  changed_.wait_for(lock, most, [this] { return put_off_.empty(); });
  return true;
}

bool CudaFrees::something_waits() {
  std::erase_if(awaited_, [](const auto& is_over) { return is_over(); });
  return holds_ != 0 || !awaited_.empty();
}

void CudaFrees::give_back(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  if (!something_waits()) return action();
  if (put_off_.empty()) put_off_since_ = std::chrono::steady_clock::now();
  put_off_.push_back(std::move(action));
  wake_thread();
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

void CudaFrees::give_all_back() {
  for (const auto& action : std::exchange(put_off_, {})) action();
  changed_.notify_all();
}

void CudaFrees::give_back_later() {
  // Nobody rings when what is awaited is over.
  constexpr std::chrono::milliseconds kShortest{5}, kLongest{200};
  auto nap = kShortest;
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    if (!something_waits()) give_all_back();
    if (awaited_.empty() && put_off_.empty()) break;
    if (awaited_.empty())
      changed_.wait(lock);
    else
      changed_.wait_for(lock, nap = std::min(2 * nap, kLongest));
  }
  if (!something_waits()) give_all_back();
  is_running_ = false;
  changed_.notify_all();
}

}  // namespace rondo::device
