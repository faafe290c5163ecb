#pragma once

// Where a stream of a CUDA device stands still until the host lets it go on: the device looks at a
// word of page-locked memory, which counts the gates that have been opened.
// Source: stream memory operations of the CUDA Driver API (cuStreamWaitValue32).

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "core/device/cuda/context.h"
#include "core/status.h"

namespace rondo::device {

/// The gates of one stream, in its order. Threads: any.
class CudaGates {
 public:
  /// Errors: Device (no page-locked memory).
  static Result<std::shared_ptr<CudaGates>> make(std::shared_ptr<const CudaContext> context);
  /// Those of a stream that others keep: the same each time it is borrowed, and kept for good.
  static Result<std::shared_ptr<CudaGates>> of_borrowed(std::shared_ptr<const CudaContext> context,
                                                        CUstream stream);
  CudaGates(std::shared_ptr<const CudaContext> context, std::shared_ptr<void> word)
      : context_(std::move(context)), word_(std::move(word)) {}

  /// What the stream does next is for after `open` of what this returns. Errors: Device.
  Result<std::uint32_t> close(CUstream stream);
  /// In any order: the stream passes a gate when those before it are open too.
  void open(std::uint32_t gate);

 private:
  std::shared_ptr<const CudaContext> context_;
  std::shared_ptr<void> word_;
  std::mutex mutex_;
  CudaFrees::Hold hold_;          ///< while one is closed
  std::uint32_t closed_ = 0;      ///< gates so far
  std::uint32_t passed_ = 0;      ///< all up to this one are open
  std::set<std::uint32_t> open_;  ///< of those behind it
};

}  // namespace rondo::device
