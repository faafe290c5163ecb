// One world after another: what each leaves in the store.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "tests/transport/mesh/job_of_two.h"
#include "transport/rendezvous/tcp_store.h"

namespace rondo::transport {
namespace {

constexpr int kWorlds = 6;

bool join_all(const JobOfTwo& job, int process) {
  for (int i = 0; i < kWorlds; ++i) {
    const Status status = job.join(process);
    EXPECT_TRUE(status.ok()) << status.to_string();
    if (!status.ok()) return false;
  }
  return true;
}

/// Those of a world that are set.
std::vector<std::string> keys_of(rendezvous::Store& store, int world) {
  std::vector<std::string> keys;
  for (const std::string& name :
       {"join/world-" + std::to_string(world), "addresses-" + std::to_string(world)}) {
    for (const char* part : {"/0", "/1", "/world"}) {
      const auto value = store.get(name + part);
      EXPECT_TRUE(value.ok()) << value.status().to_string();
      if (value.ok() && value->has_value()) keys.push_back(name + part);
    }
  }
  return keys;
}

void expect_ended_well(pid_t worker) {
  int end = -1;
  EXPECT_EQ(::waitpid(worker, &end, 0), worker);
  EXPECT_EQ(end, 0);
}

// The first one's stay for whoever is started again: it comes there, and is told at once.
TEST(ManyWorlds, Store_holdsNoMoreThanOfTheFirstAndTheLast) {
  const JobOfTwo job(0xf0f0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t worker = JobOfTwo::start_worker([&] { return join_all(job, 1); });
  const pid_t restarted = JobOfTwo::start_worker([&] {
    ::close(ends[1]);
    char turn = 0;
    return ::read(ends[0], &turn, 1) == 1 && job.join(1).code() == ErrorCode::kMismatch;
  });
  EXPECT_TRUE(join_all(job, 0));
  expect_ended_well(worker);
  const auto address = rendezvous::parse_address(job.address());
  const auto store = rendezvous::TcpStore::connect(
      *address, job.job(), std::chrono::steady_clock::now() + std::chrono::seconds(20));
  ASSERT_TRUE(store.ok()) << store.status().to_string();
  EXPECT_EQ(keys_of(**store, 1).size(), 6U);
  EXPECT_EQ(keys_of(**store, kWorlds).size(), 6U);
  for (int world = 2; world < kWorlds; ++world)
    EXPECT_EQ(keys_of(**store, world), std::vector<std::string>{});
  EXPECT_EQ(::write(ends[1], "!", 1), 1);
  expect_ended_well(restarted);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace rondo::transport
