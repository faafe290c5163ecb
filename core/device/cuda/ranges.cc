#include "core/device/cuda/ranges.h"

#include <nvtx3/nvToolsExt.h>

namespace rondo::device {

std::uint64_t begin_cuda_range(const char* name) { return nvtxRangeStartA(name); }

void end_cuda_range(std::uint64_t range) { nvtxRangeEnd(range); }

}  // namespace rondo::device
