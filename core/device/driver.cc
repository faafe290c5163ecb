#include "core/device/driver.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/device/cuda.h"
#include "core/device/emulated/emulated.h"
#include "core/device/host.h"
#include "core/device/plugin/registry.h"

namespace rondo {
namespace {

struct KindRow {
  DeviceKind kind;
  const char* name;
  Result<device::DeviceDriver*> (*driver)();
};

/// The registry: one line per kind of device, in the order of DeviceKind.
constexpr std::array<KindRow, 3> kKinds = {{
    {DeviceKind::kHost, "host", &device::host_driver},
    {DeviceKind::kEmulated, "emulated", &device::emulated_driver},
    {DeviceKind::kCuda, "cuda", &device::cuda_driver},
}};

/// Null where it is no kind of Rondo's own.
const KindRow* row_of(DeviceKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kKinds.size() ? &kKinds[index] : nullptr;
}

/// Bit k: a device of the kind of number k was asked for, or its library found loaded. (There are
/// never as many kinds as bits.)
std::atomic<std::uint64_t> kinds_in_use = 0;

void note_use(DeviceKind kind) {
  const auto number = static_cast<unsigned>(kind);
  if (kind == DeviceKind::kHost || number >= 64) return;
  kinds_in_use.fetch_or(std::uint64_t{1} << number, std::memory_order_relaxed);
}

/// Of a kind in use.
bool hides(DeviceKind kind, const void* pointer) {
  // Its library may be there, and nobody have asked Rondo for a device of it: that stays so.
  if (kind == DeviceKind::kCuda) return device::cuda_hides(pointer);
  const auto driver = device::driver_of(kind);
  return driver.ok() && (*driver)->hides(pointer);
}

}  // namespace

inline namespace v1 {

const char* to_string(DeviceKind kind) {
  if (const KindRow* row = row_of(kind)) return row->name;
  const device::PluginDriver* const plugin = device::plugin_driver(kind);
  return plugin == nullptr ? "unknown" : plugin->name().c_str();
}

std::vector<DeviceKind> device_kinds() {
  throw_if_error(device::load_plugins());
  std::vector<DeviceKind> kinds;
  for (const KindRow& row : kKinds) kinds.push_back(row.kind);
  for (auto kind = device::kFirstPluginKind; device::plugin_driver(kind) != nullptr;
       kind = static_cast<DeviceKind>(static_cast<int>(kind) + 1)) {
    kinds.push_back(kind);
  }
  return kinds;
}

std::optional<DeviceKind> find_device_kind(std::string_view name) {
  for (const DeviceKind kind : device_kinds()) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace v1

namespace device {

std::string name_of(Device device) {
  return fmt::format("{}:{}", v1::to_string(device.kind), device.index);
}

Result<std::string> DeviceDriver::identity(int index) { return std::to_string(index); }

Result<std::vector<std::string>> DeviceDriver::unreachable(int /*index*/) {
  return std::vector<std::string>();
}

Result<std::shared_ptr<void>> DeviceDriver::allocate_words(int /*index*/, std::size_t /*bytes*/) {
  return Status(ErrorCode::kUnsupported,
                "kernels of this kind of device see no memory of the host");
}

Result<std::shared_ptr<detail::StreamImpl>> DeviceDriver::borrow_stream(int /*index*/,
                                                                        void* /*native*/) {
  return Status(ErrorCode::kUnsupported,
                "streams of other libraries can be borrowed on CUDA devices alone");
}

Result<DeviceDriver*> driver_of(DeviceKind kind) {
  if (const KindRow* row = row_of(kind)) return row->driver();
  if (DeviceDriver* const plugin = plugin_driver(kind)) return plugin;
  std::string own;
  for (const KindRow& row : kKinds)
    own += fmt::format("{} ({}), ", static_cast<int>(row.kind), row.name);
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("there is no kind of device with number {}: expected {}or that of a "
                            "plug-in that RONDO_DEVICE_PLUGINS names",
                            static_cast<int>(kind), own));
}

Result<DeviceDriver*> driver_of(Device device) {
  RONDO_ASSIGN(DeviceDriver * driver, driver_of(device.kind));
  RONDO_ASSIGN(const int count, driver->device_count());
  // A kind of ours without devices explains itself better than an index out of range does.
  if (count == 0 && row_of(device.kind) == nullptr) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("there is no device {}: its plug-in finds none of kind {} here",
                              name_of(device), v1::to_string(device.kind)));
  }
  if (count > 0 && (device.index < 0 || device.index >= count)) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("there is no device {}: {} {} device(s) can be used, from index 0",
                              name_of(device), count, v1::to_string(device.kind)));
  }
  note_use(device.kind);
  return driver;
}

void look_for_devices() {
  if (cuda_is_loaded()) note_use(DeviceKind::kCuda);
}

bool uses_devices() { return kinds_in_use.load(std::memory_order_relaxed) != 0; }

std::optional<DeviceKind> hiding_kind(const void* pointer) {
  for (std::uint64_t kinds = kinds_in_use.load(std::memory_order_relaxed); kinds != 0;
       kinds &= kinds - 1) {
    const auto kind = static_cast<DeviceKind>(std::countr_zero(kinds));
    if (hides(kind, pointer)) return kind;
  }
  return std::nullopt;
}

Status check_host_memory(const void* pointer) {
  const auto kind = hiding_kind(pointer);
  if (!kind) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{} was given as memory of the host, but belongs to a device of kind "
                            "{}: name the device in the buffer",
                            pointer, v1::to_string(*kind)));
}

Status launch(Stream& stream, std::function<Status()> kernel) {
  return v1::detail::DeviceAccess::stream(stream).launch(std::move(kernel));
}

Status stream_error(Device device, Status error) {
  if (error.ok() || error.code() == ErrorCode::kDevice) return error;
  return Status(
      ErrorCode::kDevice,
      fmt::format("work in a stream of {} failed: {}", name_of(device), error.to_string()),
      error.culprit(), error.where());
}

}  // namespace device
}  // namespace rondo
