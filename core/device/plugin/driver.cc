#include "core/device/plugin/driver.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <optional>

#include "core/device/plugin/collectives.h"
#include "core/device/plugin/stream.h"
#include "core/device/plugin/table.h"
#include "core/device/soft_event.h"

namespace rondo::device {
namespace {

rondo_plugin_handle native_handle(const SharedHandle& handle) {
  rondo_plugin_handle native{};
  std::memcpy(native.bytes, handle.opaque.data(), sizeof(native.bytes));
  return native;
}

void put(const rondo_plugin_handle& native, SharedHandle& handle) {
  static_assert(sizeof(native.bytes) == sizeof(handle.opaque));
  std::memcpy(handle.opaque.data(), native.bytes, sizeof(native.bytes));
}

}  // namespace

PluginDriver::PluginDriver(DeviceKind kind, const rondo_device_table& table)
    : kind_(kind), name_(table.kind), table_(table) {
  table_.kind = name_.c_str();
}

Status PluginDriver::called(int device, const char* function, int code) const {
  return plugin_status(table_, device, function, code);
}

void PluginDriver::add_reduce_kernel(std::string_view type, std::string_view op,
                                     rondo_reduce_kernel kernel) {
  kernels_[{std::string(type), std::string(op)}] = kernel;
}

rondo_reduce_kernel PluginDriver::reduce_kernel(std::string_view type, std::string_view op) const {
  const auto found = kernels_.find({std::string(type), std::string(op)});
  return found == kernels_.end() ? nullptr : found->second;
}

void PluginDriver::add_collectives(const rondo_collective_table& table) {
  library_ = adapt_plugin(*this, table);
}

// What goes wrong in a profiler is no reason to fail a collective.
std::uint64_t PluginDriver::begin_range(const char* name) {
  std::uint64_t range = 0;
  if (table_.begin_range == nullptr || table_.begin_range(name, &range) != 0) return 0;
  return range;
}

void PluginDriver::end_range(std::uint64_t range) {
  if (range != 0) table_.end_range(range);
}

std::string PluginDriver::versions() const {
  const auto said = [](const char* what, const char* (*version)()) {
    const char* const text = version == nullptr ? nullptr : version();
    return text == nullptr ? std::string() : fmt::format("{} {}", what, text);
  };
  const std::string driver = said("driver", table_.driver_version);
  const std::string runtime = said("runtime", table_.runtime_version);
  return driver + (driver.empty() || runtime.empty() ? "" : ", ") + runtime;
}

bool PluginDriver::sees_host_memory() const { return sees_host(table_); }

Result<std::shared_ptr<void>> PluginDriver::allocate_words(int index, std::size_t bytes) {
  if (!sees_host_memory()) return DeviceDriver::allocate_words(index, bytes);
  void* memory = nullptr;
  RONDO_TRY(called(index, "allocate_host", table_.allocate_host(index, bytes, &memory)));
  std::memset(memory, 0, bytes);
  return std::shared_ptr<void>(memory, [this, index](void* own) {
    give_back([this, index, own] { table_.deallocate_host(index, own); });
  });
}

Result<int> PluginDriver::device_count() {
  int count = 0;
  RONDO_TRY(called(kNoDevice, "device_count", table_.device_count(&count)));
  if (count >= 0) return count;
  return Status(ErrorCode::kDevice,
                fmt::format("device_count of the {} plug-in says that there are {} devices: "
                            "expected 0 or more; its maker has to mend that",
                            name_, count));
}

Result<void*> PluginDriver::allocate(int index, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  const Status made = called(index, "allocate", table_.allocate(index, bytes, &memory));
  if (!made.ok()) return Status(made.code(), fmt::format("{} bytes: {}", bytes, made.message()));
  const std::lock_guard lock(mutex_);
  allocated_[static_cast<const std::byte*>(memory)] = {bytes, index, new_number()};
  return memory;
}

void PluginDriver::free(void* pointer) {
  const auto device = device_of(pointer);
  if (!device) return;
  {
    const std::lock_guard lock(mutex_);
    allocated_.erase(static_cast<const std::byte*>(pointer));
    frees_.fetch_add(1, std::memory_order_release);
  }
  give_back([this, device = *device, pointer] { table_.deallocate(device, pointer); });
}

Status PluginDriver::check_memory(int index, const void* pointer, std::size_t bytes) {
  int found = 0;
  RONDO_TRY(called(index, "owns", table_.owns(index, pointer, bytes, &found)));
  if (found != 0) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("the {} bytes at {} were given as memory of {}:{}, but lie in no "
                            "allocation of it: they may be memory of the host; "
                            "name the place that they lie in, in the buffer",
                            bytes, pointer, name_, index));
}

bool PluginDriver::shares_between_processes() const { return can_share(table_); }

Status PluginDriver::not_shared() const {
  return Status(ErrorCode::kUnsupported,
                fmt::format("the {} plug-in can't share memory between processes", name_));
}

PluginDriver::Blocks::const_iterator PluginDriver::block_of(const void* pointer) const {
  const auto* const address = static_cast<const std::byte*>(pointer);
  const auto after = allocated_.upper_bound(address);
  if (after == allocated_.begin()) return allocated_.end();
  const auto found = std::prev(after);
  return address < found->first + found->second.bytes ? found : allocated_.end();
}

std::optional<int> PluginDriver::device_of(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const auto found = block_of(pointer);
  if (found == allocated_.end()) return std::nullopt;
  return found->second.device;
}

std::optional<int> PluginDriver::owner_of(const void* pointer) {
  if (const auto device = device_of(pointer)) return device;
  const auto devices = device_count();
  for (int device = 0; devices.ok() && device < *devices; ++device) {
    int found = 0;
    if (table_.owns(device, pointer, 1, &found) == 0 && found != 0) return device;
  }
  return std::nullopt;
}

bool PluginDriver::lives(const SharedHandle& memory) {
  const std::lock_guard lock(mutex_);
  const auto found = allocated_.find(reinterpret_cast<const std::byte*>(memory.base));
  return found != allocated_.end() && found->second.number == memory.allocation;
}

std::optional<SharedHandle> PluginDriver::described(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const auto found = block_of(pointer);
  if (found == allocated_.end()) return std::nullopt;
  const auto& [start, block] = *found;
  SharedHandle handle = new_handle({kind_, block.device}, SharedKind::kMemory);
  handle.base = reinterpret_cast<std::uint64_t>(start);
  handle.allocation = block.number;
  handle.bytes =
      static_cast<std::uint64_t>(start + block.bytes - static_cast<const std::byte*>(pointer));
  return handle;
}

Result<SharedHandle> PluginDriver::described_foreign(const void* pointer) {
  const auto device = owner_of(pointer);
  if (!device) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} is not memory of a {} device of this process", pointer, name_));
  }
  if (!can_share(table_)) return not_shared();
  SharedHandle handle = new_handle({kind_, *device}, SharedKind::kMemory);
  handle.base = reinterpret_cast<std::uint64_t>(pointer);
  handle.allocation = new_number();
  return handle;
}

Result<SharedHandle> PluginDriver::export_memory(const void* pointer) {
  SharedHandle handle;
  if (const auto own = described(pointer)) {
    handle = *own;
  } else {
    RONDO_ASSIGN(handle, described_foreign(pointer));
  }
  // Good inside the process, where nobody opens it.
  if (!can_share(table_)) return handle;
  rondo_plugin_handle native{};
  std::size_t bytes = 0;
  RONDO_TRY(called(handle.index, "export_memory",
                   table_.export_memory(handle.index, pointer, &native, &bytes)));
  handle.bytes = bytes;
  put(native, handle);
  return handle;
}

Result<void*> PluginDriver::import_memory(int index, const SharedHandle& memory) {
  if (!can_share(table_)) return not_shared();
  RONDO_TRY(check_handle(memory, kind_, SharedKind::kMemory));
  const rondo_plugin_handle native = native_handle(memory);
  void* address = nullptr;
  RONDO_TRY(called(index, "import_memory", table_.import_memory(index, &native, &address)));
  const std::lock_guard lock(mutex_);
  imported_.emplace(address, index);
  return address;
}

void PluginDriver::release_imported(void* pointer) {
  int device = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = imported_.find(pointer);
    if (found == imported_.end()) return;
    device = found->second;
    imported_.erase(found);
  }
  // With it goes what was put off, and that may come back here: an allocator's `release`, say.
  give_back([this, device, pointer] { table_.release_memory(device, pointer); });
}

Result<std::shared_ptr<detail::StreamImpl>> PluginDriver::create_stream(int index) {
  rondo_plugin_stream stream = nullptr;
  if (has_streams(table_)) {
    RONDO_TRY(called(index, "create_stream", table_.create_stream(index, &stream)));
  }
  return std::shared_ptr<detail::StreamImpl>(
      std::make_shared<PluginStream>(*this, Device{kind_, index}, stream));
}

Result<std::shared_ptr<detail::EventImpl>> PluginDriver::create_event(int index) {
  if (!has_streams(table_))
    return std::shared_ptr<detail::EventImpl>(std::make_shared<SoftEvent>());
  rondo_plugin_event event = nullptr;
  RONDO_TRY(called(index, "create_event", table_.create_event(index, &event)));
  return std::shared_ptr<detail::EventImpl>(std::make_shared<PluginEvent>(*this, index, event));
}

Result<SharedHandle> PluginDriver::export_event(detail::EventImpl& event) {
  const auto* const own = dynamic_cast<PluginEvent*>(&event);
  if (own == nullptr || !can_share(table_)) return not_shared();
  SharedHandle handle = new_handle({kind_, own->device()}, SharedKind::kEvent);
  rondo_plugin_handle native{};
  RONDO_TRY(called(own->device(), "export_event",
                   table_.export_event(own->device(), own->native_event(), &native)));
  put(native, handle);
  return handle;
}

Result<std::shared_ptr<detail::EventImpl>> PluginDriver::import_event(int index,
                                                                      const SharedHandle& event) {
  if (!can_share(table_)) return not_shared();
  RONDO_TRY(check_handle(event, kind_, SharedKind::kEvent));
  const rondo_plugin_handle native = native_handle(event);
  rondo_plugin_event opened = nullptr;
  RONDO_TRY(called(index, "import_event", table_.import_event(index, &native, &opened)));
  return std::shared_ptr<detail::EventImpl>(std::make_shared<PluginEvent>(*this, index, opened));
}

}  // namespace rondo::device
