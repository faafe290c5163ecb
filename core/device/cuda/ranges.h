#pragma once

// Ranges in NVIDIA's profilers (Nsight Systems), by NVTX: a call each that returns at once while no
// tool has put itself behind it.
// Source: NVTX 3, headers of the CUDA toolkit.

#include <cstdint>

namespace rondo::device {

std::uint64_t begin_cuda_range(const char* name);
void end_cuda_range(std::uint64_t range);

}  // namespace rondo::device
