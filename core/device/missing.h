#pragma once

// A kind of device of which there is none: everything fails with the reason.
// Threads: any.

#include <utility>

#include "core/device/driver.h"

namespace rondo::device {

class MissingDriver : public DeviceDriver {
 public:
  explicit MissingDriver(Status why) : why_(std::move(why)) {}

  Result<int> device_count() override { return 0; }
  Result<void*> allocate(int /*index*/, std::size_t /*bytes*/) override { return why_; }
  void free(void* /*pointer*/) override {}
  Status check_memory(int /*index*/, const void* /*pointer*/, std::size_t /*bytes*/) override {
    return why_;
  }
  Result<SharedHandle> export_memory(const void* /*pointer*/) override { return why_; }
  Result<void*> import_memory(int /*index*/, const SharedHandle& /*memory*/) override {
    return why_;
  }
  void release_imported(void* /*pointer*/) override {}
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int /*index*/) override { return why_; }
  Result<std::shared_ptr<detail::EventImpl>> create_event(int /*index*/) override { return why_; }
  Result<SharedHandle> export_event(detail::EventImpl& /*event*/) override { return why_; }
  Result<std::shared_ptr<detail::EventImpl>> import_event(int /*index*/,
                                                          const SharedHandle& /*event*/) override {
    return why_;
  }

 private:
  Status why_;
};

}  // namespace rondo::device
