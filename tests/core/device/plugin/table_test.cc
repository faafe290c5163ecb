// What a plug-in's table may leave out: required entries never, those of a group all or none.

#include "core/device/plugin/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/device/plugin/collectives.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

template <class Function>
struct Nothing;
template <class Result, class... Arguments>
struct Nothing<Result (*)(Arguments...)> {
  static Result call(Arguments... /*arguments*/) { return {}; }
};

/// An entry of a table, there or not: whether it is null is all that is looked at.
struct Entry {
  const char* name;
  const char* group;
  void (*put)(rondo_device_table& table, bool is_there);
};

template <auto Member>
void put(rondo_device_table& table, bool is_there) {
  auto& entry = table.*Member;
  using Function = std::remove_reference_t<decltype(entry)>;
  entry = is_there ? &Nothing<Function>::call : nullptr;
}

#define RONDO_ENTRY(name, group) \
  Entry { #name, group, &put < &rondo_device_table::name> }
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {RONDO_ENTRY(last_error, "required"),
                                         RONDO_ENTRY(device_count, "required"),
                                         RONDO_ENTRY(allocate, "required"),
                                         RONDO_ENTRY(deallocate, "required"),
                                         RONDO_ENTRY(owns, "required"),
                                         RONDO_ENTRY(copy, "required"),
                                         RONDO_ENTRY(export_memory, "sharing"),
                                         RONDO_ENTRY(import_memory, "sharing"),
                                         RONDO_ENTRY(release_memory, "sharing"),
                                         RONDO_ENTRY(export_event, "sharing"),
                                         RONDO_ENTRY(import_event, "sharing"),
                                         RONDO_ENTRY(create_stream, "streams"),
                                         RONDO_ENTRY(destroy_stream, "streams"),
                                         RONDO_ENTRY(synchronize_stream, "streams"),
                                         RONDO_ENTRY(create_event, "streams"),
                                         RONDO_ENTRY(destroy_event, "streams"),
                                         RONDO_ENTRY(record_event, "streams"),
                                         RONDO_ENTRY(wait_event, "streams"),
                                         RONDO_ENTRY(synchronize_event, "streams"),
                                         RONDO_ENTRY(begin_range, "ranges"),
                                         RONDO_ENTRY(end_range, "ranges"),
                                         RONDO_ENTRY(allocate_host, "host memory"),
                                         RONDO_ENTRY(deallocate_host, "host memory"),
                                         RONDO_ENTRY(copy_async, "single"),
                                         RONDO_ENTRY(query_event, "single"),
                                         RONDO_ENTRY(initialize, "single"),
                                         RONDO_ENTRY(finalize, "single"),
                                         RONDO_ENTRY(driver_version, "single"),
                                         RONDO_ENTRY(runtime_version, "single")};
  return all;
}

/// With all entries but those that `leave_out` names.
template <typename LeaveOut>
rondo_device_table table_without(const LeaveOut& leave_out) {
  rondo_device_table table{};
  table.size = sizeof(table);
  table.major_version = RONDO_DEVICE_PLUGIN_MAJOR;
  table.minor_version = RONDO_DEVICE_PLUGIN_MINOR;
  table.kind = "some";
  for (const Entry& entry : entries()) entry.put(table, !leave_out(entry));
  return table;
}

Status status_without_group(std::string_view left_out) {
  return checked_table(table_without([&](const Entry& entry) {
           return left_out.find(entry.group) != std::string_view::npos;
         }))
      .status();
}

class PluginEntry : public ::testing::TestWithParam<Entry> {};

TEST_P(PluginEntry, LeftOutAlone_IsMissed_UnlessItIsOptionalByItself) {
  const std::string name = GetParam().name;
  const Status status =
      checked_table(table_without([&](const Entry& entry) { return name == entry.name; })).status();
  if (std::string_view(GetParam().group) == "single") {
    EXPECT_TRUE(status.ok()) << status.to_string();
    return;
  }
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(name + " is missing"));
}

TEST_P(PluginEntry, OfAnOptionalGroup_AloneThere_IsNotEnough) {
  const Entry& only = GetParam();
  const std::string group = only.group;
  if (group == "required" || group == "single") return;
  const rondo_device_table table = table_without([&](const Entry& entry) {
    return group == entry.group && std::string_view(entry.name) != only.name;
  });
  EXPECT_THAT(checked_table(table).status().message(), HasSubstr("all or none"));
}

INSTANTIATE_TEST_SUITE_P(Each, PluginEntry, ::testing::ValuesIn(entries()),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(PluginTable, OptionalGroups_MayBeLeftOutWhole) {
  EXPECT_TRUE(status_without_group("").ok());
  for (const char* const left_out :
       {"sharing", "ranges", "host memory", "sharing, streams, single, host memory",
        "sharing, streams, ranges, host memory, single"})
    EXPECT_TRUE(status_without_group(left_out).ok()) << left_out;
}

TEST(PluginTable, EventsForOtherProcesses_WithoutStreams_AreRefused) {
  EXPECT_THAT(status_without_group("streams, single").message(),
              HasSubstr("has no streams to record them in"));
}

TEST(PluginTable, WhatStreamsDo_WithoutStreams_IsRefused) {
  EXPECT_THAT(status_without_group("sharing, streams, host memory").message(),
              HasSubstr("copy_async or query_event, but no streams"));
  EXPECT_THAT(status_without_group("sharing, streams, single").message(),
              HasSubstr("page-locked memory, but no streams"));
}

/// Of a plug-in that was built with the header of a later version.
template <class Table>
struct Newer {
  Table known;
  void (*added[2])() = {[] {}, [] {}};
};

TEST(PluginTable, OfANewerVersion_IsTakenWithoutWhatIsNewThere) {
  Newer<rondo_device_table> newer{table_without([](const Entry&) { return false; })};
  newer.known.size = sizeof(newer);
  ++newer.known.minor_version;
  const auto taken = checked_table(newer.known);
  ASSERT_TRUE(taken.ok()) << taken.status().to_string();
  EXPECT_EQ(taken->deallocate_host, newer.known.deallocate_host);
}

TEST(PluginTable, ThatEndsWithinAnEntry_IsRefused) {
  rondo_device_table table = table_without([](const Entry&) { return false; });
  table.size = offsetof(rondo_device_table, initialize) + 4;
  EXPECT_THAT(checked_table(table).status().message(), HasSubstr("was size set?"));
}

rondo_collective_table least_collectives() {
  rondo_collective_table table{};
  table.size = sizeof(table);
  table.version = "1.0";
  table.reduces = [](const char*, const char*) { return 0; };
  table.make_id = [](rondo_plugin_id*) { return 0; };
  table.join = [](int, const rondo_plugin_id*, int, int, rondo_plugin_communicator*) { return 0; };
  table.abort = table.leave = [](rondo_plugin_communicator) { return 0; };
  return table;
}

TEST(PluginCollectives, OfANewerVersion_AreTakenWithoutWhatIsNewThere) {
  Newer<rondo_collective_table> newer{least_collectives()};
  newer.known.size = sizeof(newer);
  newer.known.begin_group = newer.known.end_group = newer.known.abort;
  const auto taken = checked_collectives(newer.known);
  ASSERT_TRUE(taken.ok()) << taken.status().to_string();
  EXPECT_EQ(taken->end_group, newer.known.end_group);
}

TEST(PluginCollectives, ThatEndWithinAnEntry_OrBeforeTheFirstVersions_AreRefused) {
  for (const std::ptrdiff_t more : {-8, 4}) {
    rondo_collective_table table = least_collectives();
    table.size = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(sizeof(table)) + more);
    EXPECT_THAT(checked_collectives(table).status().message(), HasSubstr("was size set?")) << more;
  }
}

}  // namespace
}  // namespace rondo::device
