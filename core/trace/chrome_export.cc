#include "core/trace/chrome_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "rondo/error.h"
#include "rondo/types.h"

namespace rondo::trace {
namespace {

/// Nanoseconds as the microseconds of the format, exactly.
std::string microseconds(std::int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

struct Instants {
  std::int64_t entered_ns, begun_ns, first_byte_ns, last_byte_ns, done_ns;
};

Instants instants_of(const CallRecord& record, const TickScale& scale) {
  return {scale.instant_ns(record.entered), scale.instant_ns(record.begun),
          scale.instant_ns(record.first_byte), scale.instant_ns(record.last_byte),
          scale.instant_ns(record.done)};
}

/// Collectives come one after the other; messages beside them, those of each peer on their own row.
int row_of(const CallRecord& record) { return record.sequence != 0 ? 0 : record.root + 1; }

std::string metadata(const TraceOwner& owner, std::uint64_t pushed, std::size_t kept,
                     std::string_view error) {
  std::string text = fmt::format(
      R"({{"name":"rondo","ph":"M","pid":{},"tid":0,"args":{{"version":{},"rank":{},"world":{},)"
      R"("process":{},"host":{},"clock":{},"clock_offset_ns":0,"job":{},"calls":{},"kept":{},)"
      R"("error":{}}}}})",
      owner.rank, kFormatVersion, owner.rank, owner.world, owner.pid, quoted(owner.host),
      quoted(owner.clock), quoted(owner.job), pushed, kept,
      quoted(error.substr(0, kMostTextBytes)));
  text += fmt::format(
      ",\n"
      R"({{"name":"process_name","ph":"M","pid":{},"tid":0,"args":{{"name":{}}}}})"
      ",\n"
      R"({{"name":"process_sort_index","ph":"M","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
      owner.rank, quoted(fmt::format("rank {} on {}", owner.rank, owner.host)), owner.rank,
      owner.rank);
  return text;
}

std::string call_event(const CallRecord& record, const Series& series, int rank, const Instants& at,
                       const TickScale& scale) {
  const auto type = static_cast<DataType>(record.type);
  const std::int64_t total_ns = at.done_ns - at.begun_ns;
  const std::int64_t wait_ns = std::min(scale.duration_ns(record.wait), total_ns);
  const std::int64_t reduce_ns = std::min(scale.duration_ns(record.reduce), total_ns - wait_ns);
  const std::int64_t transfer_ns = total_ns - wait_ns - reduce_ns;
  std::string text = fmt::format(
      R"({{"name":{},"cat":"call","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{)"
      R"("sequence":{},"count":{},"bytes":{},"type":"{}","op":"{}","root":{},"algorithm":{},)"
      R"("transport":{},"result":"{}","entered_ns":{},"begun_ns":{},"first_byte_ns":{},)"
      R"("last_byte_ns":{},"done_ns":{},"wait_ns":{},"transfer_ns":{},"reduce_ns":{},)"
      R"("waited_longest_for":{},"waited_last_for":{},"link_peer":{},"link_ns":{},)"
      R"("link_bytes":{}}}}})",
      quoted(series.collective), rank, row_of(record), microseconds(at.begun_ns),
      microseconds(total_ns), record.sequence, record.count, record.bytes, to_string(type),
      record.reduces != 0 ? to_string(static_cast<ReduceOp>(record.op)) : "none", record.root,
      quoted(series.algorithm), quoted(series.transport),
      to_string(static_cast<ErrorCode>(record.result)), at.entered_ns, at.begun_ns,
      at.first_byte_ns, at.last_byte_ns, at.done_ns, wait_ns, transfer_ns, reduce_ns,
      record.waited_longest_for, record.waited_last_for, record.link_peer,
      scale.duration_ns(record.link), record.link_bytes);
  std::int64_t begin_ns = at.begun_ns;
  const auto part = [&](const char* name, std::int64_t ns) {
    if (ns == 0) return;
    text += fmt::format(
        ",\n"
        R"({{"name":"{}","cat":"part","ph":"X","pid":{},"tid":{},"ts":{},"dur":{}}})",
        name, rank, row_of(record), microseconds(begin_ns), microseconds(ns));
    begin_ns += ns;
  };
  part("wait", wait_ns);
  part("transfer", transfer_ns);
  part("reduce", reduce_ns);
  return text;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    const bool plain = c >= ' ' && c <= '~';
    quoted += plain ? c : (c == '\n' ? ' ' : '?');
  }
  return quoted + "\"";
}

std::string chrome_trace(const TraceOwner& owner, const std::vector<CallRecord>& records,
                         std::uint64_t pushed, const std::vector<const Series*>& series,
                         const TickScale& scale, std::string_view error) {
  std::string text = "[\n" + metadata(owner, pushed, records.size(), error);
  for (const CallRecord& record : records) {
    if (record.series >= series.size()) continue;
    text += ",\n";
    text +=
        call_event(record, *series[record.series], owner.rank, instants_of(record, scale), scale);
  }
  return text + "\n]\n";
}

}  // namespace rondo::trace
