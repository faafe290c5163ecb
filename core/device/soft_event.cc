#include "core/device/soft_event.h"

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

Status Completion::wait() const {
  std::unique_lock lock(mutex_);
  reached_.wait(lock, [this] { return done_; });
  return outcome_;
}

bool SoftEvent::done() const {
  const auto record = latest();
  return record == nullptr || record->done();
}

std::function<Status()> SoftEvent::waiter() const {
  return [record = latest()] { return record == nullptr ? Status() : record->wait(); };
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
