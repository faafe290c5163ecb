#pragma once

// The kernels of CUDA devices as functions of the host, by their names on the device: for tests of
// their arithmetic, and for the driver that is acted in tests.

#include <functional>
#include <string_view>

namespace rondo::kernels::cuda {

struct HostGrid {
  unsigned int blocks = 1;
  unsigned int threads = 1;
};

/// Where the host sees what lies at a device's address.
using SeenByHost = std::function<void*(void*)>;

/// `parameter`: the kernel's one parameter, of its own type. Pointers in it are the device's, where
/// `seen` is given.
using HostKernel = void (*)(HostGrid grid, const void* parameter, const SeenByHost& seen);

/// Null where there is none of that name.
HostKernel find_host_kernel(std::string_view name);

}  // namespace rondo::kernels::cuda
