#pragma once

// What the CUDA driver knows of an address.
// Threads: any.

#include <cstddef>
#include <cstdint>

#include "core/device/cuda/context.h"
#include "core/device/cuda/table.h"
#include "core/status.h"

namespace rondo::device {

struct CudaPointer {
  bool known = false;            ///< else it is the host's, or nobody's
  bool on_device = false;        ///< else it is page-locked memory of the host
  bool managed = false;          ///< the host may touch it, too
  bool can_be_shared = false;    ///< with other processes, by a handle
  bool is_pooled = false;        ///< from a pool (cudaMallocAsync)
  bool is_mapped = false;        ///< by cuMemMap: `bytes` are of one piece, others may follow it
  int index = 0;                 ///< of its device
  std::uint64_t base = 0;        ///< of the allocation that it lies in
  std::size_t bytes = 0;         ///< of that
  std::uint64_t allocation = 0;  ///< a number that no other allocation of the process ever has
};

/// Errors: Device.
Result<CudaPointer> look_up(const CudaTable& table, const void* pointer);
/// Where the memory of that device ends that `found` is of, as far as anybody wants to know who
/// asks about addresses up to `until`: memory that is mapped is one however many pieces it has.
/// Errors: Device.
Result<std::uint64_t> end_of(const CudaTable& table, const CudaPointer& found, std::uint64_t until);
/// Whether the context's device may read and write there. Errors: Device.
Result<bool> may_use(const CudaContext& context, const void* pointer);

}  // namespace rondo::device
