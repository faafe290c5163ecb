#include "examples/custom_device/meeting.h"

#include <map>

namespace custom_cpu {

std::shared_ptr<Meeting> Meeting::of(unsigned number, int world) {
  static std::mutex mutex;
  static auto& meetings = *new std::map<unsigned, std::weak_ptr<Meeting>>();
  const std::lock_guard lock(mutex);
  std::shared_ptr<Meeting> meeting = meetings[number].lock();
  if (meeting == nullptr) {
    meeting = std::make_shared<Meeting>(world);
    meetings[number] = meeting;
  }
  return meeting;
}

void Meeting::lay_down(int rank, Share share) {
  const std::lock_guard lock(mutex_);
  shares_[static_cast<std::size_t>(rank)] = share;
}

bool Meeting::wait_for_all() {
  std::unique_lock lock(mutex_);
  const unsigned turn = turns_;
  if (++waiting_ == shares_.size()) {
    waiting_ = 0;
    ++turns_;
    came_.notify_all();
  }
  came_.wait(lock, [&] { return turns_ != turn || given_up_; });
  return !given_up_;
}

void Meeting::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  came_.notify_all();
}

}  // namespace custom_cpu
