#include "core/trace/last_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "rondo/error.h"

namespace rondo::trace {
namespace {

double microseconds(Ticks ticks, const TickScale& scale) {
  constexpr double kNsPerUs = 1000;
  return static_cast<double>(scale.duration_ns(ticks)) / kNsPerUs;
}

/// Messages have no number; the rank is their peer.
std::string name_of(const CallRecord& record, const Series& series) {
  if (record.sequence == 0) return fmt::format("{} with rank {}", series.collective, record.root);
  return fmt::format("#{} {}", record.sequence, series.collective);
}

std::string text_of(const CallRecord& record, const Series& series, const TickScale& scale) {
  std::string text = fmt::format("{} {} bytes {} {} {:.1f} us", name_of(record, series),
                                 record.bytes, series.algorithm, series.transport,
                                 microseconds(record.done - record.begun, scale));
  if (record.waited_longest_for >= 0) {
    text += fmt::format(" (waited {:.1f} us, longest for rank {})",
                        microseconds(record.wait, scale), record.waited_longest_for);
  }
  if (record.result != 0)
    text += fmt::format(" {}", to_string(static_cast<ErrorCode>(record.result)));
  return text;
}

}  // namespace

std::string last_calls(const std::vector<CallRecord>& records,
                       const std::vector<const Series*>& series, const TickScale& scale) {
  std::string text;
  const std::size_t told = std::min(records.size(), kLastCallsTold);
  for (const CallRecord& record : std::span(records).last(told)) {
    if (record.series >= series.size()) continue;
    if (!text.empty()) text += "; ";
    text += text_of(record, *series[record.series], scale);
  }
  return text;
}

}  // namespace rondo::trace
