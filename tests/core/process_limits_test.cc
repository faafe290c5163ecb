#include "core/process_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

namespace rondo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProcessLimits, FileBytes_areWhatTheLimitLeaves) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit lowered{.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &lowered), 0);
  EXPECT_EQ(available_file_bytes(0), 1U << 20);
  EXPECT_EQ(available_file_bytes(1 << 19), 1U << 19);
  EXPECT_EQ(available_file_bytes(1 << 21), 0U);
  EXPECT_TRUE(check_file_size(1 << 20).ok());
  EXPECT_EQ(check_file_size((1 << 20) + 1).code(), ErrorCode::kSystem);
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
}

TEST(ProcessLimits, DescriptorError_namesTheLimitWhereThatIsTheReason) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_THAT(descriptor_error("opening", EMFILE).message(),
              HasSubstr(std::to_string(limit.rlim_cur) + " (RLIMIT_NOFILE)"));
  EXPECT_THAT(descriptor_error("opening", EACCES).message(), Not(HasSubstr("RLIMIT_NOFILE")));
}

}  // namespace
}  // namespace rondo
