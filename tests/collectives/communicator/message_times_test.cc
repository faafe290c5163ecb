// Where the time of sends and receives goes that can't be made at once: waiting for the peer, then
// moving bytes.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "rondo/trace.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr std::chrono::milliseconds kLate{60};
constexpr double kLateUs = 50'000;
/// Until nobody was kept from running for so long that the wait was over when it began.
constexpr int kTries = 5;
/// Goes in segments, once there is a place for it; goes whole.
constexpr std::size_t kLong = 4'000'000;
constexpr std::size_t kShort = 3;

/// Of a communicator's metrics; negative where they say nothing of it.
double peer_wait_seconds(const std::string& metrics, int peer) {
  const std::string name = "\nrondo_peer_wait_seconds_total{";
  const std::string label = "peer=\"" + std::to_string(peer) + "\"";
  for (std::size_t at = metrics.find(name); at != std::string::npos;
       at = metrics.find(name, at + 1)) {
    const std::size_t end = metrics.find('}', at);
    if (metrics.substr(at, end - at).find(label) == std::string::npos) continue;
    return std::stod(metrics.substr(end + 1));
  }
  return -1;
}

/// Whoever is to be waited for comes so long after the other is about to wait, however late that
/// is.
class LateBehindTheOther {
 public:
  void waits() { waits_ = true; }
  void come_late() const {
    while (!waits_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(kLate);
  }

 private:
  std::atomic<bool> waits_ = false;
};

class MessageTimes : public ::testing::TestWithParam<std::string> {
 protected:
  /// What is told of rank `of`'s message of so many elements, for which rank `late` comes late.
  TracedCall told(int of, int late, std::size_t count) const {
    TracedCall told;
    LateBehindTheOther order;
    spawn({.size = 2, .transport = GetParam()}, [&](Communicator& rank) {
      std::vector<float> data(count, 0.5F);
      const Buffer buffer(data.data(), count);
      rank.barrier();
      if (rank.rank() == of) {
        rank.set_trace([&](const TracedCall& call) {
          EXPECT_EQ(call.collective, of == 0 ? "send" : "receive");
          told = call;
        });
      }
      // Where nobody is to wait for the other, nobody is late.
      if (rank.rank() != late) {
        order.waits();
      } else if (late != of) {
        order.come_late();
      }
      rank.rank() == 0 ? rank.send(buffer, 1) : rank.receive(buffer, 0);
      rank.set_trace({});
      rank.barrier();
    });
    // They end with the communicator.
    told.collective = told.algorithm = told.transport = {};
    return told;
  }

  /// The same of a call whose peer is late; again where its thread was kept from waiting meanwhile.
  TracedCall told_of_wait(int of, int late, std::size_t count) const {
    TracedCall call = told(of, late, count);
    for (int again = 0; again < kTries && call.wait_us <= kLateUs; ++again)
      call = told(of, late, count);
    return call;
  }
};

TEST_P(MessageTimes, AReceiveWaitsUntilItsMessageComes) {
  for (const std::size_t count : {kShort, kLong}) {
    const TracedCall call = told_of_wait(1, 0, count);
    EXPECT_GT(call.wait_us, kLateUs) << count;
    EXPECT_LE(call.wait_us, call.took_us) << count;
    EXPECT_EQ(call.waited_longest_for, 0) << count;
    if (count == kLong) {
      EXPECT_GT(call.took_us - call.wait_us, 100) << "16 MB have to move";
    }
  }
}

TEST_P(MessageTimes, ALongSendWaitsUntilThereIsAPlaceForIt) {
  const TracedCall call = told_of_wait(0, 1, kLong);
  EXPECT_GT(call.wait_us, kLateUs);
  EXPECT_EQ(call.waited_longest_for, 1);
  EXPECT_GT(call.took_us - call.wait_us, 100) << "16 MB have to move";
}

TEST_P(MessageTimes, MovingBytesIsNoWait) {
  const TracedCall call = told(0, 0, kLong);
  EXPECT_LT(call.wait_us, call.took_us);
  EXPECT_GT(call.took_us - call.wait_us, 100);
}

/// How long receives have waited for their late peer together, in seconds.
double wait_together(const std::string& transport) {
  constexpr int kReceives = 16;
  double waited = 0;
  double took = 0;
  LateBehindTheOther order;
  spawn({.size = 2, .transport = transport}, [&](Communicator& rank) {
    std::vector<float> data(kReceives, 0.5F);
    rank.barrier();
    if (rank.rank() == 0) {
      order.come_late();
      for (int i = 0; i < kReceives; ++i) rank.send({&data[static_cast<std::size_t>(i)], 1}, 1, i);
      return;
    }
    const double waited_before = peer_wait_seconds(rank.metrics(), 0);
    order.waits();
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Work> works;
    for (int i = 0; i < kReceives; ++i)
      works.push_back(rank.start(Call::receive({&data[static_cast<std::size_t>(i)], 1}, 0, i)));
    for (Work& work : works) work.wait();
    took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    waited = peer_wait_seconds(rank.metrics(), 0) - waited_before;
  });
  EXPECT_LT(waited, 1.001 * took) << "two clocks";
  return waited;
}

TEST_P(MessageTimes, ReceivesThatWaitTogether_CountOnceForTheirPeer) {
  double waited = 0;
  for (int again = 0; again < kTries && waited <= kLateUs / 1e6; ++again)
    waited = wait_together(GetParam());
  EXPECT_GT(waited, kLateUs / 1e6);
}

TEST_P(MessageTimes, AMessageToItself_WaitsForNobody) {
  spawn({.size = 2, .transport = GetParam()}, [&](Communicator& rank) {
    std::vector<float> out(kLong, 0.5F), in(kLong);
    std::vector<TracedCall> told;
    rank.set_trace([&](const TracedCall& call) { told.push_back(call); });
    Work sent = rank.start(Call::send({out.data(), kLong}, rank.rank()));
    rank.receive({in.data(), kLong}, rank.rank());
    sent.wait();
    rank.set_trace({});
    EXPECT_EQ(in, out);
    ASSERT_EQ(told.size(), 2U);
    for (const TracedCall& call : told) EXPECT_EQ(call.wait_us, 0) << call.waited_longest_for;
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, MessageTimes, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace rondo::testing
