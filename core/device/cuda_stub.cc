#include "core/device/cuda.h"

namespace rondo::device {
namespace {

Status not_built() {
  return Status(ErrorCode::kUnsupported,
                "this build of rondo has no CUDA device: configure it with -DRONDO_CUDA=ON, with "
                "the CUDA toolkit installed");
}

class CudaStub final : public DeviceDriver {
 public:
  Result<int> device_count() override { return 0; }
  Result<void*> allocate(int /*index*/, std::size_t /*bytes*/) override { return not_built(); }
  void free(void* /*pointer*/) override {}
  Status check_memory(int /*index*/, const void* /*pointer*/, std::size_t /*bytes*/) override {
    return not_built();
  }
  Result<SharedHandle> export_memory(const void* /*pointer*/) override { return not_built(); }
  Result<void*> import_memory(int /*index*/, const SharedHandle& /*memory*/) override {
    return not_built();
  }
  void release_imported(void* /*pointer*/) override {}
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int /*index*/) override {
    return not_built();
  }
  Result<std::shared_ptr<detail::EventImpl>> create_event(int /*index*/) override {
    return not_built();
  }
  Result<SharedHandle> export_event(detail::EventImpl& /*event*/) override { return not_built(); }
  Result<std::shared_ptr<detail::EventImpl>> import_event(int /*index*/,
                                                          const SharedHandle& /*event*/) override {
    return not_built();
  }
};

}  // namespace

Result<DeviceDriver*> cuda_driver() {
  static CudaStub& driver = *new CudaStub();
  return &driver;
}

}  // namespace rondo::device
