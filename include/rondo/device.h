#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// `kEmulated` behaves as an accelerator without one being there: its memory can't be touched by
/// the host (a touch faults) and its streams run late, so that the device path runs in any test.
/// Kinds that plug-ins bring have further values (find_device_kind).
enum class DeviceKind : std::uint8_t { kHost, kEmulated, kCuda };

/// The name as it is printed and parsed: "host", "emulated", "cuda", or a plug-in's.
RONDO_API const char* to_string(DeviceKind kind);

/// All kinds, those of plug-ins (RONDO_DEVICE_PLUGINS, rondo/device_plugin.h) too, which are loaded
/// by the first call. A kind may have no device here: see device_count.
/// Errors: InvalidArgument, System, naming the plug-in that can't be loaded, and why.
RONDO_API std::vector<DeviceKind> device_kinds();
/// The kind of that name; nothing where there is none. Errors: as device_kinds.
RONDO_API std::optional<DeviceKind> find_device_kind(std::string_view name);

/// A device, as a value: copy it, compare it.
struct Device {
  DeviceKind kind = DeviceKind::kHost;
  int index = 0;

  static constexpr Device host() { return {DeviceKind::kHost, 0}; }
  static constexpr Device emulated(int index) { return {DeviceKind::kEmulated, index}; }
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

namespace detail {
class StreamImpl;
class EventImpl;
struct DeviceAccess;
}  // namespace detail

/// A point in a stream's work that others can wait for.
/// Threads: any.
class RONDO_API Event {
 public:
  /// Errors: InvalidArgument (no such index), Unsupported (no such device in this build).
  explicit Event(Device device);
  /// True once all that the stream held at `Stream::record` is done. An event never recorded is
  /// done.
  bool done() const;
  /// Blocks until `done()`. Errors: Device, with what the stream's work reported.
  void wait() const;

 private:
  friend class Stream;
  Device device_;
  std::shared_ptr<detail::EventImpl> impl_;
};

/// An ordered queue of a device's work: copies, kernels and collectives run in the order of issue.
/// On the host device work runs at once, in the calling thread.
/// After an error the stream skips what follows and keeps reporting it; make a new one.
/// Threads: any, one at a time.
class RONDO_API Stream {
 public:
  /// Errors: InvalidArgument (no such index), Unsupported (no such device in this build).
  explicit Stream(Device device);
  /// A stream that another library has made and keeps: on `cuda` its cudaStream_t (or CUstream),
  /// which outlives what is returned; null: the device's default stream. Its handles fail together,
  /// and begin anew when the last one is gone; what the other library itself puts into the stream
  /// behind a failed call is done all the same: `synchronize` tells. Errors: as the constructor's;
  /// Unsupported for other kinds.
  static Stream borrow(Device device, void* native);
  Device device() const;
  /// Copies `bytes` between any two of host memory and this device's memory, after all that was
  /// issued before. The host side must stay valid until the copy is done. On `cuda` it returns at
  /// once, but behind a call in a stream (Call::on) whose end it waits for, where the host's memory
  /// isn't page-locked (with progress "caller", another thread has to move that call on). Of what
  /// another library made a borrowed stream wait for Rondo knows nothing: behind a call by such a
  /// way alone only page-locked memory may be copied.
  void copy(void* target, const void* source, std::size_t bytes);
  /// Errors: InvalidArgument (the event is another device's).
  void record(Event& event);
  /// Later work of this stream starts after `event`, which may be another device's.
  void wait(const Event& event);
  /// Blocks until everything issued so far is done. Errors: Device.
  void synchronize();

 private:
  explicit Stream(std::shared_ptr<detail::StreamImpl> impl);
  friend struct detail::DeviceAccess;
  std::shared_ptr<detail::StreamImpl> impl_;
};

/// Memory of one device, freed with its last owner. On `emulated` and `cuda` the host must not
/// touch it.
class RONDO_API DeviceMemory {
 public:
  /// Errors: Device (out of memory), InvalidArgument (no such index), Unsupported (no such device
  /// in this build).
  DeviceMemory(Device device, std::size_t bytes);
  void* data() const;
  std::size_t bytes() const;
  Device device() const;

 private:
  struct Block;
  std::shared_ptr<Block> block_;
};

/// How many devices of `kind` can be used; 0 where the build or the machine has none.
RONDO_API int device_count(DeviceKind kind);

}  // namespace v1
}  // namespace rondo
