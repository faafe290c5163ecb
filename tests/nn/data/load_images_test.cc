#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "nn/data/locate.h"
#include "nn/data/mnist.h"
#include "rondo/nn/data.h"
#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// RONDO_DATA pointing at a folder of the test's own.
class LoadImages : public testing::Test {
 protected:
  void SetUp() override { ::setenv("RONDO_DATA", folder_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("RONDO_DATA"); }

  std::string make_digits() const {
    std::filesystem::create_directory(folder_.file("digits"));
    write_gzip(folder_.file("digits/digits.csv.gz"), digits_text(1797));
    return folder_.file("digits/digits.csv.gz");
  }

  TemporaryFolder folder_;
};

TEST_F(LoadImages, NameOrPathOrFolder_FindsTheSameDigits) {
  const std::string path = make_digits();
  for (const std::string& what : {std::string("digits"), path, folder_.file("digits")}) {
    EXPECT_EQ(load_images(what).train->count(), 1797U - 357U) << what;
  }
}

TEST_F(LoadImages, Mnist_IsFoundByNameAndFolder) {
  std::filesystem::create_directory(folder_.file("mnist"));
  const std::string prefix = folder_.file("mnist/");
  write_mnist_part(prefix + kMnistTrain.images, prefix + kMnistTrain.labels, 20);
  write_mnist_part(prefix + kMnistTest.images, prefix + kMnistTest.labels, 10);
  EXPECT_EQ(load_images("mnist").train->count(), 20U);
  EXPECT_EQ(load_images(folder_.file("mnist")).held_out->count(), 10U);
}

TEST_F(LoadImages, NothingThere_SaysWhereItLookedAndTheCommand) {
  const NamedSet digits{.name = "digits", .file = "digits.csv.gz", .is_fetched = true};
  const Result<std::string> found = locate_set(digits, {folder_.path(), "nowhere/data"});
  EXPECT_THAT(found.status().to_string(),
              AllOf(HasSubstr("no digits.csv.gz: looked in " + folder_.path() +
                              "/digits, nowhere/data/digits"),
                    HasSubstr("scripts/data digits"),
                    HasSubstr("set RONDO_DATA to a folder with digits/digits.csv.gz")));
}

TEST_F(LoadImages, SetThatIsNotFetched_SaysWhereToPutIt) {
  const NamedSet own{.name = "mine", .file = "mine.gz", .is_fetched = false};
  const std::string text = locate_set(own, {folder_.path()}).status().to_string();
  EXPECT_THAT(text, HasSubstr("set RONDO_DATA to a folder with your own mine/mine.gz"));
  EXPECT_THAT(text, Not(HasSubstr("scripts/data")));
}

TEST_F(LoadImages, NameOfNothing_ListsTheSets) {
  EXPECT_THAT(error_of([&] { load_images("nosuch"); }),
              HasSubstr("nosuch: no such file or folder, and no set has that name; there are: "
                        "digits, mnist"));
}

TEST_F(LoadImages, Folders_StartWithTheUsersOwn) {
  const std::vector<std::string> folders = data_folders();
  EXPECT_EQ(folders.at(0), folder_.path());
  EXPECT_EQ(folders.at(1), "data");
}

TEST_F(LoadImages, FolderWithoutASet_SaysWhatWasExpected) {
  EXPECT_THAT(error_of([&] { load_images(folder_.path()); }),
              HasSubstr("digits.csv.gz or train-images-idx3-ubyte.gz expected in it, found none"));
}

TEST_F(LoadImages, PathOfNothing_SaysNoSuchFile) {
  EXPECT_THAT(error_of([&] { load_images(folder_.file("mine.csv.gz")); }),
              HasSubstr("mine.csv.gz: no such file"));
}

}  // namespace
}  // namespace rondo::nn
