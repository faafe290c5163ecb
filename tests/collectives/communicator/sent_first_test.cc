// Short messages are sent before anybody looks for them, whatever memory they lie in: ranks that
// all send before they receive, or whose receivers wait for each other first, get on.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

/// Different for every sender, message and element.
double content(int from, int message, std::size_t i) {
  return 1000.0 * from + 10.0 * message + static_cast<double>(i % 1000) / 1024;
}

class SentFirst : public ::testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  World world(int size) const {
    return {.size = size, .transport = std::get<0>(GetParam()), .timeout_ms = 10'000};
  }
  Memory<double> memory(std::size_t count) const {
    return Memory<double>(Device::host(), count, std::get<1>(GetParam()));
  }
  /// By blocking calls; what they lie in is used again at once.
  void send(Communicator& rank, int peer, int messages, std::size_t count) const {
    Memory<double> data = memory(count);
    std::vector<double> values(count);
    for (int message = 0; message < messages; ++message) {
      for (std::size_t i = 0; i < count; ++i) values[i] = content(rank.rank(), message, i);
      data.write(0, values);
      rank.send(data.buffer(0, count), peer, message);
    }
    data.write(0, std::vector<double>(count, -7.5));
  }
  void expect(Communicator& rank, int peer, int messages, std::size_t count) const {
    Memory<double> data = memory(count);
    for (int message = messages; message-- > 0;) {
      rank.receive(data.buffer(0, count), peer, message);
      const std::vector<double> values = data.read(0, count);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(values[i], content(peer, message, i)) << message << ' ' << i;
    }
  }
};

struct Burst {
  int messages;
  std::size_t count;
};
/// As many as rondo/communicator.h says: each in a line, in one part, of several, the longest.
constexpr Burst kBursts[] = {{32, 3}, {32, 128}, {32, 1000}, {8, 3000}, {4, 8192}};

TEST_P(SentFirst, ByAllRanks_AllArrive) {
  for (const auto& [messages, count] : kBursts) {
    spawn(world(3), [&](Communicator& rank) {
      send(rank, (rank.rank() + 1) % 3, messages, count);
      expect(rank, (rank.rank() + 2) % 3, messages, count);
    });
  }
}

TEST_P(SentFirst, ToARankThatIsInABarrier_IsReceivedAfterIt) {
  for (const auto& [messages, count] : kBursts) {
    spawn(world(2), [&](Communicator& rank) {
      if (rank.rank() == 0) send(rank, 1, messages, count);
      rank.barrier();
      if (rank.rank() == 1) expect(rank, 0, messages, count);
    });
  }
}

TEST_P(SentFirst, ToTheRankItself_AreKept) {
  for (const auto& [messages, count] : kBursts) {
    spawn(world(2), [&](Communicator& rank) {
      for (int again = 0; again < 2; ++again) {
        send(rank, rank.rank(), messages, count);
        expect(rank, rank.rank(), messages, count);
      }
    });
  }
}

TEST_P(SentFirst, ToTheRankItself_NoMoreAreKeptThanOfOthers) {
  spawn(world(2), [&](Communicator& rank) {
    const std::size_t count = 8192;
    send(rank, rank.rank(), 64, count);
    Memory<double> data = memory(2 * count);
    data.write(0, std::vector<double>(2 * count, rank.rank() + 0.25));
    Work more = rank.start(Call::send(data.buffer(0, count), rank.rank(), 64));
    Work longer = rank.start(Call::send(data.buffer(0, count + 1), rank.rank(), 65));
    EXPECT_FALSE(more.test());
    EXPECT_FALSE(longer.test());
    expect(rank, rank.rank(), 64, count);
    EXPECT_FALSE(more.test());
    rank.receive(data.buffer(count, count), rank.rank(), 64);
    more.wait();
    std::vector<double> received(count + 1);
    rank.receive({received.data(), received.size()}, rank.rank(), 65);
    longer.wait();
    EXPECT_EQ(data.read(count, count), std::vector<double>(count, rank.rank() + 0.25));
    EXPECT_EQ(received, std::vector<double>(count + 1, rank.rank() + 0.25));
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, SentFirst,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Bool()),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) +
                                  (std::get<1>(parameters.param) ? "_registered" : "_malloced");
                         });

}  // namespace
}  // namespace rondo::testing
