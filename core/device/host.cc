#include "core/device/host.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "core/device/emulated/emulated.h"
#include "core/device/soft_event.h"

namespace rondo::device {
namespace {

/// A cache line, and the widest vector register.
constexpr std::align_val_t kAlignment{64};

class HostStream final : public detail::StreamImpl {
 public:
  Device device() const override { return Device::host(); }

  Status copy(void* target, const void* source, std::size_t bytes) override {
    if (bytes > 0 && failure_.ok()) std::memmove(target, source, bytes);
    return {};
  }

  Status launch(std::function<Status()> kernel) override {
    if (failure_.ok()) failure_ = stream_error(device(), kernel());
    return {};
  }

  Status record(detail::EventImpl& event) override {
    static_cast<SoftEvent&>(event).begin_record()->finish(failure_);
    return {};
  }

  Status wait(const detail::EventImpl& event) override {
    const Status outcome = event.wait();
    if (failure_.ok()) failure_ = outcome;
    return {};
  }

  Status synchronize() override { return failure_; }

 private:
  Status failure_;
};

class HostDriver final : public DeviceDriver {
 public:
  Result<int> device_count() override { return 1; }

  Result<void*> allocate(int /*index*/, std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    // The library rounds up to the alignment, all the way around to 0.
    const bool is_possible = bytes <= static_cast<std::size_t>(PTRDIFF_MAX);
    void* pointer = is_possible ? ::operator new(bytes, kAlignment, std::nothrow) : nullptr;
    if (pointer != nullptr) return pointer;
    return Status(ErrorCode::kDevice, fmt::format("the host has no {} bytes of memory", bytes));
  }

  void free(void* pointer) override { ::operator delete(pointer, kAlignment); }

  Status check_memory(int /*index*/, const void* pointer, std::size_t /*bytes*/) override {
    return check_host_memory(pointer);
  }

  Result<SharedHandle> export_memory(const void* /*pointer*/) override { return not_shared(); }

  Result<void*> import_memory(int /*index*/, const SharedHandle& /*memory*/) override {
    return not_shared();
  }

  void release_imported(void* /*pointer*/) override {}

  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int /*index*/) override {
    return std::shared_ptr<detail::StreamImpl>(std::make_shared<HostStream>());
  }

  Result<std::shared_ptr<detail::EventImpl>> create_event(int /*index*/) override {
    return std::shared_ptr<detail::EventImpl>(std::make_shared<SoftEvent>());
  }

  Result<SharedHandle> export_event(detail::EventImpl& /*event*/) override { return not_shared(); }

  Result<std::shared_ptr<detail::EventImpl>> import_event(int /*index*/,
                                                          const SharedHandle& /*event*/) override {
    return not_shared();
  }

 private:
  static Status not_shared() {
    return Status(ErrorCode::kUnsupported,
                  "ordinary host memory and events of the host can't be exported to another "
                  "process: use RegisteredMemory, which is shared from the start");
  }
};

}  // namespace

Result<DeviceDriver*> host_driver() {
  // Kept for good: handles in static objects may outlive any order of destruction.
  static HostDriver& driver = *new HostDriver();
  return &driver;
}

}  // namespace rondo::device
