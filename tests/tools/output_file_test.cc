#include "tools/rondo/bench/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

#include "core/unique_fd.h"
#include "tests/fuzz_trials.h"

namespace rondo::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "rondo_json_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "results.json").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& text) const { std::ofstream(path_) << text; }
  std::string content() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  std::string path_;
};

std::string mistake_of(const std::string& path) {
  try {
    const OutputFile file("--json", path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(OutputFileTest, NewResults_ReplaceTheOldOnes) {
  for (const std::string text : {"a long text of old results", "short"}) {
    OutputFile file("--json", path_);
    file.write(text);
    EXPECT_EQ(content(), text);
  }
}

/// Below `folder`: of names that are there, as files, folders and links to nowhere, to full disks
/// and to themselves, and of others, some too long or with characters that lines must not have.
std::string random_path(const fs::path& folder, std::mt19937& random) {
  const std::string names[] = {"file",    "folder", "full",    "loop",
                               "nowhere", "new",    "",        ".",
                               "a\nb",    "\xff%s", "\x1b[2J", std::string(300, 'x')};
  std::string path = folder.string();
  for (unsigned part = 0; part <= random() % 4; ++part)
    path += "/" + names[random() % std::size(names)];
  if (random() % 50 == 0) path += std::string(5000, '/') + "x";
  return path;
}

TEST_F(OutputFileTest, RandomPaths_AreWrittenOrRefusedWithALine) {
  fs::create_directory(folder_ / "folder");
  fs::create_symlink("/dev/full", folder_ / "full");
  fs::create_symlink("loop", folder_ / "loop");
  fs::create_symlink("no/such", folder_ / "nowhere");
  FuzzTrials trials(1000);
  int written = 0;
  int refused = 0;
  while (trials.next()) {
    path_ = (folder_ / "file").string();
    put("old");
    path_ = random_path(folder_, trials.random());
    std::string mistake;
    try {
      OutputFile file("--svg", path_);
      file.write("<svg/>");
      ++written;
      EXPECT_EQ(content(), "<svg/>") << path_;
    } catch (const std::runtime_error& error) {
      mistake = error.what();
      ++refused;
      EXPECT_THAT(mistake, StartsWith("can't write --svg " + folder_.string()));
    }
    ASSERT_EQ(mistake.find_first_of("\n\x1b"), std::string::npos) << mistake;
    fs::remove(folder_ / "new");
    fs::remove(folder_ / "folder/new");
  }
  EXPECT_GT(written, 0);
  EXPECT_GT(refused, written);
  EXPECT_TRUE(fs::is_symlink(folder_ / "full"));
}

TEST_F(OutputFileTest, NothingWritten_LeavesWhatWasThere) {
  put("old");
  { const OutputFile file("--json", path_); }
  EXPECT_EQ(content(), "old");
}

TEST_F(OutputFileTest, NothingWritten_LeavesNoNewFile) {
  { const OutputFile file("--json", path_); }
  EXPECT_FALSE(fs::exists(path_));
}

/// Whoever is ended before there is something to write leaves no empty file behind.
TEST_F(OutputFileTest, NewFile_IsNotThereBeforeWhatIsInIt) {
  OutputFile file("--json", path_);
  EXPECT_FALSE(fs::exists(path_));
  file.write("results");
  EXPECT_EQ(content(), "results");
}

TEST_F(OutputFileTest, WhatALinkLeadsTo_IsNotThereBeforeWhatIsInIt) {
  const std::string link = (folder_ / "link").string();
  fs::create_symlink("results.json", link);
  OutputFile file("--json", link);
  EXPECT_FALSE(fs::exists(path_));
  file.write("results");
  EXPECT_EQ(content(), "results");
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(OutputFileTest, NewFileThatSomebodyElseMakesMeanwhile_IsTheirs) {
  {
    const OutputFile file("--json", path_);
    put("theirs");
  }
  EXPECT_EQ(content(), "theirs");
}

TEST_F(OutputFileTest, FileThatIsBegun_GoesAgainUnlessMoreIsPut) {
  {
    OutputFile file("--json", path_);
    EXPECT_TRUE(file.begin("[]"));
    EXPECT_EQ(content(), "[]");
  }
  EXPECT_FALSE(fs::exists(path_));
  {
    OutputFile file("--json", path_);
    EXPECT_TRUE(file.begin("[]"));
    file.put(1, "7]");
  }
  EXPECT_EQ(content(), "[7]");
  EXPECT_FALSE(OutputFile("--json", path_).begin("[]"));
  EXPECT_EQ(content(), "[7]") << "what was there";
}

TEST_F(OutputFileTest, EmptyFileThatIsBegun_Stays) {
  put("");
  EXPECT_TRUE(OutputFile("--json", path_).begin("[]"));
  EXPECT_EQ(content(), "[]");
}

TEST_F(OutputFileTest, MissingFolderOrFolder_IsRefusedAtOnce) {
  EXPECT_EQ(mistake_of(path_ + "/a"),
            "can't write --json " + path_ + "/a: " + "No such file or directory");
  EXPECT_THAT(mistake_of(folder_.string()), HasSubstr("Is a directory"));
}

TEST_F(OutputFileTest, FullDisk_IsAnError) {
  OutputFile file("--json", "/dev/full");
  try {
    file.write("results");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "can't write --json /dev/full: No space left on device");
  }
}

TEST_F(OutputFileTest, PipeThatNobodyReads_IsAnError) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(mistake_of(path_), "can't write --json " + path_ + ": nobody reads this pipe");
  EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(OutputFileTest, PipeWhoseReaderHasGone_IsAnError) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  UniqueFd reader(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  OutputFile file("--json", path_);
  reader.reset();
  EXPECT_THAT([&] { file.write("results"); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("Broken pipe")));
}

/// What is opened and closed again would be all that a reader gets.
TEST_F(OutputFileTest, PipeThatIsChecked_IsLeftToWhoWrites) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const UniqueFd reader(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  OutputFile::check("--json", path_);
  pollfd end{.fd = reader.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&end, 1, 0), 0) << "not at its end";
  EXPECT_THROW(OutputFile::check("--json", path_ + "/a"), std::runtime_error);
}

/// A shell's `> file`: what the program itself has printed stays.
TEST_F(OutputFileTest, OwnOutput_IsWrittenBehindWhatIsThere) {
  const int before = dup(STDOUT_FILENO);
  ASSERT_NE(std::freopen(path_.c_str(), "w", stdout), nullptr);
  std::fputs("first ", stdout);
  for (const std::string name : {"/proc/self/fd/1", path_.c_str()}) {
    OutputFile file("--json", name);
    EXPECT_FALSE(file.can_grow()) << name;
    file.write("second ");
  }
  std::fputs("third", stdout);
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  EXPECT_EQ(content(), "first second second third");
}

TEST_F(OutputFileTest, Device_IsWrittenAndStays) {
  { OutputFile("--json", "/dev/null").write("results"); }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace rondo::tool
