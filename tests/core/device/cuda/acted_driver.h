#pragma once

#include <memory>

#include "core/device/cuda/driver.h"
#include "core/device/cuda/library.h"

namespace rondo::device {

inline CudaTable acted_table() { return value_or_throw(load_cuda_table(FAKE_CUDA)); }

inline std::unique_ptr<CudaDriver> acted_driver() {
  return value_or_throw(CudaDriver::make(acted_table()));
}

}  // namespace rondo::device
