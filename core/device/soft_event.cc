#include "core/device/soft_event.h"

#include <chrono>
#include <utility>

#include "core/bell.h"

namespace rondo::device {

void Completion::finish(const Status& outcome) {
  std::vector<std::function<void(const Status&)>> callbacks;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    outcome_ = outcome;
    callbacks.swap(callbacks_);
    reached_.notify_all();
  }
  for (const auto& callback : callbacks) callback(outcome);
}

void Completion::when_done(std::function<void(const Status&)> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!done_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(outcome_);
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

Status SoftEvent::ring_when_reached(const std::shared_ptr<Bell>& bell) const {
  when_reached([bell](const Status& /*outcome*/) { bell->ring(); });
  return {};
}

std::shared_ptr<Completion> SoftEvent::begin_record() {
  const std::lock_guard lock(mutex_);
  latest_ = std::make_shared<Completion>();
  return latest_;
}

void SoftEvent::when_reached(std::function<void(const Status&)> callback) const {
  if (const auto record = latest()) return record->when_done(std::move(callback));
  callback({});
}

std::shared_ptr<Completion> SoftEvent::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace rondo::device
