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
  explicit Faults(const FaultPlan& plan) : plan_(plan) {}

  /// Counts one operation. Errors: Device, if it is one that fails.
  Status next(Operation operation, Device device);

 private:
  FaultPlan plan_;
  std::array<std::atomic<std::uint64_t>, kOperations> counts_{};
};

}  // namespace rondo::device
