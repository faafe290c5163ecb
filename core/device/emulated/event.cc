#include "core/device/emulated/event.h"

#include <chrono>
#include <utility>

#include "core/device/emulated/handle.h"
#include "core/futex.h"

namespace rondo::device {
namespace {

/// How often who waits looks whether the process that it waits for still lives.
constexpr auto kLookPeriod = std::chrono::milliseconds(20);

/// Counters of records run on for ever; one is reached where the other isn't behind it.
bool has_reached(std::uint32_t reached, std::uint32_t record) {
  return static_cast<std::int32_t>(reached - record) >= 0;
}

Status wait_for(const PeerBoard& board, std::uint32_t index, std::uint32_t record,
                const std::string& name, const detail::Abandoned& abandoned) {
  const EventSlot& slot = board.slot(index);
  for (;;) {
    const std::uint32_t reached = slot.reached.load(std::memory_order_acquire);
    if (has_reached(reached, record)) break;
    if (abandoned.load(std::memory_order_relaxed)) return given_up();
    futex_wait_shared(slot.reached, reached, kLookPeriod);
    if (!board.owner_lives() &&
        !has_reached(slot.reached.load(std::memory_order_acquire), record)) {
      return Status(ErrorCode::kDevice, name + " will never be reached: that process has ended");
    }
  }
  const std::uint32_t failed = slot.failed.load(std::memory_order_acquire);
  if (failed == 0 || !has_reached(record, failed)) return {};
  return Status(ErrorCode::kDevice, "the stream that was to reach " + name + " failed",
                slot.culprit.load(std::memory_order_relaxed));
}

}  // namespace

EmulatedEvent::Lease::Lease(std::shared_ptr<EventBoard> lent, std::uint32_t number)
    : board(std::move(lent)), index(number) {}

std::function<void(const Status&)> EmulatedEvent::begin_record() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Completion> completion = event_.begin_record();
  if (lease_ == nullptr) {
    return [completion = std::move(completion)](const Status& outcome) {
      completion->finish(outcome);
    };
  }
  EventSlot& slot = lease_->board->slot(lease_->index);
  const std::uint32_t record = slot.recorded.fetch_add(1, std::memory_order_acq_rel) + 1;
  return [completion = std::move(completion), lease = lease_, record](const Status& outcome) {
    completion->finish(outcome);
    publish(lease->board->slot(lease->index), record, outcome);
  };
}

void EmulatedEvent::publish(EventSlot& slot, std::uint32_t record, const Status& outcome) {
  if (!outcome.ok() && slot.failed.load(std::memory_order_relaxed) == 0) {
    slot.culprit.store(outcome.culprit(), std::memory_order_relaxed);
    slot.failed.store(record, std::memory_order_release);
  }
  slot.reached.store(record, std::memory_order_release);
  futex_wake_all_shared(slot.reached);
}

Result<SharedHandle> EmulatedEvent::share(const std::shared_ptr<EventBoard>& board) {
  const std::lock_guard lock(mutex_);
  if (lease_ == nullptr) {
    RONDO_ASSIGN(const std::uint32_t index, board->take_slot());
    lease_ = std::make_shared<Lease>(board, index);
  }
  SharedHandle handle = new_handle(device_, SharedKind::kEvent);
  RONDO_TRY(name_file(handle, lease_->board->descriptor(), lease_->index));
  return handle;
}

ImportedEvent::ImportedEvent(std::shared_ptr<PeerBoard> board, const SharedHandle& handle)
    : board_(std::move(board)), slot_(opaque_of(handle).slot), name_(describe(handle)) {}

bool ImportedEvent::done() const {
  const EventSlot& slot = board_->slot(slot_);
  return has_reached(slot.reached.load(std::memory_order_acquire),
                     slot.recorded.load(std::memory_order_acquire));
}

detail::EventWaiter ImportedEvent::waiter() const {
  const std::uint32_t record = board_->slot(slot_).recorded.load(std::memory_order_acquire);
  return [board = board_, slot = slot_, record, name = name_](const detail::Abandoned& abandoned) {
    return wait_for(*board, slot, record, name, abandoned);
  };
}

}  // namespace rondo::device
