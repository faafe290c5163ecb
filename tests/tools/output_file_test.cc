#include "tools/rondo/bench/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace rondo::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

TEST_F(OutputFileTest, NothingWritten_LeavesWhatWasThere) {
  put("old");
  { const OutputFile file("--json", path_); }
  EXPECT_EQ(content(), "old");
}

TEST_F(OutputFileTest, NothingWritten_LeavesNoNewFile) {
  { const OutputFile file("--json", path_); }
  EXPECT_FALSE(fs::exists(path_));
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

TEST_F(OutputFileTest, Device_IsWrittenAndStays) {
  { OutputFile("--json", "/dev/null").write("results"); }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace rondo::tool
