// The system's fallocate is replaced: by one that is interrupted as older kernels' is, whenever a
// signal comes, and by one that finds no more memory.

#include "transport/shm/memfd.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "transport/shm/control_page.h"
#include "transport/shm/registered_pool.h"
#include "transport/shm/slot_file.h"

namespace {

/// What the next call fails by; 0: it doesn't.
using Refusal = std::function<int(off_t offset, off_t bytes)>;
Refusal& refusal() {
  static auto& held = *new Refusal;
  return held;
}

}  // namespace

extern "C" int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  const int error = mode == FALLOC_FL_KEEP_SIZE && refusal() ? refusal()(offset, bytes) : 0;
  if (error == 0) return static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, bytes));
  errno = error;
  return -1;
}

namespace rondo::transport {
namespace {

constexpr off_t kMiB = off_t{1} << 20;
constexpr std::size_t kBytes = 9 * kMiB + 4096;
constexpr Slots kShape{.count = 2, .bytes = 128};

std::size_t present_bytes(int fd) {
  struct stat info {};
  EXPECT_EQ(::fstat(fd, &info), 0);
  return static_cast<std::size_t>(info.st_blocks) * 512;
}

class Fallocate : public testing::Test {
 protected:
  ~Fallocate() override { refusal() = nullptr; }
  /// Comes through at every second attempt, for so little that no signal comes meanwhile.
  void be_interrupted() {
    refusal() = [this](off_t, off_t bytes) {
      return ++calls_ % 2 == 1 || bytes > 4 * kMiB ? EINTR : 0;
    };
  }
  int calls_ = 0;
};

TEST_F(Fallocate, Interrupted_isTriedAgain_inPieces) {
  const UniqueFd fd = create_memfd("test", 0).value();
  be_interrupted();
  const Status status = allocate_pages(fd.get(), 0, kBytes);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(sealed_bytes(fd.get()).status().code(), ErrorCode::kDataLoss) << "it isn't sealed";
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_END), static_cast<off_t>(kBytes));
  EXPECT_GE(present_bytes(fd.get()), kBytes);
}

TEST_F(Fallocate, Interrupted_disturbsNeitherRegisteredMemoryNorMessageLines) {
  RegisteredPool& pool = *RegisteredPool::instance().value();
  be_interrupted();
  const auto memory = pool.allocate(pool.segment_bytes() + 1);
  ASSERT_TRUE(memory.ok()) << memory.status().to_string();
  EXPECT_GE(calls_, 2);
  pool.free(*memory);
  const auto page = ControlPage::create(3, kShape);
  EXPECT_TRUE(page.ok()) << page.status().to_string();
}

TEST_F(Fallocate, Refused_givesBackWhatItHas) {
  const UniqueFd fd = create_memfd("test", 0).value();
  refusal() = [](off_t offset, off_t bytes) { return offset + bytes > 5 * kMiB ? ENOSPC : 0; };
  const Status status = allocate_pages(fd.get(), 0, kBytes);
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_THAT(status.message(), testing::HasSubstr("No space left"));
  EXPECT_EQ(present_bytes(fd.get()), 0u);
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_END), 0) << "a peer would map it, and make it present";
  refusal() = nullptr;
  EXPECT_TRUE(allocate_pages(fd.get(), 0, kBytes).ok()) << "the next attempt finds a good file";
}

TEST_F(Fallocate, WhereOthersTakeTheMemoryMeanwhile_givesBackWhatItHas) {
  const UniqueFd fd = create_memfd("test", 0).value();
  int asked = 0;
  const auto may_go_on = [&] {
    EXPECT_GE(present_bytes(fd.get()), kAskBytes);
    return ++asked < 2 ? Status() : Status(ErrorCode::kSystem, "others have it");
  };
  const Status status = allocate_pages(fd.get(), 0, 2 * kAskBytes + kBytes, may_go_on);
  EXPECT_EQ(status.message(), "others have it");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(present_bytes(fd.get()), 0u);
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_END), 0);
}

/// Of the files of this process, until its end.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit lowered{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &lowered), 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

// Otherwise the signal of that limit ends the process.
TEST(FileSizeLimit, SharedMemoryBeyondIt_isAnErrorThatSaysHowToRaiseIt) {
  RegisteredPool& pool = *RegisteredPool::instance().value();
  const std::size_t more_bytes = pool.segment_bytes() + 1;
  const FileSizeLimit limit(4096);
  for (const Status& status :
       {ControlPage::create(2, kShape).status(), SlotFile::create(2, kShape).status(),
        pool.allocate(more_bytes).status()}) {
    EXPECT_EQ(status.code(), ErrorCode::kSystem);
    EXPECT_THAT(status.message(),
                testing::AllOf(testing::HasSubstr("ulimit -f"), testing::HasSubstr("4096 bytes")));
  }
}

}  // namespace
}  // namespace rondo::transport
