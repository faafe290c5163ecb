#include "tools/rondo/bench/json_file.h"

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

class JsonFileTest : public testing::Test {
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
    const JsonFile file(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(JsonFileTest, NewResults_ReplaceTheOldOnes) {
  for (const std::string text : {"a long text of old results", "short"}) {
    JsonFile file(path_);
    file.write(text);
    EXPECT_EQ(content(), text);
  }
}

TEST_F(JsonFileTest, NothingWritten_LeavesWhatWasThere) {
  put("old");
  { const JsonFile file(path_); }
  EXPECT_EQ(content(), "old");
}

TEST_F(JsonFileTest, NothingWritten_LeavesNoNewFile) {
  { const JsonFile file(path_); }
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(JsonFileTest, MissingFolderOrFolder_IsRefusedAtOnce) {
  EXPECT_EQ(mistake_of(path_ + "/a"),
            "can't write --json " + path_ + "/a: " + "No such file or directory");
  EXPECT_THAT(mistake_of(folder_.string()), HasSubstr("Is a directory"));
}

TEST_F(JsonFileTest, FullDisk_IsAnError) {
  JsonFile file("/dev/full");
  try {
    file.write("results");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "can't write --json /dev/full: No space left on device");
  }
}

TEST_F(JsonFileTest, Device_IsWrittenAndStays) {
  { JsonFile("/dev/null").write("results"); }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace rondo::tool
