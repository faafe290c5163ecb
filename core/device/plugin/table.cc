#include "core/device/plugin/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace rondo::device {
namespace {

constexpr std::size_t kLongestKind = 31;
/// All that the first version had.
constexpr std::size_t kLeastBytes = offsetof(rondo_device_table, begin_range);

struct Entry {
  const char* name;
  bool is_there;
};

Status refuse(std::string why) { return Status(ErrorCode::kInvalidArgument, std::move(why)); }

Status check_version(const rondo_device_table& table) {
  // The first three members stay where they are in all versions.
  if (table.major_version != RONDO_DEVICE_PLUGIN_MAJOR) {
    return refuse(
        fmt::format("it was made for version {}.{} of rondo/device_plugin.h, this library "
                    "takes {}.x: build it again with this one's header",
                    table.major_version, table.minor_version, RONDO_DEVICE_PLUGIN_MAJOR));
  }
  if (table.size >= kLeastBytes && ends_between_entries(table.size)) return {};
  return refuse(
      fmt::format("its table has {} bytes, the first version had {}, and entries have {} each: was "
                  "size set?",
                  table.size, kLeastBytes, sizeof(void*)));
}

Status check_kind(const char* kind) {
  const std::string_view name = kind == nullptr ? "" : kind;
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const bool starts = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (starts && name.size() <= kLongestKind && std::ranges::all_of(name, fits)) return {};
  return refuse(
      fmt::format("its kind is \"{}\": a name is a letter, then letters, digits and '_', at "
                  "most {}",
                  name, kLongestKind));
}

std::vector<const char*> missing(std::span<const Entry> entries) {
  std::vector<const char*> names;
  for (const Entry& entry : entries) {
    if (!entry.is_there) names.push_back(entry.name);
  }
  return names;
}

Status check_required(const rondo_device_table& t) {
  const Entry entries[] = {{"last_error", t.last_error != nullptr},
                           {"device_count", t.device_count != nullptr},
                           {"allocate", t.allocate != nullptr},
                           {"deallocate", t.deallocate != nullptr},
                           {"owns", t.owns != nullptr},
                           {"copy", t.copy != nullptr}};
  const auto names = missing(entries);
  if (names.empty()) return {};
  return refuse(fmt::format("{} is missing: every device has it", fmt::join(names, ", ")));
}

Status check_group(const char* group, std::span<const Entry> entries) {
  const auto names = missing(entries);
  if (names.empty() || names.size() == entries.size()) return {};
  return refuse(fmt::format("{} of a table are there all or none, but {} is missing", group,
                            fmt::join(names, ", ")));
}

Status check_sharing(const rondo_device_table& t) {
  const Entry entries[] = {{"export_memory", t.export_memory != nullptr},
                           {"import_memory", t.import_memory != nullptr},
                           {"release_memory", t.release_memory != nullptr},
                           {"export_event", t.export_event != nullptr},
                           {"import_event", t.import_event != nullptr}};
  RONDO_TRY(check_group("the functions for other processes", entries));
  if (!can_share(t) || has_streams(t)) return {};
  return refuse("it shares events with other processes, but has no streams to record them in");
}

Status check_streams(const rondo_device_table& t) {
  const Entry entries[] = {{"create_stream", t.create_stream != nullptr},
                           {"destroy_stream", t.destroy_stream != nullptr},
                           {"synchronize_stream", t.synchronize_stream != nullptr},
                           {"create_event", t.create_event != nullptr},
                           {"destroy_event", t.destroy_event != nullptr},
                           {"record_event", t.record_event != nullptr},
                           {"wait_event", t.wait_event != nullptr},
                           {"synchronize_event", t.synchronize_event != nullptr}};
  RONDO_TRY(check_group("streams and events", entries));
  if (has_streams(t) || (t.copy_async == nullptr && t.query_event == nullptr)) return {};
  return refuse("it has copy_async or query_event, but no streams and events");
}

Status check_ranges(const rondo_device_table& t) {
  const Entry entries[] = {{"begin_range", t.begin_range != nullptr},
                           {"end_range", t.end_range != nullptr}};
  return check_group("the functions of ranges", entries);
}

Status check_host_memory(const rondo_device_table& t) {
  const Entry entries[] = {{"allocate_host", t.allocate_host != nullptr},
                           {"deallocate_host", t.deallocate_host != nullptr}};
  RONDO_TRY(check_group("the functions of page-locked memory", entries));
  if (!sees_host(t) || has_streams(t)) return {};
  return refuse("it has page-locked memory, but no streams that copy there");
}

/// What there is to do when one of them fails; of all others a plug-in knows more than Rondo.
std::string_view remedy(std::string_view function) {
  if (function == "allocate")
    return "free some of its memory, use smaller buffers, or look who else is using it";
  if (function == "import_memory" || function == "import_event")
    return "it is another process's, which may have ended or have freed it";
  if (function == "device_count") return "look at what the process may use of its devices";
  return "what it means is in the documentation of the plug-in; RONDO_DEVICE_PATH=host makes calls "
         "without its streams, kernels and library";
}

}  // namespace

Result<rondo_device_table> checked_table(const rondo_device_table& table) {
  RONDO_TRY(check_version(table));
  rondo_device_table whole{};
  std::memcpy(&whole, &table, std::min(table.size, sizeof(whole)));
  RONDO_TRY(check_kind(whole.kind));
  RONDO_TRY(check_required(whole));
  RONDO_TRY(check_streams(whole));
  RONDO_TRY(check_sharing(whole));
  RONDO_TRY(check_ranges(whole));
  RONDO_TRY(check_host_memory(whole));
  return whole;
}

Status plugin_status(const rondo_device_table& table, int device, const char* function, int code) {
  if (code == 0) return {};
  const char* why = table.last_error();
  const bool said = why != nullptr && *why != '\0';
  const std::string where = device == kNoDevice
                                ? fmt::format("the {} plug-in", table.kind)
                                : fmt::format("the plug-in of {}:{}", table.kind, device);
  return Status(ErrorCode::kDevice,
                fmt::format("{} of {} failed ({}): {}: {}", function, where, code,
                            said ? why : "no reason given", remedy(function)));
}

}  // namespace rondo::device
