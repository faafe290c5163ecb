// Streams of a plug-in that are given up while their device is at work: nobody waits for that, and
// nothing is given back that it may still use. The device is acted; what would block it counts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <thread>

#include "core/device/plugin/driver.h"
#include "core/device/plugin/stream.h"
#include "tests/core/device/no_more_threads.h"

namespace rondo::device {
namespace {

struct Acted {
  bool at_work = false;  ///< for good, unless that is taken back
  int blocked = 0;       ///< calls that would have waited for it
  int streams = 0;
  int events = 0;
  int memories = 0;
  int opened = 0;  ///< memories of other processes
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

rondo_device_table sharing_table() {
  rondo_device_table table = acted_table();
  table.export_memory = [](int, const void*, rondo_plugin_handle*, std::size_t*) { return 0; };
  table.import_memory = [](int, const rondo_plugin_handle*, void** memory) {
    *memory = new_thing<void*>(acted.opened);
    return 0;
  };
  table.release_memory = [](int, void* memory) { return destroy(memory, acted.opened); };
  table.export_event = [](int, rondo_plugin_event, rondo_plugin_handle*) { return 0; };
  table.import_event = [](int, const rondo_plugin_handle*, rondo_plugin_event*) { return 0; };
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

/// Nothing else need be given back for that: who waits for memory asks for what is due.
TEST_F(GivenUp, WhatIsDue_GoesBackWhenThatIsAskedFor) {
  auto stream = driver_.create_stream(0).value();
  auto event = driver_.create_event(0).value();
  void* const memory = driver_.allocate(0, 64).value();
  ASSERT_TRUE(stream->record(*event).ok());
  acted.at_work = true;
  stream->abandon(cause_);
  stream.reset();
  event.reset();
  driver_.free(memory);
  driver_.give_back_due();
  EXPECT_EQ(acted.memories, 1) << "it is at work";
  acted.at_work = false;
  driver_.give_back_due();
  EXPECT_EQ(acted.memories, 0);
}

/// What was put off may be an allocator's, made of the kind's own memory, and come back here.
TEST_F(GivenUp, WhatIsDue_FindsTheDriverFree_WhereAPeersMemoryIsReleased) {
  constexpr auto kKind = static_cast<DeviceKind>(20);
  PluginDriver driver(kKind, sharing_table());
  void* const opened = driver.import_memory(0, new_handle({kKind, 0}, SharedKind::kMemory)).value();
  bool is_at_rest = false;
  driver.leave_behind([&] { return is_at_rest; }, [] {});
  void* const memory = driver.allocate(0, 64).value();
  std::future<void> freed;
  driver.give_back([&] {
    freed = std::async(std::launch::async, [&] { driver.free(memory); });
    EXPECT_EQ(freed.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  });
  EXPECT_FALSE(freed.valid()) << "it is at work";
  is_at_rest = true;
  driver.release_imported(opened);
  EXPECT_TRUE(freed.valid());
  EXPECT_EQ(acted.memories, 0);
  EXPECT_EQ(acted.opened, 0);
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

/// A table without query_event, whose events block until they are let go.
struct Blocking {
  std::atomic<bool> reached = false;
  std::atomic<int> waiting = 0;
};
Blocking blocking;

rondo_device_table table_without_query() {
  rondo_device_table table = acted_table();
  table.query_event = nullptr;
  table.synchronize_event = [](int, rondo_plugin_event) {
    ++blocking.waiting;
    blocking.reached.wait(false);
    --blocking.waiting;
    return 0;
  };
  return table;
}

TEST(WithoutQueryEvent, WhoAsks_IsToldByAThreadThatWaits_AndAgainWhenItIsRecordedAnew) {
  acted = {};
  blocking.reached = false;
  PluginDriver driver(static_cast<DeviceKind>(20), table_without_query());
  const auto stream = driver.create_stream(0).value();
  const auto event = driver.create_event(0).value();
  const auto ends = [&] {
    while (!event->done()) std::this_thread::yield();
  };
  ASSERT_TRUE(stream->record(*event).ok());
  EXPECT_FALSE(event->done());
  EXPECT_FALSE(event->done()) << "asked twice, by one thread";
  detail::Abandoned abandoned = true;
  EXPECT_FALSE(event->waiter()(abandoned).ok()) << "who gives up isn't kept";
  blocking.reached = true;
  blocking.reached.notify_all();
  ends();
  EXPECT_TRUE(event->waiter()({}).ok());
  EXPECT_TRUE(event->done());
  while (blocking.waiting > 0) std::this_thread::yield();
  blocking.reached = false;
  EXPECT_TRUE(event->done());
  ASSERT_TRUE(stream->record(*event).ok());
  EXPECT_FALSE(event->done()) << "recorded anew";
  blocking.reached = true;
  blocking.reached.notify_all();
  ends();
  while (blocking.waiting > 0) std::this_thread::yield();
}

TEST(WithoutQueryEvent, WhereNoThreadCanBeMade_WhoWaitsIsTold_AndAskingAgainFindsOut) {
  acted = {};
  blocking.reached = false;
  PluginDriver driver(static_cast<DeviceKind>(20), table_without_query());
  const auto stream = driver.create_stream(0).value();
  const auto event = driver.create_event(0).value();
  ASSERT_TRUE(stream->record(*event).ok());
  {
    const testing::NoMoreThreads none;
    EXPECT_TRUE(event->done()) << "whoever waits is told why it can't be asked";
    const Status status = event->waiter()({});
    EXPECT_EQ(status.code(), ErrorCode::kSystem);
    EXPECT_THAT(status.message(), ::testing::HasSubstr("device without query_event"));
  }
  EXPECT_FALSE(event->done());
  blocking.reached = true;
  blocking.reached.notify_all();
  EXPECT_TRUE(event->waiter()({}).ok());
  // Where nobody waits in its name it is never done.
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!event->done() && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
  EXPECT_TRUE(event->done());
  while (blocking.waiting > 0) std::this_thread::yield();
}

TEST(WithoutCopyAsync, CopyComesBehindWhatTheStreamWasGiven) {
  static std::string order;
  order.clear();
  acted = {};
  rondo_device_table table = acted_table();
  table.synchronize_stream = [](int, rondo_plugin_stream) {
    order += "synchronized ";
    return 0;
  };
  table.copy = [](int, void*, const void*, std::size_t) {
    order += "copied";
    return 0;
  };
  PluginDriver driver(static_cast<DeviceKind>(20), table);
  const auto stream = driver.create_stream(0).value();
  EXPECT_TRUE(stream->copy(&order, "some", 4).ok());
  EXPECT_EQ(order, "synchronized copied");
}

}  // namespace
}  // namespace rondo::device
