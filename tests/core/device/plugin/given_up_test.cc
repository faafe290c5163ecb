// Streams of a plug-in that are given up while their device is at work: nobody waits for that, and
// nothing is given back that it may still use. The device is acted; what would block it counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

#include "core/device/plugin/driver.h"
#include "core/device/plugin/stream.h"

namespace rondo::device {
namespace {

struct Acted {
  bool at_work = false;  ///< for good, unless that is taken back
  int blocked = 0;       ///< calls that would have waited for it
  int streams = 0;
  int events = 0;
  int memories = 0;
};
Acted acted;

template <typename Handle>
Handle new_thing(int& count) {
  ++count;
  return reinterpret_cast<Handle>(new char);
}
int destroy(void* thing, int& count) {
  --count;
  delete static_cast<char*>(thing);
  return 0;
}
int block() {
  acted.blocked += acted.at_work ? 1 : 0;
  return acted.at_work ? 1 : 0;
}

void add_streams(rondo_device_table& table) {
  table.create_stream = [](int, rondo_plugin_stream* made) {
    *made = new_thing<rondo_plugin_stream>(acted.streams);
    return 0;
  };
  table.destroy_stream = [](int, rondo_plugin_stream stream) {
    block();
    return destroy(stream, acted.streams);
  };
  table.synchronize_stream = [](int, rondo_plugin_stream) { return block(); };
  table.create_event = [](int, rondo_plugin_event* made) {
    *made = new_thing<rondo_plugin_event>(acted.events);
    return 0;
  };
  table.destroy_event = [](int, rondo_plugin_event event) { return destroy(event, acted.events); };
  table.record_event = [](int, rondo_plugin_stream, rondo_plugin_event) { return 0; };
  table.query_event = [](int, rondo_plugin_event, int* done) {
    *done = acted.at_work ? 0 : 1;
    return 0;
  };
  table.synchronize_event = [](int, rondo_plugin_event) { return block(); };
}

rondo_device_table acted_table() {
  rondo_device_table table{};
  table.size = sizeof(table);
  table.kind = "acted";
  table.last_error = [] { return ""; };
  table.allocate = [](int, std::size_t, void** memory) {
    *memory = new_thing<void*>(acted.memories);
    return 0;
  };
  table.deallocate = [](int, void* memory) { return destroy(memory, acted.memories); };
  add_streams(table);
  return table;
}

class GivenUp : public ::testing::Test {
 protected:
  GivenUp() { acted = {}; }
  Status cause_{ErrorCode::kPeerLost, "rank 1 has gone", 1};
  PluginDriver driver_{static_cast<DeviceKind>(20), acted_table()};
};

TEST_F(GivenUp, StreamAtWork_IsLeftWithAllThatItMayUse_UntilItIsAtRest) {
  auto stream = driver_.create_stream(0).value();
  auto event = driver_.create_event(0).value();
  void* const memory = driver_.allocate(0, 64).value();
  ASSERT_TRUE(stream->record(*event).ok());
  acted.at_work = true;
  const auto start = std::chrono::steady_clock::now();
  stream->abandon(cause_);
  EXPECT_EQ(stream->synchronize().message(), cause_.message());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_EQ(stream->failure().culprit(), 1);
  stream.reset();
  event.reset();
  driver_.free(memory);
  EXPECT_EQ(acted.blocked, 0);
  EXPECT_EQ(acted.streams, 1) << "a stream at work was destroyed";
  EXPECT_GE(acted.events, 1) << "what it is to reach was destroyed";
  EXPECT_EQ(acted.memories, 1) << "what it may write to was freed";

  acted.at_work = false;
  driver_.free(driver_.allocate(0, 64).value());
  EXPECT_EQ(acted.streams, 0);
  EXPECT_EQ(acted.events, 0);
  EXPECT_EQ(acted.memories, 0);
}

TEST_F(GivenUp, StreamThatComesToRest_IsDestroyedAsEver) {
  auto stream = driver_.create_stream(0).value();
  void* const memory = driver_.allocate(0, 64).value();
  stream->abandon(cause_);
  EXPECT_EQ(stream->synchronize().message(), cause_.message());
  stream.reset();
  driver_.free(memory);
  EXPECT_EQ(acted.streams + acted.events + acted.memories, 0);
}

TEST_F(GivenUp, WaitForAnEvent_Ends) {
  auto stream = driver_.create_stream(0).value();
  auto event = driver_.create_event(0).value();
  ASSERT_TRUE(stream->record(*event).ok());
  acted.at_work = true;
  const detail::Abandoned abandoned{true};
  EXPECT_EQ(event->waiter()(abandoned).code(), ErrorCode::kCancelled);
  EXPECT_EQ(acted.blocked, 0);
  acted.at_work = false;
  EXPECT_TRUE(event->wait().ok());
}

}  // namespace
}  // namespace rondo::device
