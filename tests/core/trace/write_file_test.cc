#include "core/trace/write_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rondo::trace {
namespace {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "rondo-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "trace.json").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(WriteFile, NoSuchFolder_IsAnErrorThatNamesTheFile) {
  const Status status = write_file("/no/such/folder/trace.json", "text");
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_NE(status.message().find("/no/such/folder/trace.json"), std::string::npos);
}

TEST_F(WriteFile, OnAFullDisk_LeavesNothingBehind) {
  // What is written lies beside it at first.
  fs::create_symlink("/dev/full", path_ + "." + std::to_string(getpid()) + ".part");
  const Status status = write_file(path_, "text");
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_NE(status.message().find("No space left on device"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(WriteFile, AFile_IsReplacedAsAWhole) {
  for (const std::string text : {"a long text", "short"}) {
    ASSERT_TRUE(write_file(path_, text).ok());
    EXPECT_EQ(content(path_), text);
    EXPECT_EQ(entries(), 1);
  }
}

TEST_F(WriteFile, AFolder_IsAnErrorAndStays) {
  fs::create_directory(path_);
  const Status status = write_file(path_, "text");
  EXPECT_NE(status.message().find("Is a directory"), std::string::npos);
  EXPECT_TRUE(fs::is_directory(path_));
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, ALink_StaysAndWhatItLeadsToIsReplaced) {
  const fs::path target = folder_ / "target";
  for (const std::string old : {"", "old"}) {
    if (!old.empty()) std::ofstream(target) << old;
    fs::remove(path_);
    fs::create_symlink("target", path_);
    ASSERT_TRUE(write_file(path_, "text").ok()) << "to nowhere at first";
    EXPECT_TRUE(fs::is_symlink(path_));
    EXPECT_EQ(content(target), "text");
    EXPECT_EQ(entries(), 2);
    fs::remove(target);
  }
}

TEST_F(WriteFile, APipe_StaysAndItsReaderHasTheText) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const Status status = write_file(path_, "text");
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(fs::is_fifo(path_));
  std::string got(100, ' ');
  got.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(reader, got.data(), got.size()))));
  EXPECT_EQ(got, "text");
  EXPECT_EQ(entries(), 1);
  close(reader);
  EXPECT_NE(write_file(path_, "text").message().find("No such device"), std::string::npos)
      << "nobody reads it";
}

TEST_F(WriteFile, ALoopOfLinks_IsAnError) {
  fs::create_symlink("trace.json", path_);
  EXPECT_FALSE(write_file(path_, "text").ok());
  EXPECT_TRUE(fs::is_symlink(path_));
}

// A shell's `> file`: what the program itself has printed stays.
TEST_F(WriteFile, ItsOwnOutput_IsWrittenBehindWhatIsThere) {
  const int before = dup(STDOUT_FILENO);
  ASSERT_NE(std::freopen(path_.c_str(), "w", stdout), nullptr);
  std::fputs("first ", stdout);
  std::fflush(stdout);
  const std::string own = (folder_ / "stdout").string();
  fs::create_symlink("/proc/self/fd/1", own);
  const Status status = write_file(own, "second");
  std::fputs(" third", stdout);
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(content(path_), "first second third");
}

}  // namespace
}  // namespace rondo::trace
