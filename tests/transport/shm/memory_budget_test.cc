#include "transport/shm/memory_budget.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace rondo::transport {
namespace {

using Files = std::map<std::string, std::string>;

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

std::uint64_t available(const Files& files) {
  return available_in_cgroups([&files](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return file->second;
  });
}

/// A group below the root one, of version 2, that may use 8000 bytes and uses all of them.
Files full_group() {
  return {{"/proc/self/cgroup", "0::/job\n"},
          {"/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
          {"/sys/fs/cgroup/job/memory.max", "8000\n"},
          {"/sys/fs/cgroup/job/memory.current", "8000\n"}};
}

TEST(MemoryBudget, CachedFiles_areNoMemoryThatIsUsed) {
  Files files = full_group();
  EXPECT_EQ(available(files), 0u);
  files["/sys/fs/cgroup/job/memory.stat"] =
      "anon 500\nfile 7300\ninactive_file 5000\nactive_file 2000\nslab_reclaimable 200\n";
  EXPECT_EQ(available(files), 7200u);
}

TEST(MemoryBudget, CachedFiles_thatAreNotWritten_areUsed) {
  Files files = full_group();
  files["/sys/fs/cgroup/job/memory.stat"] =
      "file_dirty 700\nfile_writeback 300\ninactive_file 5000\n";
  EXPECT_EQ(available(files), 4000u);
  files["/sys/fs/cgroup/job/memory.stat"] = "file_dirty 700\ninactive_file 600\n";
  EXPECT_EQ(available(files), 0u);
}

TEST(MemoryBudget, CountsThatContradictEachOther_leaveNoMoreThanTheLimit) {
  Files files = full_group();
  files["/sys/fs/cgroup/job/memory.stat"] = "inactive_file 9000\n";
  EXPECT_EQ(available(files), 8000u);
  files["/sys/fs/cgroup/job/memory.current"] = "9500\n";
  EXPECT_EQ(available(files), 7500u);
}

TEST(MemoryBudget, Version1_isReadLikewise) {
  const std::string folder = "/sys/fs/cgroup/memory/docker/7";
  const Files files = {
      {"/proc/self/cgroup", "5:cpu:/\n4:memory:/docker/7\n0::/\n"},
      {"/proc/self/mountinfo",
       "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
       "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"},
      {folder + "/memory.limit_in_bytes", "8000\n"},
      {folder + "/memory.usage_in_bytes", "7900\n"},
      {folder + "/memory.stat",
       "inactive_file 1\nactive_file 1\ntotal_inactive_file 5000\ntotal_active_file 1000\n"
       "total_dirty 300\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"/sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n"}};
  EXPECT_EQ(available(files), 5800u);
}

TEST(MemoryBudget, LimitOfAParent_holdsToo) {
  Files files = full_group();
  files["/proc/self/cgroup"] = "0::/job/step\n";
  files["/sys/fs/cgroup/job/step/memory.max"] = "max\n";
  files["/sys/fs/cgroup/job/step/memory.current"] = "20\n";
  files["/sys/fs/cgroup/job/memory.current"] = "3000\n";
  EXPECT_EQ(available(files), 5000u);
}

TEST(MemoryBudget, NoGroup_limitsNothing) {
  EXPECT_EQ(available({}), kUnlimited);
  Files files = full_group();
  files["/sys/fs/cgroup/job/memory.max"] = "max\n";
  EXPECT_EQ(available(files), kUnlimited);
}

TEST(MemoryBudget, Host_hasSomething) {
  EXPECT_GT(available_memory_bytes(), 0u);
  EXPECT_LE(available_memory_bytes(), total_memory_bytes());
}

}  // namespace
}  // namespace rondo::transport
