// Peers of other processes that are killed in the middle, again and again: when this process's
// communicators are gone it has as many descriptors and mappings of shared memory as before.
// A program of its own: its children are forked before it has a thread.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/unique_fd.h"
#include "rondo/bootstrap.h"
#include "rondo/communicator.h"
#include "tests/collectives/communicator/open_things.h"

namespace rondo::testing {
namespace {

constexpr int kRounds = 20;
constexpr std::size_t kCount = 30'000;

Communicator join(const std::string& unique_id, int process, const std::string& transport) {
  CommunicatorOptions options;
  options.transport = transport;
  options.interface = "lo";
  options.timeout_ms = options.join_timeout_ms = 30'000;
  return Communicator::create(Bootstrap{unique_id, process, 2}, options);
}

void all_reduce(Communicator& rank, std::vector<float>& data) {
  rank.all_reduce({data.data(), data.size()});
}

/// A process that joins as the second of a world, once it is told which, makes one call and waits
/// for the next word to be killed. One that is told nothing ends when this process does.
class Doomed {
 public:
  explicit Doomed(const std::string& transport) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const UniqueFd hears(ends[0]);
    tells_ = UniqueFd(ends[1]);
    pid_ = ::fork();
    if (pid_ != 0) return;
    tells_.reset();
    const std::string unique_id = next_word(hears.get());
    if (!unique_id.empty()) live(hears.get(), unique_id, transport);
    ::_exit(1);
  }
  void tell(const std::string& word) const {
    const auto bytes = static_cast<ssize_t>(word.size());
    EXPECT_EQ(::write(tells_.get(), word.data(), word.size()), bytes);
  }
  /// The signal that ended it.
  int wait() const {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  static std::string next_word(int hears) {
    std::array<char, kMostUniqueIdBytes> word{};
    const ssize_t bytes = ::read(hears, word.data(), word.size());
    return {word.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
  }
  static void live(int hears, const std::string& unique_id, const std::string& transport) {
    try {
      Communicator rank = join(unique_id, 1, transport);
      std::vector<float> data(kCount, 0.5F);
      all_reduce(rank, data);
      next_word(hears);
      ::kill(::getpid(), SIGKILL);
    } catch (const Error&) {
      ::_exit(2);
    }
  }

  UniqueFd tells_;
  pid_t pid_ = -1;
};

/// Its peer dies while this process waits in their second call.
void outlive(const Doomed& peer, const std::string& unique_id, const std::string& transport) {
  using ::testing::Property;
  peer.tell(unique_id);
  {
    Communicator rank = join(unique_id, 0, transport);
    std::vector<float> data(kCount, 0.25F);
    all_reduce(rank, data);
    EXPECT_THAT(data, ::testing::Each(0.75F));
    peer.tell("die");
    EXPECT_THAT([&] { all_reduce(rank, data); },
                ::testing::Throws<Error>(::testing::AllOf(
                    Property(&Error::code, ErrorCode::kPeerLost), Property(&Error::culprit, 1))));
  }
  EXPECT_EQ(peer.wait(), SIGKILL);
}

TEST(LeftOver, AfterPeersThatWereKilled_IsNothing) {
  const std::vector<std::string> transports = {"shm", "tcp"};
  std::vector<Doomed> peers;
  for (const std::string& transport : transports)
    for (int round = 0; round <= kRounds; ++round) peers.emplace_back(transport);
  // The servers that worlds meet at are kept as long as the process lives.
  std::vector<std::string> unique_ids;
  for (std::size_t i = 0; i < peers.size(); ++i) unique_ids.push_back(make_unique_id("lo"));
  std::size_t next = 0;
  for (const std::string& transport : transports) {
    OpenThings before;
    for (int round = 0; round <= kRounds; ++round, ++next) {
      outlive(peers[next], unique_ids[next], transport);
      // The first has made what is the process's for good.
      if (round == 0) before = OpenThings::now();
    }
    expect_no_more_open_than(before, "peers over " + transport);
  }
}

TEST(WorldsByUniqueId, LeaveNothingOpen) {
  const auto make_one = [] {
    const std::string unique_id = make_unique_id("lo");
    CommunicatorOptions options;
    options.progress = "caller";
    Communicator alone = Communicator::create(Bootstrap{unique_id, 0, 1}, options);
    alone.barrier();
  };
  make_one();
  const OpenThings before = OpenThings::now();
  for (int i = 0; i < kRounds; ++i) make_one();
  expect_no_more_open_than(before, "worlds of unique ids");
}

}  // namespace
}  // namespace rondo::testing
