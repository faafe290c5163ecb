#pragma once

// Errors on purpose: which operation of an emulated device fails, and when.
// Threads: any.

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

enum class Operation : std::uint8_t {
  kAllocate,
  kCopy,
  kKernel,
  kStream,
  kEvent,
  kExport,
  kImport
};
inline constexpr std::size_t kOperations = 7;
/// "allocate", "copy", "kernel", "stream", "event", "export", "import".
const char* to_string(Operation operation);

/// Which ones fail, by their number among their like, from 1; 0: none.
struct FaultPlan {
  std::array<std::uint64_t, kOperations> failing{};
};

/// "copy:5" or "copy:5,import:1": the fifth copy and the first import fail.
/// Errors: InvalidArgument, saying what is allowed.
Result<FaultPlan> parse_faults(std::string_view text);

class Faults {
 public:
  explicit Faults(const FaultPlan& plan) { plan_again(plan); }

  /// Counts one operation. Errors: Device, if it is one that fails.
  Status next(Operation operation, Device device);
  /// From now on these, counted from 1 again. Threads: none is in `next` that is to be counted.
  void plan_again(const FaultPlan& plan);
  /// How many have failed since it was planned.
  int failed() const { return failed_.load(std::memory_order_acquire); }

 private:
  struct Count {
    std::atomic<std::uint64_t> failing = 0;
    std::atomic<std::uint64_t> seen = 0;
  };
  std::array<Count, kOperations> counts_{};
  std::atomic<int> failed_ = 0;
};

}  // namespace rondo::device
