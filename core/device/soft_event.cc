#include "core/device/soft_event.h"

#include <chrono>

namespace rondo::device {

void Completion::finish(const Status& outcome) {
  const std::lock_guard lock(mutex_);
  done_ = true;
  outcome_ = outcome;
  reached_.notify_all();
}

bool Completion::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

Status Completion::wait(const detail::Abandoned& abandoned) const {
  constexpr auto kLookPeriod = std::chrono::milliseconds(10);
  std::unique_lock lock(mutex_);
  while (!reached_.wait_for(lock, kLookPeriod, [this] { return done_; })) {
    if (abandoned.load(std::memory_order_relaxed)) return given_up();
  }
  return outcome_;
}

Status given_up() { return Status(ErrorCode::kCancelled, "work in a stream was given up"); }

bool SoftEvent::done() const {
  const auto record = latest();
  return record == nullptr || record->done();
}

detail::EventWaiter SoftEvent::waiter() const {
  return [record = latest()](const detail::Abandoned& abandoned) {
    return record == nullptr ? Status() : record->wait(abandoned);
  };
}

std::shared_ptr<Completion> SoftEvent::begin_record() {
  const std::lock_guard lock(mutex_);
  latest_ = std::make_shared<Completion>();
  return latest_;
}

std::shared_ptr<const Completion> SoftEvent::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace rondo::device
