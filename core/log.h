#pragma once

// What the library says while it runs, off the result path. RONDO_LOG=level[,file] chooses how
// much and where to (standard error by default, file lines are appended); the default is warn.
// Threads: any. A disabled message costs one relaxed load.

#include <string>
#include <string_view>
#include <utility>

#include "core/status.h"
#include "rondo/log.h"

namespace rondo {

struct LogSettings {
  LogLevel level = LogLevel::kWarn;
  std::string file;  ///< empty: standard error
};

/// "debug" or "info,/tmp/run.log". Errors: InvalidArgument, listing the levels.
Result<LogSettings> parse_log_settings(std::string_view text);

/// Replaces what RONDO_LOG said. Errors: System (the file can't be opened; nothing changes).
Status configure_log(const LogSettings& settings);

/// The first use reads RONDO_LOG; where that can't be understood, one line says so and warn holds.
bool log_enabled(LogLevel level);
void write_log(LogLevel level, std::string_view message);

/// Logs what `message` returns; not called where the level is off.
template <typename MakeMessage>
void log(LogLevel level, MakeMessage&& message) {
  if (log_enabled(level)) write_log(level, std::forward<MakeMessage>(message)());
}

}  // namespace rondo
