#include "collectives/execute/device/device_place.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/device/patience.h"

namespace rondo::execute {
namespace {

using device::SharedHandle;

/// Those of `open` that are `gone`, from the first on; `may_go` tells of each.
template <typename Open, typename MayGo>
void close_all(Open& open, typename Open::key_type first, const MayGo& may_go) {
  const SharedHandle& gone = first.handle;
  for (auto it = open.lower_bound(first); it != open.end();) {
    const SharedHandle& handle = it->first.handle;
    if (handle.process != gone.process || handle.allocation != gone.allocation) return;
    it = may_go(it->second) ? open.erase(it) : std::next(it);
  }
}

}  // namespace

bool DevicePlace::Key::operator<(const Key& other) const {
  static_assert(std::has_unique_object_representations_v<SharedHandle>);
  const auto whose = [](const SharedHandle& of) { return std::pair(of.process, of.allocation); };
  if (whose(handle) != whose(other.handle)) return whose(handle) < whose(other.handle);
  return std::memcmp(&handle, &other.handle, sizeof(handle)) < 0;
}

Result<std::unique_ptr<DevicePlace>> DevicePlace::make(Device device) {
  RONDO_ASSIGN(device::DeviceDriver * driver, device::driver_of(device));
  return std::make_unique<DevicePlace>(device, *driver);
}

DevicePlace::DevicePlace(Device device, device::DeviceDriver& driver)
    : device_(device), driver_(driver), given_(std::make_shared<GivenHandles>(driver)) {}

DevicePlace::~DevicePlace() {
  streams_.clear();  // they may still be reading what is closed now
  for (const auto& [key, memory] : memory_) driver_.release_imported(memory.address);
  given_->let_all_go();
}

Result<detail::StreamImpl*> DevicePlace::stream(std::size_t lane) {
  const std::lock_guard lock(streams_mutex_);
  while (streams_.size() <= lane) {
    RONDO_ASSIGN(auto stream, driver_.create_stream(device_.index));
    streams_.push_back(std::move(stream));
  }
  return streams_[lane].get();
}

Result<std::shared_ptr<void>> DevicePlace::pinned(const PinnedUse& use, std::size_t bytes) {
  const std::lock_guard lock(streams_mutex_);
  Pinned& kept = pinned_[use];
  if (kept.bytes < bytes) {
    RONDO_ASSIGN(kept.memory, driver_.allocate_words(device_.index, bytes));
    kept.bytes = bytes;
  }
  return kept.memory;
}

void DevicePlace::settle(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  std::vector<std::shared_ptr<detail::StreamImpl>> streams;
  {
    const std::lock_guard lock(streams_mutex_);
    streams = streams_;
  }
  device::Patience patience;
  const auto is_idle = [](const auto& stream) { return stream->idle(); };
  while (!std::ranges::all_of(streams, is_idle) && std::chrono::steady_clock::now() < until)
    patience.wait();
}

void DevicePlace::abandon(const Status& cause) {
  const std::lock_guard lock(streams_mutex_);
  for (const auto& stream : streams_) stream->abandon(cause);
}

Status DevicePlace::synchronize() {
  Status first;
  std::vector<std::shared_ptr<detail::StreamImpl>> streams;
  {
    const std::lock_guard lock(streams_mutex_);
    streams = streams_;
  }
  for (const auto& stream : streams) {
    Status status = stream->synchronize();
    if (first.ok()) first = std::move(status);
  }
  return first;
}

Result<std::byte*> DevicePlace::open_memory(const device::SharedHandle& handle, bool for_good) {
  const Key key{handle};
  if (!memory_.contains(key)) {
    if (memory_.size() >= kMostOpen) close_least_used();
    RONDO_ASSIGN(void* address, driver_.import_memory(device_.index, handle));
    memory_[key] = {.address = static_cast<std::byte*>(address)};
  }
  OpenMemory& open = memory_[key];
  open.last_use = ++uses_;
  open.for_good |= for_good;
  return open.address;
}

bool DevicePlace::opening_waits(const device::SharedHandle& handle) {
  return !memory_.contains(Key{handle}) && driver_.import_waits(device_.index, handle);
}

void DevicePlace::close_least_used() {
  const auto by_use = [](const auto& a, const auto& b) {
    return std::pair(a.second.for_good, a.second.last_use) <
           std::pair(b.second.for_good, b.second.last_use);
  };
  const auto oldest = std::ranges::min_element(memory_, by_use);
  if (oldest->second.for_good) return;
  driver_.release_imported(oldest->second.address);
  memory_.erase(oldest);
}

std::uint64_t DevicePlace::closed(int peer) {
  const auto found = closed_.find(peer);
  if (found == closed_.end()) return 0;
  Closed& closed = found->second;
  if (closed.certain != closed.heard && !driver_.closes_later()) closed.certain = closed.heard;
  return closed.certain;
}

void DevicePlace::close(const GoneHandle& gone, int peer) {
  ++closed_[peer].heard;
  Key first;
  first.handle.process = gone.process;
  first.handle.allocation = gone.number;
  if (gone.what == device::SharedKind::kEvent)
    return close_all(events_, first, [](const auto& /*event*/) { return true; });
  close_all(memory_, first, [this](const OpenMemory& memory) {
    if (!memory.for_good) driver_.release_imported(memory.address);
    return !memory.for_good;
  });
}

Result<detail::EventImpl*> DevicePlace::open_event(const device::SharedHandle& handle) {
  auto& event = events_[Key{handle}];
  if (event == nullptr) {
    RONDO_ASSIGN(event, driver_.import_event(device_.index, handle));
  }
  return event.get();
}

}  // namespace rondo::execute
