#pragma once

// Every function of the CUDA driver that Rondo calls, as a table: filled from the driver's library
// at run time, so that one build runs with and without a driver, and replaced entry by entry in
// tests, so that every failure can be had. Names and types are those of cuda.h, which also tells
// which version of a function a name stands for.
// Source: CUDA Driver API reference, 13.0.

#include <cuda.h>

#define RONDO_CUDA_FUNCTIONS(FUNCTION)        \
  FUNCTION(cuInit)                            \
  FUNCTION(cuDriverGetVersion)                \
  FUNCTION(cuGetErrorName)                    \
  FUNCTION(cuGetErrorString)                  \
  FUNCTION(cuDeviceGetCount)                  \
  FUNCTION(cuDeviceGet)                       \
  FUNCTION(cuDeviceGetAttribute)              \
  FUNCTION(cuDeviceGetUuid)                   \
  FUNCTION(cuDeviceCanAccessPeer)             \
  FUNCTION(cuDevicePrimaryCtxRetain)          \
  FUNCTION(cuDevicePrimaryCtxRelease)         \
  FUNCTION(cuCtxPushCurrent)                  \
  FUNCTION(cuCtxPopCurrent)                   \
  FUNCTION(cuCtxEnablePeerAccess)             \
  FUNCTION(cuMemAlloc)                        \
  FUNCTION(cuMemFree)                         \
  FUNCTION(cuMemHostAlloc)                    \
  FUNCTION(cuMemFreeHost)                     \
  FUNCTION(cuMemcpyAsync)                     \
  FUNCTION(cuPointerGetAttributes)            \
  FUNCTION(cuIpcGetMemHandle)                 \
  FUNCTION(cuIpcOpenMemHandle)                \
  FUNCTION(cuIpcCloseMemHandle)               \
  FUNCTION(cuIpcGetEventHandle)               \
  FUNCTION(cuIpcOpenEventHandle)              \
  FUNCTION(cuStreamCreate)                    \
  FUNCTION(cuStreamDestroy)                   \
  FUNCTION(cuStreamQuery)                     \
  FUNCTION(cuStreamIsCapturing)               \
  FUNCTION(cuThreadExchangeStreamCaptureMode) \
  FUNCTION(cuStreamWaitEvent)                 \
  FUNCTION(cuStreamWaitValue32)               \
  FUNCTION(cuEventCreate)                     \
  FUNCTION(cuEventDestroy)                    \
  FUNCTION(cuEventRecord)                     \
  FUNCTION(cuEventQuery)                      \
  FUNCTION(cuModuleLoadData)                  \
  FUNCTION(cuModuleGetFunction)               \
  FUNCTION(cuModuleUnload)                    \
  FUNCTION(cuLaunchHostFunc)                  \
  FUNCTION(cuLaunchKernel)

namespace rondo::device {

struct CudaTable {
  // NOLINTNEXTLINE(bugprone-macro-parentheses): a name is declared
#define RONDO_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  RONDO_CUDA_FUNCTIONS(RONDO_CUDA_MEMBER)
#undef RONDO_CUDA_MEMBER
};

}  // namespace rondo::device
