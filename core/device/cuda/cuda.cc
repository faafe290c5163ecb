#include "core/device/cuda.h"

#include "core/device/cuda/driver.h"
#include "core/device/cuda/library.h"
#include "core/device/missing.h"

namespace rondo::device {
namespace {

Result<std::unique_ptr<CudaDriver>> open_driver() {
  RONDO_ASSIGN(const CudaTable table, load_cuda_table(cuda_library_path()));
  return CudaDriver::make(table);
}

}  // namespace

Result<DeviceDriver*> cuda_driver() {
  // Kept for good: the streams of static objects may run until the process is gone.
  static DeviceDriver* const driver = [] {
    auto opened = open_driver();
    if (!opened.ok()) return static_cast<DeviceDriver*>(new MissingDriver(opened.status()));
    return static_cast<DeviceDriver*>(std::move(opened).value().release());
  }();
  return driver;
}

}  // namespace rondo::device
