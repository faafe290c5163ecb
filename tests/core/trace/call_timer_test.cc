#include "core/trace/call_timer.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/trace/prometheus.h"
#include "core/trace/series.h"

namespace rondo::trace {
namespace {

void pass_some_time() {
  const Ticks start = ticks_now();
  while (ticks_now() - start < 20'000) {
  }
}

TEST(CallTimer, Parts_AddUpToTheCall) {
  CallTimer timer;
  const Ticks start = ticks_now();
  timer.begin({}, start, start);
  timer.idle(2);
  pass_some_time();
  pass_some_time();
  timer.moved();
  timer.idle(1);
  timer.idle(3);  // it waits already
  pass_some_time();
  timer.moved();
  timer.moved();
  {
    const KernelSpan span(&timer);
    pass_some_time();
  }
  timer.end();
  const CallRecord& record = timer.record();
  EXPECT_GE(record.wait, 60'000U);
  EXPECT_GE(record.reduce, 20'000U);
  EXPECT_EQ(record.wait + record.transfer() + record.reduce, record.done - record.begun);
  EXPECT_EQ(record.waited_longest_for, 2);
  EXPECT_EQ(record.waited_last_for, 1);
  EXPECT_LT(record.begun, record.first_byte);
  EXPECT_LT(record.first_byte, record.last_byte);
  EXPECT_LT(record.last_byte, record.done);
}

/// Of a message that was being copied when its coming was noticed, the wait ended before that.
TEST(CallTimer, AWait_EndsWhereACopyBegan_IfThatIsWithinIt) {
  CallTimer timer;
  timer.begin({}, ticks_now(), ticks_now());
  const Ticks before = ticks_now();
  timer.idle(1);
  pass_some_time();
  const Ticks copying_since = ticks_now();
  pass_some_time();
  timer.moved_since(copying_since);
  const Ticks first = timer.record().wait;
  EXPECT_GE(first, 20'000U);
  EXPECT_LE(first, copying_since - before);
  timer.idle(1);
  pass_some_time();
  timer.moved_since(before);  // a copy of a message before
  EXPECT_GE(timer.record().wait, first + 20'000U);
  timer.moved_since(ticks_now());  // it doesn't wait
  timer.end();
}

TEST(CallTimer, ACopyOutsideOfTheWait_DoesntEndIt) {
  CallTimer timer;
  const Ticks before = ticks_now();
  timer.begin({}, before, before);
  timer.copied_since(ticks_now());  // it doesn't wait
  timer.idle(1);
  timer.copied_since(before);
  EXPECT_TRUE(timer.is_idle());
  pass_some_time();
  const Ticks copying_since = ticks_now();
  pass_some_time();
  timer.copied_since(copying_since);
  EXPECT_FALSE(timer.is_idle());
  timer.end();
  EXPECT_GE(timer.record().wait, 20'000U);
  EXPECT_EQ(timer.record().last_byte, copying_since);
}

TEST(CallTimer, ADeviceAtWork_IsTransfer) {
  CallTimer timer;
  timer.begin({}, ticks_now(), ticks_now());
  timer.idle(-1);
  pass_some_time();
  timer.end();
  EXPECT_EQ(timer.record().wait, 0U);
  EXPECT_GE(timer.record().transfer(), 20'000U);
}

TEST(CallTimer, WhileAMessageComes_IsTransfer) {
  CallTimer timer;
  timer.begin({}, ticks_now(), ticks_now());
  timer.idle(1);
  pass_some_time();
  timer.end();
  const Ticks idle = timer.record().wait;
  timer.came_in_parts(1, 5'000, 77);
  EXPECT_EQ(timer.record().wait, idle - 5'000);
  timer.came_in_parts(1, 10 * idle, 77);
  EXPECT_EQ(timer.record().wait, 0U);
}

TEST(CallTimer, ALateKernel_RunsToTheEnd) {
  CallTimer timer;
  timer.begin({}, ticks_now(), ticks_now());
  timer.reduces_to_the_end();
  pass_some_time();
  timer.end();
  EXPECT_GE(timer.record().reduce, 20'000U);
  EXPECT_LE(timer.record().reduce, timer.record().done - timer.record().begun);
}

/// Whatever comes next: nothing of it is the kernel's.
TEST(CallTimer, ALastKernel_EndsWithWhatIsNext) {
  const std::vector<std::function<void(CallTimer&)>> nexts{
      [](CallTimer& timer) { timer.idle(1); }, [](CallTimer& timer) { timer.copies(); },
      [](CallTimer& timer) { timer.copied_since(ticks_now()); },
      [](CallTimer& timer) { timer.end_last_kernel(); },
      [](CallTimer& timer) { timer.end_kernel(timer.begin_kernel()); }};
  for (std::size_t next = 0; next < nexts.size(); ++next) {
    CallTimer timer;
    timer.begin({}, ticks_now(), ticks_now());
    timer.idle(1);
    pass_some_time();
    const Ticks before = ticks_now();
    timer.begin_last_kernel();
    EXPECT_FALSE(timer.is_idle());
    EXPECT_GE(timer.record().wait, 20'000U);
    pass_some_time();
    timer.moved();  // the kernel's results, which are no wait
    nexts[next](timer);
    const Ticks most = ticks_now() - before;
    pass_some_time();
    timer.end();
    EXPECT_GE(timer.record().reduce, 20'000U) << next;
    EXPECT_LE(timer.record().reduce, most) << next;
  }
}

TEST(CallTimer, ALastKernel_EndsWithTheCall) {
  CallTimer timer;
  timer.begin({}, ticks_now(), ticks_now());
  timer.begin_last_kernel();
  pass_some_time();
  timer.end();
  EXPECT_GE(timer.record().reduce, 20'000U);
}

TEST(TickScale, Instants_AreOfTheMonotonicClock) {
  const TickAnchor first = tick_anchor();
  const TickScale scale(first);
  const TickAnchor later = tick_anchor();
  EXPECT_NEAR(static_cast<double>(scale.instant_ns(later.ticks) - later.ns), 0, 100'000);
  EXPECT_EQ(scale.instant_ns(first.ticks), first.ns);
}

TEST(Series, Buckets_AreFourTimesAsLongEach) {
  EXPECT_EQ(bucket_of(0), 0U);
  EXPECT_EQ(bucket_of(1023), 0U);
  EXPECT_EQ(bucket_of(1024), 1U);
  EXPECT_EQ(bucket_of(4095), 1U);
  EXPECT_EQ(bucket_of(4096), 2U);
  EXPECT_EQ(bucket_of(17'179'869'183), 12U);
  EXPECT_EQ(bucket_of(17'179'869'184), 13U);
  EXPECT_EQ(bucket_of(~std::uint64_t{0}), 13U);
}

TEST(Prometheus, Histogram_CountsUpToEachBound) {
  SeriesTable table;
  Series& series = table.find("all_reduce", "ring", "tcp");
  EXPECT_EQ(&table.find("all_reduce", "ring", "tcp"), &series);
  EXPECT_NE(&table.find("all_reduce", "ring", "shm"), &series);
  CallRecord record;
  record.bytes = 8;
  for (const Ticks took : {500U, 2'000U, 3'000U}) {
    record.done = took;
    record.wait = 100;
    series.add(record, 1);
  }
  const std::string text = prometheus_text(3, "a\"b", table.all(), {}, 1);
  const std::string labels =
      R"({rank="3",job="a\"b",collective="all_reduce",algorithm="ring",transport="tcp")";
  EXPECT_NE(text.find("rondo_calls_total" + labels + "} 3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("rondo_bytes_total" + labels + "} 24\n"), std::string::npos);
  EXPECT_NE(text.find("_bucket" + labels + R"(,le="1.024e-06"} 1)"), std::string::npos);
  EXPECT_NE(text.find("_bucket" + labels + R"(,le="4.096e-06"} 3)"), std::string::npos);
  EXPECT_NE(text.find("_bucket" + labels + R"(,le="+Inf"} 3)"), std::string::npos);
  EXPECT_NE(text.find("rondo_call_seconds_count" + labels + "} 3\n"), std::string::npos);
}

TEST(Prometheus, EveryFamily_HasItsSamples) {
  SeriesTable table;
  Series& series = table.find("reduce", "tree", "shm");
  CallRecord record;
  record.entered = 1'000;
  record.begun = 2'000;
  record.done = 10'000;
  record.wait = 3'000;
  record.reduce = 1'000;
  record.bytes = 40;
  series.add(record, 1);
  record.result = static_cast<std::uint8_t>(ErrorCode::kPeerLost);
  series.add(record, 1);
  const std::string text = prometheus_text(1, "j", table.all(), {{2, "tcp", 300, 50, 0.25}}, 1);
  const std::string of_calls =
      R"({rank="1",job="j",collective="reduce",algorithm="tree",transport="shm")";
  const std::string of_peer = R"({rank="1",job="j",peer="2",transport="tcp"})";
  const auto expect = [&](const std::string& sample, double value) {
    const std::size_t at = text.find("\n" + sample + " ");
    ASSERT_NE(at, std::string::npos) << sample << " in\n" << text;
    EXPECT_DOUBLE_EQ(std::stod(text.substr(at + sample.size() + 2)), value) << sample;
  };
  expect("rondo_calls_total" + of_calls + "}", 2);
  expect("rondo_errors_total" + of_calls + "}", 1);
  expect("rondo_bytes_total" + of_calls + "}", 80);
  expect("rondo_seconds_total" + of_calls + R"(,part="wait"})", 6e-6);
  expect("rondo_seconds_total" + of_calls + R"(,part="transfer"})", 8e-6);
  expect("rondo_seconds_total" + of_calls + R"(,part="reduce"})", 2e-6);
  expect("rondo_call_seconds_sum" + of_calls + "}", 1.8e-5);
  expect("rondo_peer_sent_bytes_total" + of_peer, 300);
  expect("rondo_peer_received_bytes_total" + of_peer, 50);
  expect("rondo_peer_wait_seconds_total" + of_peer, 0.25);
}

}  // namespace
}  // namespace rondo::trace
