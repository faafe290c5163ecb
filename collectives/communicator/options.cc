#include "collectives/communicator/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "collectives/kernels/wire_format.h"
#include "collectives/select/select.h"
#include "core/environment.h"
#include "core/json/reader.h"

namespace rondo::communicator {
namespace {

constexpr IntegerRange kSocketRange{0, 16};
constexpr IntegerRange kTimeoutRange{1, std::numeric_limits<int>::max()};
/// Segments begin on a cache line, and so on an element of any type.
constexpr std::size_t kSegmentUnit = 64;
constexpr IntegerRange kSegmentRange{kSegmentUnit, std::int64_t{1} << 30};

Status resolve_number(int& option, int fallback, const char* variable) {
  if (option == fallback) {
    RONDO_ASSIGN(const std::int64_t value, environment_integer(variable, fallback, kTimeoutRange));
    option = static_cast<int>(value);
  }
  if (option >= kTimeoutRange.lowest) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("a timeout must be at least 1 ms, not {} ms ({})", option, variable));
}

Status resolve_sockets(int& option, int fallback) {
  constexpr const char* kVariable = "RONDO_TCP_SOCKETS";
  if (option == fallback) {
    RONDO_ASSIGN(const std::int64_t value, environment_integer(kVariable, fallback, kSocketRange));
    option = static_cast<int>(value);
  }
  if (option >= kSocketRange.lowest && option <= kSocketRange.highest) return {};
  return Status(
      ErrorCode::kInvalidArgument,
      fmt::format("{} tcp sockets to each peer; there may be 1 to {}, or 0 for as many as "
                  "the link takes ({})",
                  option, kSocketRange.highest, kVariable));
}

Status resolve_bytes(std::size_t& option, std::size_t fallback, const char* variable) {
  if (option != fallback) return {};
  RONDO_ASSIGN(const std::int64_t value,
               environment_integer(variable, static_cast<std::int64_t>(fallback),
                                   {0, std::numeric_limits<std::int64_t>::max()}));
  option = static_cast<std::size_t>(value);
  return {};
}

Status resolve_segment(std::size_t& option, std::size_t fallback) {
  constexpr const char* kVariable = "RONDO_SEGMENT_BYTES";
  if (option == fallback) {
    RONDO_ASSIGN(
        const std::int64_t value,
        environment_integer(kVariable, static_cast<std::int64_t>(fallback), kSegmentRange));
    option = static_cast<std::size_t>(value);
  }
  if (option == 0) return {};
  const bool in_range = option >= kSegmentUnit && option <= std::size_t{kSegmentRange.highest};
  if (in_range && option % kSegmentUnit == 0) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("segments must be a multiple of {} bytes from {} to {}, not {} ({})",
                            kSegmentUnit, kSegmentUnit, kSegmentRange.highest, option, kVariable));
}

void resolve_text(std::string& option, const std::string& fallback, const char* variable) {
  if (option == fallback) option = environment_text(variable).value_or(fallback);
}

Status check_word(const char* option, const std::string& given,
                  const std::vector<std::string>& words, const char* variable) {
  if (std::find(words.begin(), words.end(), given) != words.end()) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("there is no {} '{}'; there are: {} (option {}, {})", option, given,
                            fmt::join(words, ", "), option, variable));
}

Status check_algorithm(const std::string& given) {
  const Status status =
      select::forced_algorithm(schedule::Collective::kAllReduce, given, {}).status();
  if (status.ok()) return {};
  return Status(status.code(), fmt::format("{} (option algorithm, RONDO_ALGO)", status.message()));
}

/// So that a message can show it: memory that nobody has written may look like a text.
Status check_plain(const char* variable, const std::string& given) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  if (std::none_of(given.begin(), given.end(), is_control)) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("the option of {} is {} bytes with control characters among them; "
                            "expected a word or a path of one line",
                            variable, given.size()));
}

Status check_plain(const CommunicatorOptions& options) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"RONDO_TRANSPORT", &options.transport},
      {"RONDO_ALGO", &options.algorithm},
      {"RONDO_IFACE", &options.interface},
      {"RONDO_PROGRESS", &options.progress},
      {"RONDO_LINKS", &options.links},
      {"RONDO_TUNING", &options.tuning},
      {"RONDO_WIRE_FORMAT", &options.wire_format},
      {"RONDO_ERROR_FEEDBACK", &options.error_feedback},
      {"RONDO_DEVICE_PATH", &options.device_path}};
  for (const auto& [variable, text] : texts) RONDO_TRY(check_plain(variable, *text));
  // A schedule may be a text of many lines.
  if (!json::is_object_text(options.schedule))
    RONDO_TRY(check_plain("RONDO_SCHEDULE", options.schedule));
  return {};
}

Status check_words(const CommunicatorOptions& options) {
  RONDO_TRY(check_word("transport", options.transport, {"auto", "inproc", "shm", "tcp"},
                       "RONDO_TRANSPORT"));
  RONDO_TRY(check_algorithm(options.algorithm));
  RONDO_TRY(check_word("device path", options.device_path,
                       {"auto", "host", "devices", "kernel", "library", "messages"},
                       "RONDO_DEVICE_PATH"));
  RONDO_TRY(check_word("progress", options.progress, {"thread", "caller"}, "RONDO_PROGRESS"));
  const auto formats = kernels::wire_format_names();
  RONDO_TRY(check_word("wire format", options.wire_format, {formats.begin(), formats.end()},
                       "RONDO_WIRE_FORMAT"));
  return check_word("error feedback", options.error_feedback, {"auto", "on", "off"},
                    "RONDO_ERROR_FEEDBACK");
}

/// What excludes each other.
Status check_together(const CommunicatorOptions& options) {
  if (options.deterministic && options.wire_format != "none") {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("deterministic and the wire format {} exclude each other: what travels "
                    "over tcp alone is rounded to it (RONDO_DETERMINISTIC, "
                    "RONDO_WIRE_FORMAT)",
                    options.wire_format));
  }
  if (options.deterministic && options.device_path == "library") {
    return Status(ErrorCode::kInvalidArgument,
                  "deterministic and the device path library exclude each other: in which order a "
                  "library adds is its own affair (RONDO_DETERMINISTIC, RONDO_DEVICE_PATH)");
  }
  return {};
}

}  // namespace

Result<CommunicatorOptions> resolve(CommunicatorOptions options) {
  const CommunicatorOptions defaults;
  RONDO_TRY(resolve_number(options.timeout_ms, defaults.timeout_ms, "RONDO_TIMEOUT_MS"));
  RONDO_TRY(
      resolve_number(options.join_timeout_ms, defaults.join_timeout_ms, "RONDO_JOIN_TIMEOUT_MS"));
  resolve_text(options.transport, defaults.transport, "RONDO_TRANSPORT");
  resolve_text(options.algorithm, defaults.algorithm, "RONDO_ALGO");
  resolve_text(options.interface, defaults.interface, "RONDO_IFACE");
  RONDO_TRY(resolve_sockets(options.tcp_sockets, defaults.tcp_sockets));
  RONDO_TRY(resolve_bytes(options.tcp_zero_copy_bytes, defaults.tcp_zero_copy_bytes,
                          "RONDO_TCP_ZERO_COPY"));
  RONDO_TRY(
      resolve_bytes(options.private_read_bytes, defaults.private_read_bytes, "RONDO_PRIVATE_READ"));
  resolve_text(options.progress, defaults.progress, "RONDO_PROGRESS");
  RONDO_TRY(resolve_segment(options.segment_bytes, defaults.segment_bytes));
  if (!options.deterministic) {
    RONDO_ASSIGN(options.deterministic, environment_flag("RONDO_DETERMINISTIC", false));
  }
  resolve_text(options.links, defaults.links, "RONDO_LINKS");
  resolve_text(options.tuning, defaults.tuning, "RONDO_TUNING");
  resolve_text(options.schedule, defaults.schedule, "RONDO_SCHEDULE");
  resolve_text(options.wire_format, defaults.wire_format, "RONDO_WIRE_FORMAT");
  resolve_text(options.error_feedback, defaults.error_feedback, "RONDO_ERROR_FEEDBACK");
  resolve_text(options.device_path, defaults.device_path, "RONDO_DEVICE_PATH");
  RONDO_TRY(check_plain(options));
  RONDO_TRY(check_words(options));
  RONDO_TRY(check_together(options));
  return options;
}

}  // namespace rondo::communicator
