#include "core/trace/write_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

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

/// The disk is full, as far as this process is told.
TEST_F(WriteFile, OnAFullDisk_LeavesNothingBehind) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit full{100, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const Status status = write_file(path_, std::string(1000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_NE(status.message().find("File too large"), std::string::npos) << status.message();
  EXPECT_TRUE(fs::is_empty(folder_));
}

/// Of a process in another container, which has the same id, and shares the folder.
TEST_F(WriteFile, WhatAnotherProcessIsWriting_IsLeftToIt) {
  const fs::path others = path_ + "." + std::to_string(getpid()) + ".part";
  std::ofstream(others) << "another's";
  ASSERT_TRUE(write_file(path_, "text").ok());
  EXPECT_EQ(content(path_), "text");
  EXPECT_EQ(content(others), "another's");
}

TEST_F(WriteFile, ByManyThreads_IsAlwaysOneOfTheirs) {
  const auto write = [this](char letter, std::string& mistake) {
    for (int i = 0; i < 100; ++i) {
      const Status status = write_file(path_, std::string(10'000, letter));
      if (!status.ok()) mistake = status.message();
    }
  };
  std::string mistakes[3];
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back(write, static_cast<char>('a' + i), std::ref(mistakes[i]));
  }
  for (const std::string& mistake : mistakes) EXPECT_EQ(mistake, "");
  const std::string last = content(path_);
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(last, std::string(10'000, last.front()));
  EXPECT_EQ(entries(), 1);
}

TEST_F(WriteFile, AFile_HasTheModeOfNewFiles) {
  const mode_t before = umask(0027);
  const Status status = write_file(path_, "text");
  umask(before);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0640));
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
