#include "core/device/emulated/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "core/device/emulated/event.h"
#include "core/device/emulated/stream.h"

namespace rondo::device {

EmulatedDriver::EmulatedDriver(const EmulatedOptions& options, AliasTable& table)
    : options_(options),
      table_(table),
      faults_(std::make_shared<Faults>(options.faults)),
      imports_(table),
      arenas_(static_cast<std::size_t>(options.devices)) {}

Result<void*> EmulatedDriver::allocate(int index, std::size_t bytes) {
  RONDO_TRY(may_allocate(index, bytes));
  RONDO_ASSIGN(EmulatedArena * memory, arena(index));
  if (bytes == 0) return nullptr;
  return memory->allocate(bytes);
}

void EmulatedDriver::free(void* pointer) {
  const std::lock_guard lock(mutex_);
  for (const auto& arena : arenas_) {
    if (arena == nullptr || !arena->free(pointer)) continue;
    frees_.fetch_add(1, std::memory_order_release);
    return;
  }
}

bool EmulatedDriver::lives(const SharedHandle& memory) {
  const std::lock_guard lock(mutex_);
  const auto& arena = arenas_[static_cast<std::size_t>(memory.index)];
  return arena != nullptr && arena->lives(memory);
}

std::optional<int> EmulatedDriver::device_of(const void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto arena = std::ranges::find_if(arenas_, [pointer](const auto& memory) {
    return memory != nullptr && memory->contains(pointer);
  });
  if (arena == arenas_.end()) return std::nullopt;
  return static_cast<int>(arena - arenas_.begin());
}

Status EmulatedDriver::check_memory(int index, const void* pointer, std::size_t bytes) {
  const auto refuse = [&](const std::string& what) {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("{} was given as memory of emulated:{}, but {}", pointer, index, what));
  };
  const std::optional<int> owner = device_of(pointer);
  if (!owner) return refuse("belongs to no emulated device: it may be memory of the host");
  if (*owner != index) {
    return refuse(
        fmt::format("is memory of emulated:{}: name the place that it lies in, in the "
                    "buffer",
                    *owner));
  }
  const Status found = table_.resolve(pointer, bytes).status();
  return found.ok() ? found : Status(ErrorCode::kInvalidArgument, found.message());
}

Result<SharedHandle> EmulatedDriver::export_memory(const void* pointer) {
  const std::optional<int> owner = device_of(pointer);
  if (!owner) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} is not memory of an emulated device of this process", pointer));
  }
  RONDO_TRY(may(Operation::kExport, *owner));
  RONDO_ASSIGN(const EmulatedArena* const memory, arena(*owner));
  return memory->export_memory(pointer);
}

Result<void*> EmulatedDriver::import_memory(int index, const SharedHandle& memory) {
  RONDO_TRY(may(Operation::kImport, index));
  return imports_.memory(memory);
}

/// Emulated kernels and copies see all of the host's.
Result<std::shared_ptr<void>> EmulatedDriver::allocate_words(int index, std::size_t bytes) {
  RONDO_TRY(may_allocate(index, bytes));
  constexpr std::size_t kLine = 64;
  const std::size_t whole = (bytes + kLine - 1) / kLine * kLine;
  std::shared_ptr<void> memory(std::aligned_alloc(kLine, whole), &std::free);
  if (memory == nullptr)
    return Status(ErrorCode::kDevice, fmt::format("the host has no {} bytes to spare", bytes));
  std::memset(memory.get(), 0, whole);
  return memory;
}

Result<std::shared_ptr<detail::StreamImpl>> EmulatedDriver::create_stream(int index) {
  RONDO_TRY(may(Operation::kStream, index));
  EmulatedStreamMeans means{
      .table = table_, .lateness = options_.lateness, .pace = options_.pace, .faults = faults_};
  means.lateness.seed += 1'000 * ++streams_made_;  // streams of one driver don't pause in step
  try {
    return std::shared_ptr<detail::StreamImpl>(
        std::make_shared<EmulatedStream>(Device::emulated(index), means));
  } catch (const std::system_error& error) {
    return Status(ErrorCode::kSystem,
                  fmt::format("a stream of emulated:{} needs a thread, and the system makes no "
                              "more: {}; raise its limit (ulimit -u, the container's), or use "
                              "fewer streams and communicators",
                              index, error.what()));
  }
}

Result<std::shared_ptr<detail::EventImpl>> EmulatedDriver::create_event(int index) {
  RONDO_TRY(may(Operation::kEvent, index));
  return std::shared_ptr<detail::EventImpl>(
      std::make_shared<EmulatedEvent>(Device::emulated(index)));
}

Result<SharedHandle> EmulatedDriver::export_event(detail::EventImpl& event) {
  auto* const own = dynamic_cast<EmulatedEvent*>(&event);
  if (own == nullptr) {
    return Status(ErrorCode::kInvalidArgument,
                  "only an event of an emulated device of this process can be exported by it");
  }
  RONDO_TRY(may(Operation::kExport, own->device().index));
  RONDO_ASSIGN(std::shared_ptr<EventBoard> shown, board());
  return own->share(shown);
}

Result<std::shared_ptr<detail::EventImpl>> EmulatedDriver::import_event(int index,
                                                                        const SharedHandle& event) {
  RONDO_TRY(may(Operation::kImport, index));
  return imports_.event(event);
}

Result<EmulatedArena*> EmulatedDriver::arena(int index) {
  const std::lock_guard lock(mutex_);
  auto& memory = arenas_[static_cast<std::size_t>(index)];
  if (memory == nullptr) {
    RONDO_ASSIGN(memory,
                 EmulatedArena::create(Device::emulated(index), options_.memory_bytes, table_));
  }
  return memory.get();
}

Result<std::shared_ptr<EventBoard>> EmulatedDriver::board() {
  const std::lock_guard lock(mutex_);
  if (board_ == nullptr) {
    RONDO_ASSIGN(board_, EventBoard::create());
  }
  return board_;
}

Status EmulatedDriver::may_allocate(int index, std::size_t bytes) {
  Status status = may(Operation::kAllocate, index);
  if (status.code() != ErrorCode::kDevice) return status;
  return Status(status.code(), fmt::format("{} bytes: {}", bytes, status.message()));
}

Status EmulatedDriver::may(Operation operation, int index) {
  if (index >= 0 && index < options_.devices)
    return faults_->next(operation, Device::emulated(index));
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("there is no emulated device {}: {} are set up "
                            "(RONDO_EMULATED_DEVICES)",
                            index, options_.devices));
}

}  // namespace rondo::device
