#include "core/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace rondo {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

UniqueFd open_something() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(UniqueFd, default_isNone) {
  const UniqueFd none;
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(none.get(), -1);
}

TEST(UniqueFd, endOfScope_closes) {
  int number = -1;
  {
    const UniqueFd fd = open_something();
    number = fd.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, move_leavesNoneBehindAndClosesTheOldTarget) {
  UniqueFd source = open_something();
  UniqueFd target = open_something();
  const int kept = source.get();
  const int closed = target.get();
  target = std::move(source);
  EXPECT_FALSE(
      source.valid());  // NOLINT(bugprone-use-after-move): the moved-from state is promised
  EXPECT_EQ(target.get(), kept);
  EXPECT_TRUE(is_open(kept));
  EXPECT_FALSE(is_open(closed));
  const UniqueFd last = std::move(target);
  EXPECT_FALSE(target.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(is_open(last.get()));
}

TEST(UniqueFd, selfMove_keepsTheDescriptor) {
  UniqueFd fd = open_something();
  UniqueFd& same = fd;
  fd = std::move(same);
  EXPECT_TRUE(is_open(fd.get()));
}

TEST(UniqueFd, release_givesTheDescriptorAway) {
  int number = -1;
  {
    UniqueFd fd = open_something();
    number = fd.release();
    EXPECT_FALSE(fd.valid());
  }
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

}  // namespace
}  // namespace rondo
