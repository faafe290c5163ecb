#include "core/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rondo {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Files = std::map<std::string, std::string>;

ReadFile reader_of(const Files& files) {
  return [&files](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return file->second;
  };
}

constexpr const char* kMembership1 = "9:name=systemd:/\n4:cpu,cpuacct:/jobs/17\n3:cpuset:/jobs\n";
constexpr const char* kMounts1 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n";
constexpr const char* kMembership2 = "0::/user.slice/job.scope\n";
constexpr const char* kMounts2 =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(CpuMax, quotaAndPeriod_areDivided) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n").value(), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000\n").value(), std::nullopt);
}

TEST(CpuMax, anythingElse_isNotUnderstood) {
  for (const char* bad : {"", "\n", "max", "100000", "a b", "1 2 3", "100000 0", "100000 -5"}) {
    EXPECT_EQ(parse_cpu_max(bad).status().code(), ErrorCode::kDataLoss) << bad;
  }
}

TEST(CfsQuota, minusOne_isNoLimit) {
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n").value(), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("25000\n", "100000\n").value(), 0.25);
  EXPECT_FALSE(parse_cfs_quota("", "100000").ok());
  EXPECT_FALSE(parse_cfs_quota("100000", "0").ok());
}

TEST(Cgroups, version1_isTheMountWithTheCpuController) {
  const auto found = find_cgroups("cpu", kMembership1, kMounts1);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].version, 1);
  EXPECT_THAT(found[0].folders,
              ElementsAre("/sys/fs/cgroup/cpu,cpuacct/jobs/17", "/sys/fs/cgroup/cpu,cpuacct/jobs",
                          "/sys/fs/cgroup/cpu,cpuacct"));
}

TEST(Cgroups, version1_hasAFolderForEachController) {
  const auto found = find_cgroups("cpuset", kMembership1, kMounts1);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].folders, ElementsAre("/sys/fs/cgroup/cpuset/jobs", "/sys/fs/cgroup/cpuset"));
  EXPECT_THAT(find_cgroups("memory", kMembership1, kMounts1), IsEmpty());
}

TEST(Cgroups, version2_isTheUnifiedMount) {
  const auto found = find_cgroups("cpu", kMembership2, kMounts2);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].version, 2);
  EXPECT_THAT(found[0].folders, ElementsAre("/sys/fs/cgroup/user.slice/job.scope",
                                            "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"));
}

TEST(Cgroups, mountOfAnInnerGroup_hidesWhatLiesAbove) {
  const auto found =
      find_cgroups("cpu", "4:cpu:/docker/abc/inner\n",
                   "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].folders, ElementsAre("/sys/fs/cgroup/cpu/inner", "/sys/fs/cgroup/cpu"));
}

TEST(Cgroups, rubbish_isSkipped) {
  EXPECT_THAT(find_cgroups("cpu", "", ""), IsEmpty());
  EXPECT_THAT(find_cgroups("cpu", "nonsense\n::\n", "1 2 3\n - \n1 2 3 / /x - cgroup2\n"),
              IsEmpty());
}

TEST(CpuQuota, limitOfAParent_isFound) {
  const Files files = {{"/proc/self/cgroup", kMembership2},
                       {"/proc/self/mountinfo", kMounts2},
                       {"/sys/fs/cgroup/user.slice/job.scope/cpu.max", "max 100000\n"},
                       {"/sys/fs/cgroup/user.slice/cpu.max", "350000 100000\n"}};
  EXPECT_EQ(read_cpu_quota(reader_of(files)), 3.5);
}

TEST(CpuQuota, bothHierarchies_theSmallestLimitHolds) {
  const std::string membership = std::string(kMembership1) + kMembership2;
  const std::string mounts = std::string(kMounts1) + kMounts2;
  const std::string folder = "/sys/fs/cgroup/cpu,cpuacct/jobs/17";
  Files files = {{"/proc/self/cgroup", membership},
                 {"/proc/self/mountinfo", mounts},
                 {"/sys/fs/cgroup/user.slice/job.scope/cpu.max", "400000 100000\n"},
                 {folder + "/cpu.cfs_quota_us", "200000\n"},
                 {folder + "/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(read_cpu_quota(reader_of(files)), 2.0);
  files[folder + "/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_EQ(read_cpu_quota(reader_of(files)), 4.0);
}

TEST(CpuQuota, unreadableFiles_limitNothing) {
  const Files none;
  EXPECT_EQ(read_cpu_quota(reader_of(none)), std::nullopt);
  const Files files = {{"/proc/self/cgroup", kMembership2}, {"/proc/self/mountinfo", kMounts2}};
  EXPECT_EQ(read_cpu_quota(reader_of(files)), std::nullopt);
}

}  // namespace
}  // namespace rondo
