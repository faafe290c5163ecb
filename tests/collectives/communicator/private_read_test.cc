// Memory that isn't registered, read out of its process: where that was asked for, or measured to
// be faster, and nowhere else.

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace {

std::atomic<std::size_t> bytes_read = 0;

}  // namespace

/// In place of libc's, for the library too (which is why it is visible).
extern "C" __attribute__((visibility("default"))) ssize_t process_vm_readv(
    pid_t pid, const iovec* local, unsigned long local_count, const iovec* remote,
    unsigned long remote_count, unsigned long flags) {
  const long copied =
      ::syscall(SYS_process_vm_readv, pid, local, local_count, remote, remote_count, flags);
  if (copied > 0) bytes_read += static_cast<std::size_t>(copied);
  return copied;
}

namespace rondo::testing {
namespace {

constexpr std::size_t kRanks = 3;
constexpr std::size_t kCount = std::size_t{96} << 10;
/// What each rank gives to the two others of a direct all-reduce, and gets of them.
constexpr std::size_t kAllReduceBytes = kRanks * 2 * 2 * (kCount / kRanks) * sizeof(double);

double value(int rank, std::size_t index) {
  return 0.37 * (rank + 1) + 1e-3 * static_cast<double>(index % 1009);
}

void all_reduce(Communicator& communicator) {
  std::vector<double> data(kCount), sums(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    data[i] = value(communicator.rank(), i);
    for (int rank = 0; rank < static_cast<int>(kRanks); ++rank) sums[i] += value(rank, i);
  }
  communicator.all_reduce({data.data(), kCount});
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_NEAR(data[i], sums[i], 1e-12) << i;
}

World world_with(std::size_t private_read_bytes, const std::string& tuning = "off") {
  return {.size = static_cast<int>(kRanks),
          .transport = "shm",
          .algorithm = "direct",
          .private_read_bytes = private_read_bytes,
          .tuning = tuning};
}

/// By one all-reduce of kRanks ranks.
std::size_t read_with(std::size_t private_read_bytes, const std::string& tuning = "off") {
  bytes_read = 0;
  spawn(world_with(private_read_bytes, tuning), all_reduce);
  return bytes_read;
}

/// A tuning of this host that says so.
std::string tuning_file(std::size_t private_read_bytes) {
  std::string path = ::testing::TempDir() + "rondo_private_read_" + std::to_string(::getpid()) +
                     "_" + std::to_string(private_read_bytes) + ".json";
  std::ofstream(path) << R"({"rondo_tuning": 1, "transport": "shm", "hosts": ["a"],
      "network": {"hosts": [{"count": 1, "ranks": 3, "cores": 2}]}, "measured": [],
      "private_read_bytes": )"
                      << private_read_bytes << "}";
  return path;
}

bool can_read_own_process() {
  int value = 5, copy = 0;
  const iovec local{&copy, sizeof copy}, remote{&value, sizeof value};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == sizeof value;
}

TEST(PrivateRead, WhereAskedFor_MovesWhatTheRanksGiveEachOther) {
  if (!can_read_own_process()) GTEST_SKIP() << "process_vm_readv isn't permitted here";
  EXPECT_GE(read_with(4096), kAllReduceBytes);
}

TEST(PrivateRead, OfLess_OrNotAskedFor_MovesNothing) {
  constexpr std::size_t kFewPages = std::size_t{64} << 10;  // a look whether it is permitted
  EXPECT_LT(read_with(std::size_t{1} << 30), kFewPages);
  EXPECT_LT(read_with(0), kFewPages);
}

TEST(PrivateRead, WhereTheTuningSaysSo_MovesWhatTheRanksGiveEachOther) {
  if (!can_read_own_process()) GTEST_SKIP() << "process_vm_readv isn't permitted here";
  constexpr std::size_t kFewPages = std::size_t{64} << 10;
  const std::string from_pages = tuning_file(4096);
  const std::string none = tuning_file(0);
  EXPECT_GE(read_with(0, from_pages), kAllReduceBytes);
  EXPECT_LT(read_with(0, none), kFewPages);
  EXPECT_LT(read_with(std::size_t{1} << 30, from_pages), kFewPages) << "the option counts";
  EXPECT_GE(read_with(4096, none), kAllReduceBytes) << "the option counts";
  bytes_read = 0;
  spawn(world_with(0, from_pages), [](Communicator& whole) {
    std::optional<Communicator> again = whole.split(0, whole.rank());
    all_reduce(*again);
  });
  EXPECT_GE(bytes_read, kAllReduceBytes) << "a part of the world goes by the same";
  for (const std::string& path : {from_pages, none}) ::unlink(path.c_str());
}

// Either way is as right; afterwards calls go as the tuning says, or as asked for.
TEST(PrivateRead, IsMeasured_ByReadingWhatTheOtherWayCopies) {
  if (!can_read_own_process()) GTEST_SKIP() << "process_vm_readv isn't permitted here";
  bytes_read = 0;
  spawn(world_with(std::size_t{1} << 30), [](Communicator& world) {
    const std::string text = world.measure_tuning();
    EXPECT_NE(text.find("\"private_read_bytes\": "), std::string::npos) << text.substr(0, 200);
    world.barrier();
    EXPECT_GT(bytes_read, std::size_t{256} << 20) << "what dozens of calls of 8 MiB move";
    world.barrier();
    if (world.rank() == 0) bytes_read = 0;
    world.barrier();
    all_reduce(world);
    world.barrier();
    EXPECT_EQ(bytes_read, 0U) << "what was asked for counts again";
  });
}

}  // namespace
}  // namespace rondo::testing
