#pragma once

// The reduce kernels of reduce_list.h as functions of the host, by their names on the device: for
// tests of their arithmetic, and for the driver that is acted in tests.

#include <string_view>

#include "collectives/kernels/cuda/reduce_parameters.h"

namespace rondo::kernels::cuda {

struct HostGrid {
  unsigned int blocks = 1;
  unsigned int threads = kReduceThreads;
};

using HostKernel = void (*)(HostGrid grid, const ReduceParameters& parameters);

/// Null where there is none of that name.
HostKernel find_host_kernel(std::string_view name);

}  // namespace rondo::kernels::cuda
