// Without nccl.h when it was built: CUDA devices have no library of their own.

#include "core/device/cuda/nccl/nccl.h"

namespace rondo::device {

Result<std::unique_ptr<CollectiveLibrary>> open_nccl(CudaDriver& /*driver*/) {
  return std::unique_ptr<CollectiveLibrary>();
}

}  // namespace rondo::device
