#pragma once

// What the CUDA driver knows of an address.
// Threads: any.

#include <cstddef>
#include <cstdint>

#include "core/device/cuda/table.h"
#include "core/status.h"

namespace rondo::device {

struct CudaPointer {
  bool known = false;            ///< else it is the host's, or nobody's
  bool on_device = false;        ///< else it is page-locked memory of the host
  bool managed = false;          ///< the host may touch it, too
  bool can_be_shared = false;    ///< with other processes, by a handle
  int index = 0;                 ///< of its device
  std::uint64_t base = 0;        ///< of the allocation that it lies in
  std::size_t bytes = 0;         ///< of that
  std::uint64_t allocation = 0;  ///< a number that no other allocation of the process ever has
};

/// Errors: Device.
Result<CudaPointer> look_up(const CudaTable& table, const void* pointer);

}  // namespace rondo::device
