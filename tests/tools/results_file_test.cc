#include "tools/rondo/bench/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "tests/tools/tool_process.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/recorded.h"

namespace rondo::tool {
namespace {

using testing::HasSubstr;

BenchRow row_of(std::uint64_t bytes, std::size_t times = 0) {
  BenchResult result;
  result.bytes = bytes;
  result.transport = "shm";
  result.algorithm = "ring";
  result.buffers = "malloc";
  result.p50_us = 1.5;
  result.times_us.assign(times, 0.123456789012345);
  BenchRow row{result, result, ""};
  row.in_place->in_place = true;
  return row;
}

TEST(ResultsFile, EachRow_IsThereAsSoonAsItIsKept) {
  const TemporaryFile path;
  path.put(std::string(100'000, 'x'));
  ResultsFile file(path.path(), {{"host", "a"}});
  EXPECT_EQ(path.content().size(), 100'000U) << "until there are results";
  for (std::uint64_t row = 1; row <= 3; ++row) {
    EXPECT_TRUE(file.add(row_of(row)));
    const RecordedFile kept = read_recorded(path.path());
    ASSERT_EQ(kept.results.size(), 2 * row);
    EXPECT_EQ(kept.results.back().bytes, row);
    EXPECT_TRUE(kept.results.back().in_place);
    EXPECT_EQ(kept.environment.front().second, "a");
  }
  const std::string before = path.content();
  file.close();
  EXPECT_EQ(path.content(), before);
}

TEST(ResultsFile, NewFile_CanBeReadFromTheStart) {
  const TemporaryFile path;
  std::filesystem::remove(path.path());
  {
    const ResultsFile file(path.path(), {{"host", "a"}});
    const RecordedFile begun = read_recorded(path.path());
    EXPECT_TRUE(begun.results.empty());
    EXPECT_EQ(begun.environment.front().second, "a");
  }
  EXPECT_FALSE(std::filesystem::exists(path.path())) << "no row, and not closed";
  ResultsFile(path.path(), {}).close();
  EXPECT_TRUE(read_recorded(path.path()).results.empty());
  std::filesystem::remove(path.path());
  EXPECT_TRUE(ResultsFile(path.path(), {}).add(row_of(1)));
  EXPECT_EQ(read_recorded(path.path()).results.size(), 2U) << "not closed";
}

TEST(ResultsFile, NoRows_IsAFileWithoutResults) {
  const TemporaryFile path;
  ResultsFile file(path.path(), {});
  file.close();
  EXPECT_TRUE(read_recorded(path.path()).results.empty());
}

TEST(ResultsFile, WhatIsLongerThanFilesThatAreRead_IsNotKept) {
  const TemporaryFile path;
  ResultsFile file(path.path(), {});
  std::size_t rows = 0;
  while (file.add(row_of(rows, 20'000))) ++rows;
  EXPECT_GT(rows, 10U);
  EXPECT_EQ(read_recorded(path.path()).results.size(), 2 * rows);
  EXPECT_LE(std::filesystem::file_size(path.path()), kMostInputBytes);
  EXPECT_TRUE(file.add(row_of(1))) << "a shorter one finds room";
}

/// The disk is full, as far as this process is told.
void expect_room_for_no_row(ResultsFile& file, const TemporaryFile& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const std::string before = path.content();
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit full{before.size() + 100, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  std::string mistake;
  try {
    file.add(row_of(2));
  } catch (const std::runtime_error& error) {
    mistake = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_THAT(mistake, HasSubstr("can't write --json " + path.path() + ": File too large"));
  EXPECT_EQ(path.content(), before);
}

TEST(ResultsFile, RowWithoutRoom_IsToldAndTheOthersStay) {
  for (const std::size_t rows : {0U, 1U}) {
    const TemporaryFile path;
    ResultsFile file(path.path(), {});
    for (std::size_t row = 0; row < rows; ++row) ASSERT_TRUE(file.add(row_of(row)));
    ASSERT_EQ(read_recorded(path.path()).results.size(), 2 * rows);
    expect_room_for_no_row(file, path);
  }
}

/// A reader that waits at the other end of a pipe.
TEST(ResultsFile, Pipe_GetsAllAtTheEnd) {
  const TemporaryFile path;
  std::filesystem::remove(path.path());
  ASSERT_EQ(mkfifo(path.path().c_str(), 0600), 0);
  std::string content;
  std::thread reader([&] { content = path.content(); });
  ResultsFile file(path.path(), {});
  EXPECT_TRUE(file.add(row_of(1)));
  EXPECT_TRUE(file.add(row_of(2)));
  file.close();
  reader.join();
  EXPECT_EQ(recorded_from("pipe", content).results.size(), 4U);
}

TEST(ResultsFile, AtTheEnd_StaysAsItWasUntilThen) {
  const TemporaryFile path;
  path.put("before");
  ResultsFile file(path.path(), {}, true);
  EXPECT_TRUE(file.add(row_of(1)));
  EXPECT_EQ(path.content(), "before");
  file.close();
  EXPECT_EQ(read_recorded(path.path()).results.size(), 2U);
}

}  // namespace
}  // namespace rondo::tool
