#include "core/device/cuda.h"
#include "core/device/missing.h"

namespace rondo::device {

Result<DeviceDriver*> cuda_driver() {
  static MissingDriver& driver = *new MissingDriver(
      Status(ErrorCode::kUnsupported,
             "this build of rondo has no CUDA device: configure it with -DRONDO_CUDA=ON, with the "
             "CUDA toolkit installed"));
  return &driver;
}

bool cuda_is_loaded() { return false; }

bool cuda_hides(const void* /*pointer*/) { return false; }

}  // namespace rondo::device
