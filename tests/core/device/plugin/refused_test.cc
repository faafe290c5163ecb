// A plug-in that refuses what a stream is given when it is asked, and goes on with the next: the
// stream has failed all the same, and so do events behind that and streams that wait for those.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

#include "core/device/plugin/driver.h"
#include "core/device/plugin/stream.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

int copies = 0;

/// Everything is done at once, but copies of more than a byte aren't.
rondo_device_table refusing_table() {
  rondo_device_table table{};
  table.size = sizeof(table);
  table.kind = "refusing";
  table.last_error = [] { return "too large"; };
  table.create_stream = [](int, rondo_plugin_stream* made) {
    *made = reinterpret_cast<rondo_plugin_stream>(new char);
    return 0;
  };
  table.destroy_stream = [](int, rondo_plugin_stream stream) {
    delete reinterpret_cast<char*>(stream);
    return 0;
  };
  table.synchronize_stream = [](int, rondo_plugin_stream) { return 0; };
  table.copy_async = [](int, rondo_plugin_stream, void*, const void*, std::size_t bytes) {
    copies += bytes == 1 ? 1 : 0;
    return bytes == 1 ? 0 : 7;
  };
  table.create_event = [](int, rondo_plugin_event* made) {
    *made = reinterpret_cast<rondo_plugin_event>(new char);
    return 0;
  };
  table.destroy_event = [](int, rondo_plugin_event event) {
    delete reinterpret_cast<char*>(event);
    return 0;
  };
  table.record_event = [](int, rondo_plugin_stream, rondo_plugin_event) { return 0; };
  table.wait_event = [](int, rondo_plugin_stream, rondo_plugin_event) { return 0; };
  table.query_event = [](int, rondo_plugin_event, int* done) {
    *done = 1;
    return 0;
  };
  table.synchronize_event = [](int, rondo_plugin_event) { return 0; };
  return table;
}

class Refused : public ::testing::Test {
 protected:
  Refused() { copies = 0; }
  std::shared_ptr<detail::StreamImpl> stream() { return driver_.create_stream(0).value(); }
  std::shared_ptr<detail::EventImpl> event() { return driver_.create_event(0).value(); }
  void expect_refused(const Status& status) {
    EXPECT_EQ(status.code(), ErrorCode::kDevice);
    EXPECT_THAT(status.message(), HasSubstr("too large"));
  }
  PluginDriver driver_{static_cast<DeviceKind>(21), refusing_table()};
};

TEST_F(Refused, Copy_FailsEventsBehindIt_AndWhoWaitsForThem) {
  const auto first = stream();
  const auto second = stream();
  const auto before = event();
  const auto behind = event();
  const auto passed_on = event();
  ASSERT_TRUE(first->record(*before).ok());
  expect_refused(first->copy(nullptr, nullptr, 2));
  ASSERT_TRUE(first->record(*behind).ok());
  ASSERT_TRUE(second->wait(*before).ok());
  ASSERT_TRUE(second->copy(nullptr, nullptr, 1).ok());
  EXPECT_EQ(copies, 1) << "nothing had failed up to there";
  ASSERT_TRUE(second->wait(*behind).ok()) << "told by synchronize";
  ASSERT_TRUE(second->copy(nullptr, nullptr, 1).ok()) << "told by synchronize";
  EXPECT_EQ(copies, 1) << "skipped";
  ASSERT_TRUE(second->record(*passed_on).ok());
  for (const Status& status :
       {behind->wait(), passed_on->wait(), first->synchronize(), second->synchronize()})
    expect_refused(status);
  EXPECT_TRUE(before->wait().ok());
  ASSERT_TRUE(stream()->record(*behind).ok());
  EXPECT_TRUE(behind->wait().ok()) << "recorded anew";
}

}  // namespace
}  // namespace rondo::device
