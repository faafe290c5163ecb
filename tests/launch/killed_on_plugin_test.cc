// A rank is killed, or stopped, while its peers read its memory on the sample plug-in's devices
// (examples/custom_device), whose streams nothing ends; and memory that Rondo hasn't allocated
// there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/launch/killing.h"
#include "tests/launch/shell.h"

namespace rondo::launch {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOnPlugin =
    "RONDO_DEVICE_PLUGINS=" CUSTOM_CPU " RONDO_TEST_DEVICE=custom_cpu ";

Killing on_plugin(const char* name, const std::string& way) {
  return {name, kOnPlugin + way, "killed_on_device 2"};
}

class KilledOnPlugin : public ::testing::TestWithParam<Killing> {};

TEST_P(KilledOnPlugin, OneRank_AllOthersNameItInTime) { expect_others_name_the_killed(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Ways, KilledOnPlugin,
    ::testing::Values(on_plugin("direct", "RONDO_DEVICE_PATH=devices RONDO_ALGO=direct"),
                      on_plugin("whole_calls", "RONDO_DEVICE_PATH=library"),
                      on_plugin("messages", "RONDO_DEVICE_PATH=messages RONDO_ALGO=ring")),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(StoppedOnPlugin, OneRank_IsNoticedByTheDeadline) {
  for (const char* const way :
       {"RONDO_DEVICE_PATH=devices RONDO_ALGO=ring", "RONDO_DEVICE_PATH=devices RONDO_ALGO=direct",
        "RONDO_DEVICE_PATH=library", "RONDO_DEVICE_PATH=messages RONDO_ALGO=ring"}) {
    SCOPED_TRACE(way);
    expect_others_notice_the_stopped(std::string(kOnPlugin) + way);
  }
}

// Each rank's first memory is gone in its second call.
TEST(OnPlugin, MemoryThatRondoHasNotAllocated_IsUsedBetweenProcesses) {
  for (const char* const way : {"auto", "devices", "messages"}) {
    const Outcome outcome = shell(std::string(kOnPlugin) + "RONDO_DEVICE_PATH=" + way + " " +
                                  rondo_run(3, "foreign_memory"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    for (const char* const rank : {"0", "1", "2"}) {
      EXPECT_THAT(outcome.output, HasSubstr(std::string("rank ") + rank +
                                            " of 3: foreign sums 3.75 and 6.75 over custom_cpu"))
          << way;
    }
  }
}

}  // namespace
}  // namespace rondo::launch
