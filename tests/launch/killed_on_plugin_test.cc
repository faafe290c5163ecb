// A rank is killed, or stopped, while its peers read its memory on the sample plug-in's devices
// (examples/custom_device), whose streams nothing ends.

#include <gtest/gtest.h>

#include <string>

#include "tests/launch/killing.h"

namespace rondo::launch {
namespace {

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

}  // namespace
}  // namespace rondo::launch
