#include "core/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/environment.h"

namespace rondo {
namespace {

constexpr const char* kVariable = "RONDO_LOG";
constexpr const char* kPattern = "%Y-%m-%d %H:%M:%S.%f rondo[%P] %l: %v";

struct LevelRow {
  std::string_view name;
  spdlog::level::level_enum level;
};

/// In the order of LogLevel.
constexpr std::array<LevelRow, 6> kLevels = {{
    {"off", spdlog::level::off},
    {"error", spdlog::level::err},
    {"warn", spdlog::level::warn},
    {"info", spdlog::level::info},
    {"debug", spdlog::level::debug},
    {"trace", spdlog::level::trace},
}};

/// A logger of spdlog throws where the file can't be opened; it is caught here, at the border.
Result<std::shared_ptr<spdlog::logger>> make_logger(const LogSettings& settings) {
  spdlog::sink_ptr sink;
  try {
    if (settings.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(settings.file);
    }
  } catch (const spdlog::spdlog_ex& error) {
    return Status(ErrorCode::kSystem,
                  fmt::format("the log file can't be opened: {}", error.what()));
  }
  auto logger = std::make_shared<spdlog::logger>("rondo", std::move(sink));
  logger->set_pattern(kPattern);
  logger->set_level(spdlog::level::trace);  // the level is checked before the logger is reached
  logger->flush_on(spdlog::level::trace);   // a line before a crash is the one that is needed
  return logger;
}

class Log {
 public:
  Log() {
    const Status status = start();
    if (status.ok()) return;
    if (auto fallback = make_logger({}); fallback.ok()) logger_ = std::move(fallback).value();
    write(LogLevel::kWarn, fmt::format("{}; logging warnings to standard error", status.message()));
  }

  Status configure(const LogSettings& settings) {
    RONDO_ASSIGN(auto logger, make_logger(settings));
    const std::lock_guard lock(mutex_);
    logger_ = std::move(logger);
    level_of_settings_ = settings.level;
    if (!function_) level_.store(settings.level, std::memory_order_relaxed);
    return {};
  }

  bool enabled(LogLevel level) const {
    return level != LogLevel::kOff && level <= level_.load(std::memory_order_relaxed);
  }

  void hand_to(LogFunction function, LogLevel level) {
    const std::lock_guard lock(mutex_);
    function_ = function ? std::make_shared<const LogFunction>(std::move(function)) : nullptr;
    level_.store(function_ ? level : level_of_settings_, std::memory_order_relaxed);
  }

  void write(LogLevel level, std::string_view message) {
    if (const auto function = handed_to()) return hand_over(*function, level, message);
    const std::lock_guard lock(mutex_);
    if (!logger_) return;
    logger_->log(kLevels[static_cast<std::size_t>(level)].level,
                 spdlog::string_view_t(message.data(), message.size()));
  }

 private:
  std::shared_ptr<const LogFunction> handed_to() {
    const std::lock_guard lock(mutex_);
    return function_;
  }

  /// Without the lock: the function may call Rondo, which may log.
  static void hand_over(const LogFunction& function, LogLevel level, std::string_view message) {
    try {
      function(level, message);
    } catch (...) {
      // There is nobody to tell: telling is what failed.
    }
  }

  Status start() {
    const auto text = environment_text(kVariable);
    if (!text) return configure({});
    const Result<LogSettings> settings = parse_log_settings(*text);
    if (!settings.ok()) {
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("{}={}: {}", kVariable, *text, settings.status().message()));
    }
    return configure(settings.value());
  }

  std::mutex mutex_;
  std::shared_ptr<spdlog::logger> logger_;
  std::shared_ptr<const LogFunction> function_;  ///< the program's, if it has given one
  LogLevel level_of_settings_ = LogLevel::kWarn;
  std::atomic<LogLevel> level_{LogLevel::kWarn};
};

/// Never destroyed: other threads and static objects may log until the process is gone.
Log& process_log() {
  static Log& log = *new Log();
  return log;
}

}  // namespace

Result<LogSettings> parse_log_settings(std::string_view text) {
  const std::size_t comma = text.find(',');
  const std::string_view name = text.substr(0, comma);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i].name == name) {
      const auto file = comma == std::string_view::npos ? "" : text.substr(comma + 1);
      return LogSettings{static_cast<LogLevel>(i), std::string(file)};
    }
    names.push_back(kLevels[i].name);
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no log level: expected {}, then optionally \",file\"", name,
                            fmt::join(names, ", ")));
}

Status configure_log(const LogSettings& settings) { return process_log().configure(settings); }

inline namespace v1 {
void set_log(LogFunction function, LogLevel level) {
  process_log().hand_to(std::move(function), level);
}
}  // namespace v1

bool log_enabled(LogLevel level) { return process_log().enabled(level); }

void write_log(LogLevel level, std::string_view message) {
  if (log_enabled(level)) process_log().write(level, message);
}

}  // namespace rondo
