// Slots of page-locked memory, where the device once can't say whether it has read one: the next
// message would be received into what its kernel still reads. The device is a plug-in's, acted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "collectives/execute/device/pinned_channel.h"
#include "core/device/plugin/driver.h"
#include "tests/collectives/execute/acted_endpoint.h"

namespace rondo::execute {
namespace {

using ::testing::HasSubstr;
using transport::Token;
using transport::Transfer;

constexpr int kFine = 0;
constexpr int kBroken = 77;
constexpr std::size_t kBytes = 64;
constexpr std::size_t kSlots = 4;

int code_of_query = kFine;
bool has_read = false;

template <typename Handle>
int make_nothing(int /*device*/, Handle* made) {
  static char one;
  *made = reinterpret_cast<Handle>(&one);
  return kFine;
}

rondo_device_table acted_table() {
  rondo_device_table table{};
  table.size = sizeof(table);
  table.kind = "acted";
  table.last_error = [] { return "the test asked for it"; };
  table.create_stream = &make_nothing<rondo_plugin_stream>;
  table.destroy_stream = [](int, rondo_plugin_stream) { return kFine; };
  table.synchronize_stream = [](int, rondo_plugin_stream) { return kFine; };
  table.create_event = &make_nothing<rondo_plugin_event>;
  table.destroy_event = [](int, rondo_plugin_event) { return kFine; };
  table.record_event = [](int, rondo_plugin_stream, rondo_plugin_event) { return kFine; };
  table.synchronize_event = [](int, rondo_plugin_event) { return kFine; };
  table.query_event = [](int, rondo_plugin_event, int* done) {
    *done = has_read ? 1 : 0;
    return code_of_query;
  };
  table.allocate_host = [](int, std::size_t bytes, void** memory) {
    *memory = std::malloc(bytes);
    return *memory == nullptr ? kBroken : kFine;
  };
  table.deallocate_host = [](int, void* memory) {
    std::free(memory);
    return kFine;
  };
  return table;
}

/// Of another host, whose messages have all come.
class Sender final : public ActedEndpoint {
 public:
  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return 1; }
  std::size_t window() const override { return 2 * kSlots; }
  Result<Token> post(std::span<const Transfer> group) override {
    targets.push_back(group.front().data);
    return targets.size();
  }
  Result<bool> poll(Token /*token*/) override { return true; }

  std::vector<const std::byte*> targets;
};

/// A receiver all of whose slots are full, and the first is given to a stream to read.
class UnknownEvent : public ::testing::Test {
 protected:
  UnknownEvent() {
    code_of_query = kFine;
    has_read = false;
    EXPECT_TRUE(receiver_.pump().ok());
    EXPECT_TRUE(receiver_.take(*place_.stream(0).value()).ok());
  }

  device::PluginDriver driver_{static_cast<DeviceKind>(20), acted_table()};
  DevicePlace place_{Device{static_cast<DeviceKind>(20), 0}, driver_};
  Sender sender_;
  PinnedReceiver receiver_ =
      PinnedReceiver::make({place_, sender_, 0}, std::vector<std::size_t>(kSlots + 1, kBytes))
          .value();
};

TEST_F(UnknownEvent, OfASlotThatMayStillBeRead_IsAnError_AndNothingIsReceivedThere) {
  code_of_query = kBroken;
  const auto moved = receiver_.pump();
  EXPECT_EQ(moved.status().code(), ErrorCode::kDevice);
  EXPECT_THAT(moved.status().message(), HasSubstr("query_event"));
  EXPECT_EQ(sender_.targets.size(), kSlots);
}

TEST_F(UnknownEvent, Known_TheSlotIsUsedAgainOnceItHasBeenRead) {
  EXPECT_TRUE(receiver_.pump().ok());
  EXPECT_EQ(sender_.targets.size(), kSlots) << "it is being read";
  has_read = true;
  EXPECT_TRUE(receiver_.pump().ok());
  ASSERT_EQ(sender_.targets.size(), kSlots + 1);
  EXPECT_EQ(sender_.targets.back(), sender_.targets.front());
}

}  // namespace
}  // namespace rondo::execute
