#include "collectives/kernels/cuda/reduce.h"

namespace rondo::kernels {

DeviceReduceKernel cuda_reduce_kernel(DataType /*type*/, ReduceOp /*op*/) { return nullptr; }

}  // namespace rondo::kernels
