#pragma once

// The kernels: every pair of a type and an op that this device combines.

#include <rondo/device_plugin.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace custom_cpu {

struct Kernel {
  const char* type;
  const char* op;
  rondo_reduce_kernel kernel;
};

std::vector<Kernel> kernels();

/// One reduction, as long as it takes until a stream comes to it.
struct Reduction {
  std::vector<const void*> sources;
  std::vector<void*> targets;
  std::size_t count;
  int divisor;
};
using HostKernel = void (*)(const Reduction&);

/// Null where there is none.
HostKernel find_kernel(std::string_view type, std::string_view op);

}  // namespace custom_cpu
