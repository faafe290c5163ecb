#pragma once

// The kernels: every pair of a type and an op that this device combines.

#include <rondo/device_plugin.h>

#include <vector>

namespace custom_cpu {

struct Kernel {
  const char* type;
  const char* op;
  rondo_reduce_kernel kernel;
};

std::vector<Kernel> kernels();

}  // namespace custom_cpu
