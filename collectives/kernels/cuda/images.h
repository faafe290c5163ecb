#pragma once

// What nvcc made of reduce_kernels.cu and schedule_kernels.cu.

// NOLINTBEGIN(readability-identifier-naming): symbols, as nvcc's kernels have them
extern "C" const unsigned char rondo_cuda_reduce_image[];
extern "C" const unsigned char rondo_cuda_schedule_image[];
// NOLINTEND(readability-identifier-naming)
