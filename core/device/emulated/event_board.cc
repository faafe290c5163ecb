#include "core/device/emulated/event_board.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>
#include <utility>

#include "core/device/emulated/handle.h"
#include "core/device/emulated/sealed_file.h"

namespace rondo::device {
namespace {

constexpr std::size_t kBoardBytes = EventBoard::kSlots * sizeof(EventSlot);

Status foreign(const SharedHandle& handle) {
  return Status(ErrorCode::kInvalidArgument,
                describe(handle) + " was made by another version of Rondo, or is damaged");
}

}  // namespace

Result<std::unique_ptr<EventBoard>> EventBoard::create() {
  RONDO_ASSIGN(UniqueFd file, create_sealed_file("rondo-events", kBoardBytes));
  RONDO_ASSIGN(Mapping memory, Mapping::create(file.get(), 0, kBoardBytes, Access::kReadWrite));
  return std::unique_ptr<EventBoard>(new EventBoard(std::move(file), std::move(memory)));
}

EventBoard::EventBoard(UniqueFd file, Mapping memory)
    : file_(std::move(file)), memory_(std::move(memory)), free_(kSlots) {
  std::iota(free_.rbegin(), free_.rend(), 0U);
}

Result<std::uint32_t> EventBoard::take_slot() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    return Status(ErrorCode::kDevice,
                  fmt::format("the emulated devices of a process export {} events at most, and a "
                              "call takes one for each segment that it sends: RONDO_SEGMENT_BYTES "
                              "makes longer ones",
                              kSlots));
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  slot(index).failed.store(0, std::memory_order_release);
  return index;
}

void EventBoard::give_back(std::uint32_t slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

Result<std::shared_ptr<PeerBoard>> PeerBoard::open(const SharedHandle& handle) {
  UniqueFd owner(static_cast<int>(::syscall(SYS_pidfd_open, handle.process, 0)));
  if (!owner.valid() && errno != ESRCH) return system_error("pidfd_open", errno);
  RONDO_ASSIGN(const UniqueFd file, open_file(handle));
  struct stat found = {};
  if (::fstat(file.get(), &found) != 0) return system_error("looking at an event board", errno);
  if (static_cast<std::size_t>(found.st_size) != kBoardBytes) return foreign(handle);
  RONDO_ASSIGN(Mapping memory, Mapping::create(file.get(), 0, kBoardBytes, Access::kReadWrite));
  return std::shared_ptr<PeerBoard>(new PeerBoard(std::move(owner), std::move(memory)));
}

Status PeerBoard::check_slot(const SharedHandle& handle) {
  return opaque_of(handle).slot < EventBoard::kSlots ? Status() : foreign(handle);
}

PeerBoard::PeerBoard(UniqueFd owner, Mapping memory)
    : owner_(std::move(owner)), memory_(std::move(memory)) {}

bool PeerBoard::owner_lives() const {
  pollfd process{.fd = owner_.get(), .events = POLLIN, .revents = 0};
  return owner_.valid() && ::poll(&process, 1, 0) == 0;
}

}  // namespace rondo::device
