#include "examples/custom_device/event.h"

#include <utility>

#include "examples/custom_device/patience.h"

namespace custom_cpu {
namespace {

void publish(Slot& slot, std::uint32_t record, bool whole) {
  if (!whole && slot.failed == 0) slot.failed = record;
  slot.reached.store(record, std::memory_order_release);
}

bool wait_for(const PeerBoard& board, std::uint32_t index, std::uint32_t record) {
  const Slot& slot = board.slot(index);
  const auto is_reached = [&] {
    return has_reached(slot.reached.load(std::memory_order_acquire), record);
  };
  if (!wait_until(is_reached, [&] { return !board.owner_lives(); })) return false;
  const std::uint32_t failed = slot.failed;
  return failed == 0 || !has_reached(record, failed);
}

}  // namespace

void Record::reach(bool whole) {
  const std::lock_guard lock(mutex_);
  reached_ = true;
  whole_ = whole;
  came_.notify_all();
}

bool Record::reached() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

bool Record::wait() const {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return reached_; });
  return whole_;
}

bool OwnEvent::reached() const {
  const auto record = latest();
  return record == nullptr || record->reached();
}

Waiter OwnEvent::waiter() const {
  return [record = latest()] { return record == nullptr || record->wait(); };
}

std::function<void(bool)> OwnEvent::begin_record() {
  const std::lock_guard lock(mutex_);
  latest_ = std::make_shared<Record>();
  if (lease_ == nullptr) return [record = latest_](bool whole) { record->reach(whole); };
  const std::uint32_t number = lease_->slot().recorded.fetch_add(1) + 1;
  return [record = latest_, lease = lease_, number](bool whole) {
    record->reach(whole);
    publish(lease->slot(), number, whole);
  };
}

std::optional<EventName> OwnEvent::share() {
  const std::lock_guard lock(mutex_);
  if (lease_ == nullptr) lease_ = Lease::take();
  if (lease_ == nullptr) return std::nullopt;
  return lease_->name();
}

std::shared_ptr<const Record> OwnEvent::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

bool PeerEvent::reached() const {
  const Slot& slot = board_->slot(slot_);
  return has_reached(slot.reached, slot.recorded);
}

Waiter PeerEvent::waiter() const {
  return [board = board_, slot = slot_, record = board_->slot(slot_).recorded.load()] {
    return wait_for(*board, slot, record);
  };
}

}  // namespace custom_cpu
