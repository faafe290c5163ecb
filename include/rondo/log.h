#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

enum class LogLevel : std::uint8_t { kOff, kError, kWarn, kInfo, kDebug, kTrace };

using LogFunction = std::function<void(LogLevel level, std::string_view line)>;

/// Hands what Rondo says while it runs to the program instead of to RONDO_LOG's place: lines of
/// `level` and above it, without their end. An empty function: as RONDO_LOG says again. For the
/// whole process. What the function throws is dropped.
/// Threads: any; the function is called by whichever thread has something to say, several at once,
/// and may itself call Rondo but for this. A line that another thread is writing while the function
/// is replaced may still come to the old one.
RONDO_API void set_log(LogFunction function, LogLevel level = LogLevel::kWarn);

}  // namespace v1
}  // namespace rondo
