#pragma once

// One kind of device: its memory, streams and events, and how its memory reaches another process.
// No arithmetic: kernels are registered per device kind elsewhere.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/device/collective_library.h"
#include "core/device/shared_handle.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

class DeviceDriver {
 public:
  virtual ~DeviceDriver() = default;

  /// Errors: InvalidArgument (a variable that sets the number is bad).
  virtual Result<int> device_count() = 0;

  /// Which device that is: equal on all processes of a host that see it, by whatever index.
  /// Errors: Device, InvalidArgument (no such index).
  virtual Result<std::string> identity(int index);

  /// Null where nothing does whole collectives on these devices. Kept as long as the driver.
  /// Errors: Unsupported (one was named that is of no use).
  virtual Result<CollectiveLibrary*> collective_library() { return nullptr; }

  /// What `rondo info` says of the kind's software: "driver 2.1, runtime 3"; empty: nothing.
  virtual std::string versions() const { return {}; }

  /// A range of time in the profiler of the devices' maker, from here to `end_range`, which may be
  /// on another thread; 0 where there is none. Costs next to nothing while nobody looks.
  virtual std::uint64_t begin_range(const char* /*name*/) { return 0; }
  virtual void end_range(std::uint64_t /*range*/) {}

  /// Null for 0 bytes. Errors: Device (out of memory), Unsupported, InvalidArgument (no such
  /// index).
  virtual Result<void*> allocate(int index, std::size_t bytes) = 0;
  virtual void free(void* pointer) = 0;
  /// Makes `action` give memory of the device back that isn't from `allocate`: now, or, where what
  /// the device is at may still use it or would be waited for, later: by a thread of Rondo's, or
  /// in give_back_due.
  virtual void give_back(int /*index*/, std::function<void()> action) {
    std::exchange(action, nullptr)();
  }
  /// Does what `give_back` has put off and may be done by now, where no thread of Rondo's will.
  virtual void give_back_due() {}

  /// Whether [pointer, pointer + bytes) is memory of that device.
  /// Errors: InvalidArgument, saying what it is instead.
  virtual Status check_memory(int index, const void* pointer, std::size_t bytes) = 0;

  /// Whether `pointer` is memory of one of this kind's devices, which the host can't touch.
  virtual bool hides(const void* /*pointer*/) { return false; }

  /// Whether the device's kernels and copies can use `memory`, of another device of this process
  /// and driver; makes them able to, if need be. Errors: Device.
  virtual Status reach(int /*index*/, const void* /*memory*/) { return {}; }

  /// Those devices, of all that this process sees, whose memory this one's kernels and copies can't
  /// use, by their identity. Errors: Device.
  virtual Result<std::vector<std::string>> unreachable(int index);

  /// Whether other processes can get at its memory and events.
  virtual bool shares_between_processes() const { return true; }
  /// Whether the process that exports them can import them, too.
  virtual bool imports_own() const { return true; }

  /// From `pointer`, inside an allocation, to the allocation's end.
  /// Errors: InvalidArgument (not this driver's), Unsupported.
  virtual Result<SharedHandle> export_memory(const void* pointer) = 0;
  /// Maps what another process exported. Errors: InvalidArgument (the handle is none of this
  /// driver's, or its numbers don't fit), Device (of another machine, or of a process that has
  /// ended), System, Unsupported.
  virtual Result<void*> import_memory(int index, const SharedHandle& memory) = 0;
  /// Whether import_memory of it would fail for now: other memory lay at its address, and its
  /// closing, which this begins, waits for what the device is at. Asked again, it may not.
  virtual bool import_waits(int /*index*/, const SharedHandle& /*memory*/) { return false; }
  virtual void release_imported(void* pointer) = 0;

  /// Another process may open what was exported so, until `let_go` is told of it as often.
  /// Meanwhile memory that is freed may stay where it is, so that nothing else comes to lie there;
  /// `lives` says that it is gone, and `frees` counts it.
  virtual void keep(const SharedHandle& /*memory*/) {}
  virtual void let_go(const SharedHandle& /*memory*/) {}
  /// Whether what was imported and released is still open, as closing it waits for what the device
  /// is at.
  virtual bool closes_later() { return false; }

  /// How often memory was given back by `free`. What has been exported of it is gone then, and
  /// peers want to know: see `lives`.
  virtual std::uint64_t frees() const { return 0; }
  /// Whether the allocation that this process has exported so is still there.
  virtual bool lives(const SharedHandle& /*memory*/) { return true; }

  /// Whether there is such memory as allocate_words gives.
  virtual bool sees_host_memory() const { return false; }
  /// Memory of the host that kernels and copies of the device see at the same address, all 0.
  /// Errors: Device, Unsupported.
  virtual Result<std::shared_ptr<void>> allocate_words(int index, std::size_t bytes);

  /// Errors: Device, System (no thread can be made for it), Unsupported, InvalidArgument.
  virtual Result<std::shared_ptr<detail::StreamImpl>> create_stream(int index) = 0;
  /// A stream that another library has made: the driver's own handle of it.
  /// Errors: Device, Unsupported (the kind has no such handles).
  virtual Result<std::shared_ptr<detail::StreamImpl>> borrow_stream(int index, void* native);
  virtual Result<std::shared_ptr<detail::EventImpl>> create_event(int index) = 0;
  /// One that may be exported. Where that has its price (a CUDA context has only a few thousand of
  /// them), other events can't be.
  virtual Result<std::shared_ptr<detail::EventImpl>> create_shared_event(int index) {
    return create_event(index);
  }

  /// For another process to wait for what is recorded from now on, in one stream.
  /// Errors: InvalidArgument (not this driver's), Device (not made to be shared), System,
  /// Unsupported.
  virtual Result<SharedHandle> export_event(detail::EventImpl& event) = 0;
  /// To be waited for, not to be recorded. Errors: as import_memory.
  virtual Result<std::shared_ptr<detail::EventImpl>> import_event(int index,
                                                                  const SharedHandle& event) = 0;
};

/// "emulated:1", for messages.
std::string name_of(Device device);

/// The driver of a kind, made at first use and kept as long as the process lives.
/// Errors: InvalidArgument (a variable that configures it is bad).
Result<DeviceDriver*> driver_of(DeviceKind kind);

/// The same, and there is a device of that index.
/// Errors: InvalidArgument (index), Unsupported (this build or machine has none of the kind).
Result<DeviceDriver*> driver_of(Device device);

/// Whether this process has anything to do with devices that aren't the host. Threads: any.
bool uses_devices();
/// Looks whether it has without Rondo's knowing: a library of devices is loaded. Not for every
/// call: it takes a lock of the loader's. Threads: any.
void look_for_devices();
/// The kind whose device's memory `pointer` is, of those in use; nothing where the host can touch
/// it. Threads: any.
std::optional<DeviceKind> hiding_kind(const void* pointer);
/// OK, or that `pointer` is memory of one of the devices in use, though it is said to be the
/// host's. Errors: InvalidArgument. Threads: any.
Status check_host_memory(const void* pointer);

/// Puts a kernel into a stream; its error surfaces at Stream::synchronize and Event::wait.
Status launch(Stream& stream, std::function<Status()> kernel);

/// An error of stream work as it is reported: code Device, naming the device. An error that a
/// device reported already stays as it is.
Status stream_error(Device device, Status error);

}  // namespace rondo::device
