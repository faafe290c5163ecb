#include "nn/data/gzip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::HasSubstr;

constexpr std::size_t kLimitBytes = 1U << 20U;

class GzipFile : public testing::Test {
 protected:
  std::string error(std::size_t limit_bytes = kLimitBytes) const {
    return read_gzip(path_, limit_bytes).status().to_string();
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("set.gz");
  std::string content_ = digits_text(500);
};

TEST_F(GzipFile, WholeFile_GivesItsContent) {
  write_gzip(path_, content_);
  const Result<std::string> read = read_gzip(path_, content_.size());
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(*read, content_);
}

TEST_F(GzipFile, Missing_SaysWhichFile) {
  EXPECT_EQ(error(), "InvalidArgument: " + path_ + ": no such file");
}

TEST_F(GzipFile, CutAnywhere_IsDataLoss) {
  write_gzip(path_, content_);
  const std::string whole = read_plain(path_);
  for (std::size_t keep = 2; keep < whole.size(); keep += 97) {
    write_plain(path_, whole.substr(0, keep));
    EXPECT_THAT(error(), HasSubstr("DataLoss: " + path_)) << keep << " of " << whole.size();
  }
  write_plain(path_, whole.substr(0, whole.size() - 1));
  EXPECT_THAT(error(), HasSubstr("ends in the middle of the compressed data"));
}

TEST_F(GzipFile, FlippedByteOfTheChecksum_IsDataLoss) {
  write_gzip(path_, content_);
  std::string bytes = read_plain(path_);
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  write_plain(path_, bytes);
  EXPECT_THAT(error(), HasSubstr("data check"));
}

TEST_F(GzipFile, PlainOrEmptyFile_IsRefused) {
  for (const std::string& content : {content_, std::string()}) {
    write_plain(path_, content);
    EXPECT_THAT(error(), HasSubstr("a gzip file expected, found one without a gzip header"));
  }
}

TEST_F(GzipFile, LongerThanExpected_IsRefused) {
  write_gzip(path_, content_);
  EXPECT_THAT(error(1000), HasSubstr("at most 1000 inflated bytes expected, found more"));
}

TEST_F(GzipFile, Folder_IsASystemError) {
  path_ = folder_.path();
  EXPECT_THAT(error(), HasSubstr("System: can't "));
}

}  // namespace
}  // namespace rondo::nn
