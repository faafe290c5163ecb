// The tuning of a communicator: measured, kept, handed out by rank 0, inherited.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "rondo/log.h"
#include "rondo/plan.h"
#include "rondo/schedules.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr bool kSlow = RONDO_SLOW_BUILD;  // CMake: sanitizers, where to measure takes minutes

/// A folder of the test's own, gone with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::string file = path_ + "/" + name;
    std::ofstream(file) << text;
    return file;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().string());
    return names;
  }

 private:
  std::string path_;
};

/// Of the environment, for as long as it lives: set, or without a value unset.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    EXPECT_EQ(::unsetenv(name), 0);
  }
  Variable(const char* name, const std::string& value) : Variable(name) {
    EXPECT_EQ(::setenv(name, value.c_str(), 1), 0);
  }
  ~Variable() { before_.has_value() ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// What rank 0 of `world` would hand out: `ring` made to look slow, or fast.
std::string tuning_that_likes(const std::string& name) {
  const auto times = [&](const std::string& algorithm) {
    const double us = algorithm == name ? 1 : 1e6;
    return R"({"collective": "all_reduce", "algorithm": ")" + algorithm +
           R"(", "times": [{"bytes": 4, "us": )" + std::to_string(us) +
           R"(, "simulated_us": 1000}]})";
  };
  std::string measured;
  for (const char* algorithm :
       {"ring", "direct", "one_shot", "recursive_doubling", "halving_doubling", "neighbour_ring",
        "bidirectional_ring", "double_binary_tree", "hierarchical", "weighted_direct"})
    measured += (measured.empty() ? "" : ", ") + times(algorithm);
  return R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 3}]}, "measured": [)" + measured +
         "]}";
}

CallInfo reduced(Communicator& rank, std::size_t count) {
  std::vector<float> data(count, static_cast<float>(rank.rank()) + 0.25F);
  rank.all_reduce({data.data(), data.size(), DataType::kF32});
  float sum = 0;
  for (int i = 0; i < rank.size(); ++i) sum += static_cast<float>(i) + 0.25F;
  EXPECT_EQ(data.front(), sum);
  EXPECT_EQ(data.back(), sum);
  return rank.last_call();
}

TEST(CommunicatorTuning, FileDecidesAlgorithms_AndThoseOfSplits) {
  const Folder folder;
  for (const std::string name : {"ring", "halving_doubling"}) {
    const std::string path = folder.write(name, tuning_that_likes(name));
    spawn({.size = 3, .tuning = path}, [&](Communicator& rank) {
      const CallInfo info = reduced(rank, 5000);
      EXPECT_EQ(info.algorithm, name);
      EXPECT_GT(info.predicted_us, 0);
      EXPECT_GT(info.took_us, 0);
      auto same = rank.split(0);
      EXPECT_EQ(reduced(*same, 5000).algorithm, name);
    });
  }
}

/// Its predictions differ by the rank's own memory; choices don't.
TEST(CommunicatorTuning, RegisteredMemory_IsPredictedByItsOwnTimes) {
  constexpr std::size_t kCount = 5000;
  const auto times = [](const char* memory, double us) {
    return fmt::format(
        R"({{"collective": "all_reduce", "algorithm": "direct", "memory": "{}",
            "times": [{{"bytes": 20000, "us": {}, "simulated_us": 1}}]}})",
        memory, us);
  };
  const Folder folder;
  const std::string path = folder.write(
      "both", R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 3}]}, "measured": [)" +
                  times("ordinary", 0.8) + "," + times("registered", 0.2) + "]}");
  for (const char* const transport : {"shm", "inproc"}) {
    spawn({.size = 3, .transport = transport, .algorithm = "direct", .tuning = path},
          [&](Communicator& rank) {
            const RegisteredMemory memory(kCount * sizeof(float));
            std::vector<float> ordinary(kCount, 1.5F);
            auto* const registered = static_cast<float*>(memory.data());
            std::fill_n(registered, kCount, 2.5F);
            const auto predicted_us = [&](const float* input, float* output) {
              rank.all_reduce({input, kCount, DataType::kF32}, {output, kCount, DataType::kF32});
              return rank.last_call().predicted_us;
            };
            const double on_ordinary = predicted_us(ordinary.data(), ordinary.data());
            const double on_registered = predicted_us(registered, registered);
            EXPECT_NEAR(on_ordinary, 4 * on_registered, 1e-6 * on_ordinary);
            EXPECT_GT(on_registered, 0);
            EXPECT_EQ(predicted_us(registered, ordinary.data()), on_ordinary) << "both have to be";
            EXPECT_EQ(predicted_us(ordinary.data(), registered), on_ordinary);
            // Ranks with unlike memory make the same call, each with its own prediction.
            float* const own = rank.rank() == 0 ? registered : ordinary.data();
            EXPECT_EQ(predicted_us(own, own), rank.rank() == 0 ? on_registered : on_ordinary);
            for (const MemoryKind kind : {MemoryKind::kOrdinary, MemoryKind::kRegistered}) {
              const auto choices = rank.measure_choices(Collective::kAllReduce, {20'000}, 1, kind);
              const auto& all = choices.front().algorithms;
              const auto direct = std::ranges::find(all, "direct", &MeasuredAlgorithm::name);
              EXPECT_GT(direct->predicted_us, 0);
              EXPECT_NEAR(direct->predicted_us / (kind == MemoryKind::kOrdinary ? 4 : 1),
                          on_registered, 0.1 * on_registered);
            }
          });
  }
}

/// Rank 0 has prepared the call before the others would have chosen as they do now.
TEST(CommunicatorTuning, CallsPreparedBefore_GoByTheNewChoice) {
  if (kSlow) GTEST_SKIP() << "measures";
  constexpr std::size_t kCount = 5000;
  const Folder folder;
  spawn({.size = 3, .tuning = folder.write("ring", tuning_that_likes("ring"))},
        [&](Communicator& rank) {
          std::vector<float> data(kCount);
          Prepared prepared = rank.prepare(Call::all_reduce({data.data(), kCount}));
          EXPECT_EQ(reduced(rank, kCount).algorithm, "ring");
          rank.measure_tuning();
          const std::string_view chosen = reduced(rank, kCount).algorithm;
          for (int call = 0; call < 2; ++call) {
            if (rank.rank() != 0) {
              EXPECT_EQ(reduced(rank, kCount).algorithm, chosen);
              continue;
            }
            std::ranges::fill(data, 0.25F);
            prepared.run();
            EXPECT_EQ(rank.last_call().algorithm, chosen);
            EXPECT_EQ(data, std::vector<float>(kCount, 3.75F));
          }
        });
}

/// What a world that is joined now multiplies the file's predictions by. A split has the file, and
/// no pace.
double pace_of_2_kib(const char* transport, const std::string& path) {
  std::vector<double> paces(2);
  spawn({.size = 2, .transport = transport, .algorithm = "ring", .tuning = path},
        [&](Communicator& rank) {
          auto same = rank.split(0);
          const auto pace = [&](std::size_t bytes) {
            const std::size_t count = bytes / sizeof(float);
            return reduced(rank, count).predicted_us / reduced(*same, count).predicted_us;
          };
          paces[static_cast<std::size_t>(rank.rank())] = pace(2048);
          EXPECT_DOUBLE_EQ(pace(std::size_t{1} << 20), 1) << "the file has no such size";
        });
  EXPECT_EQ(paces.front(), paces.back()) << "the same on all ranks";
  return paces.front();
}

/// The file says of its sizes that they take hundredths of a second, which they don't.
TEST(CommunicatorTuning, PredictionsGoByHowFastTheWorldIsWhenItIsJoined) {
  constexpr double kFileUs = 12'000;
  std::string points;
  for (const char* const bytes : {"64", "2048", "32768"})
    points += fmt::format(R"({}{{"bytes": {}, "us": {}, "simulated_us": 100}})",
                          points.empty() ? "" : ", ", bytes, kFileUs);
  const Folder folder;
  const std::string path =
      folder.write("slow", R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 2}]}, "measured":
      [{"collective": "all_reduce", "algorithm": "ring", "times": [)" +
                               points + "]}]}");
  for (const char* const transport : {"inproc", "shm", "tcp"}) {
    double pace = 1;
    // No call of 2 KiB takes 6 ms, but of threads that the system has put on one core.
    for (int attempt = 0; attempt < 5 && pace >= 0.5; ++attempt)
      pace = pace_of_2_kib(transport, path);
    EXPECT_LT(pace, 0.5);
    EXPECT_GT(pace, 0);
  }
}

/// Of ordinary memory the file says that a call takes a hundredth of a microsecond, of registered
/// memory a hundredth of a second: each has a pace of its own.
TEST(CommunicatorTuning, RegisteredMemory_HasAPaceOfItsOwn) {
  constexpr std::size_t kCount = 2048 / sizeof(float);
  const auto times = [](const char* memory, double us) {
    return fmt::format(
        R"({{"collective": "all_reduce", "algorithm": "ring", "memory": "{}",
            "times": [{{"bytes": 2048, "us": {}, "simulated_us": 1}}]}})",
        memory, us);
  };
  const Folder folder;
  const auto paces = [&](const char* transport) {
    std::array<double, 2> ratios{};
    const std::string path = folder.write(
        "both", R"({"rondo_tuning": 1, "transport": "shm", "network": {"hosts": [{"ranks": 2}]},
            "measured": [)" +
                    times("ordinary", 0.01) + "," + times("registered", 12'000) + "]}");
    spawn({.size = 2, .transport = transport, .algorithm = "ring", .tuning = path},
          [&](Communicator& rank) {
            auto same = rank.split(0);
            const RegisteredMemory memory(kCount * sizeof(float));
            std::vector<float> ordinary(kCount, 1.5F);
            const auto pace = [&](float* data) {
              rank.all_reduce({data, kCount, DataType::kF32});
              same->all_reduce({data, kCount, DataType::kF32});
              return rank.last_call().predicted_us / same->last_call().predicted_us;
            };
            const std::array<double, 2> own = {pace(ordinary.data()),
                                               pace(static_cast<float*>(memory.data()))};
            if (rank.rank() == 0) ratios = own;
          });
    return ratios;
  };
  std::array<double, 2> measured = {1, 1};
  for (int attempt = 0; attempt < 5 && measured[1] >= 0.5; ++attempt) measured = paces("shm");
  EXPECT_GT(measured[0], 2) << "no call takes 20 ns";
  EXPECT_LT(measured[1], 0.5) << "nor 6 ms";
  ::testing::internal::CaptureStderr();
  const std::array<double, 2> over_tcp = paces("tcp");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("was measured over shm"));
  EXPECT_DOUBLE_EQ(over_tcp[0], 1) << "there is nothing to compare over another transport";
  EXPECT_DOUBLE_EQ(over_tcp[1], 1);
}

/// What a world does to learn its pace is in none of its books.
TEST(CommunicatorTuning, WhatIsMeasuredAtTheJoin_IsNoCallOfTheProgram) {
  const Folder folder;
  const std::string path =
      folder.write("one", R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 2}]}, "measured":
      [{"collective": "all_reduce", "algorithm": "direct",
        "times": [{"bytes": 2048, "us": 9, "simulated_us": 9}]}]})");
  for (const char* const transport : {"inproc", "shm", "tcp"}) {
    spawn({.size = 2, .transport = transport, .tuning = path}, [&](Communicator& rank) {
      EXPECT_THAT(rank.metrics(), Not(HasSubstr("rondo_calls_total{"))) << transport;
      EXPECT_EQ(rank.traffic().front().sent_bytes, 0U);
      EXPECT_EQ(rank.traffic().front().received_bytes, 0U);
      EXPECT_EQ(rank.last_call().algorithm, "none");
      EXPECT_EQ(rank.last_call().took_us, 0);
      EXPECT_EQ(rank.last_call().transport, transport);
      reduced(rank, 2);
      EXPECT_EQ(rank.traffic().front().sent_bytes, 8U);
      EXPECT_EQ(rank.traffic().front().received_bytes, 8U);
      const std::string metrics = rank.metrics();
      const std::string family = "rondo_calls_total{";
      const std::size_t first = metrics.find(family);
      EXPECT_THAT(metrics.substr(first, metrics.find('\n', first) - first),
                  AllOf(HasSubstr("collective=\"all_reduce\""), EndsWith(" 1")));
      EXPECT_EQ(metrics.find(family, first + 1), std::string::npos) << "there is one";
      const std::string trace = folder.path() + "/trace" + std::to_string(rank.rank());
      rank.write_trace(trace);
      std::ifstream file(trace);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_THAT(text, HasSubstr("\"calls\":1,"));
    });
  }
}

TEST(CommunicatorTuning, ForcedAlgorithmsStayForced) {
  const Folder folder;
  const std::string path = folder.write("ring", tuning_that_likes("ring"));
  spawn({.size = 3, .algorithm = "direct", .tuning = path}, [&](Communicator& rank) {
    const CallInfo info = reduced(rank, 5000);
    EXPECT_EQ(info.algorithm, "direct");
    EXPECT_GT(info.predicted_us, 100) << "as the file says of it";
  });
}

TEST(CommunicatorTuning, TheEnvironmentForcesWhatTheProgramLeavesOpen) {
  {
    const Variable forced("RONDO_ALGO", "recursive_doubling");
    spawn({.size = 3}, [](Communicator& rank) {
      EXPECT_EQ(reduced(rank, 5000).algorithm, "recursive_doubling");
      auto same = rank.split(0);
      EXPECT_EQ(reduced(*same, 5000).algorithm, "recursive_doubling");
    });
    spawn({.size = 3, .algorithm = "ring"},
          [](Communicator& rank) { EXPECT_EQ(reduced(rank, 5000).algorithm, "ring"); });
  }
  spawn({.size = 3},
        [](Communicator& rank) { EXPECT_NE(reduced(rank, 5000).algorithm, "recursive_doubling"); });
}

TEST(CommunicatorTuning, DataOfWhichARankKnowsItsOwnPartAlone_IsntPredicted) {
  spawn({.size = 2}, [](Communicator& rank) {
    const std::vector<std::size_t> counts = {300, 500};
    std::vector<float> part(counts[static_cast<std::size_t>(rank.rank())], 1.5F);
    std::vector<float> all(800);
    const ConstBuffer input(part.data(), part.size(), DataType::kF32);
    const Buffer output{all.data(), all.size(), DataType::kF32};
    rank.all_gather_v(input, output, counts);
    EXPECT_GT(rank.last_call().predicted_us, 0);
    rank.gather_v(input, output, counts, 0);
    EXPECT_EQ(rank.last_call().predicted_us, 0);
  });
}

TEST(CommunicatorTuning, BrokenFileIsToldOnce_AndNamesItsPlace) {
  const Folder folder;
  const std::string broken = folder.write("broken", R"({"rondo_tuning": 1, "network": 7})");
  for (const auto& [path, said] : {std::pair{broken, std::string("network: expected an object")},
                                   std::pair{folder.path() + "/none", std::string("none")}}) {
    try {
      make_world({.size = 3, .tuning = path});
      ADD_FAILURE() << "accepted " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.message(),
                  HasSubstr("rank 0: tuning file " + path + " (option tuning, RONDO_TUNING)"));
      EXPECT_THAT(error.message(), HasSubstr(said));
    }
  }
}

/// It chooses nothing by the file, but refuses what a larger world would.
TEST(CommunicatorTuning, AWorldOfOne_ReadsItsFile) {
  const Folder folder;
  const auto mistake_in = [](const std::string& path) -> std::string {
    try {
      make_world({.size = 1, .tuning = path});
      return "none";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.message();
    }
  };
  const std::string broken = folder.write("broken", R"({"rondo_tuning": 1, "network": 7})");
  EXPECT_THAT(mistake_in(broken), HasSubstr("tuning file " + broken +
                                            " (option tuning, RONDO_TUNING): network: expected"));
  EXPECT_THAT(mistake_in(folder.path() + "/none"), HasSubstr("No such file"));
  EXPECT_EQ(mistake_in(folder.write("ring", tuning_that_likes("ring"))), "none");
  const Variable kept("RONDO_CACHE_DIR", folder.path() + "/cache");
  EXPECT_EQ(mistake_in("measure"), "none");
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/cache")) << "there is nothing to measure";
}

TEST(CommunicatorTuning, MeasuredOnce_KeptAndReadAgain) {
  const Folder folder;
  const Variable kept("RONDO_CACHE_DIR", folder.path());
  std::vector<Communicator> first =
      make_world({.size = 2, .transport = "shm", .tuning = "measure"});
  ASSERT_EQ(folder.files().size(), 1U);
  const std::string file = folder.files().front();
  const auto written = std::filesystem::last_write_time(file);
  std::vector<Communicator> again =
      make_world({.size = 2, .transport = "shm", .tuning = "measure"});
  EXPECT_EQ(std::filesystem::last_write_time(file), written) << "it is measured once";
  run_ranks(again, [](Communicator& rank) { EXPECT_GT(reduced(rank, 1000).predicted_us, 0); });
  // The file is what a user may pin.
  spawn({.size = 2, .transport = "shm", .tuning = file},
        [](Communicator& rank) { EXPECT_GT(reduced(rank, 1000).predicted_us, 0); });
  if (kSlow) return;
  // Other worlds have files of their own (tuning_cache_test has which).
  make_world({.size = 2, .transport = "tcp", .tuning = "measure"});
  EXPECT_EQ(folder.files().size(), 2U) << "another transport";
  for (const std::string& other : folder.files())
    if (other != file) std::filesystem::remove(other);
  // One of a Rondo with other algorithms, or a damaged one, is measured anew.
  std::ofstream(file) << R"({"rondo_tuning": 1, "transport": "shm", "network": {"hosts": [{}]},
      "measured": [{"collective": "all_reduce", "algorithm": "of another version"}]})";
  ::testing::internal::CaptureStderr();
  make_world({.size = 2, .transport = "shm", .tuning = "measure"});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("the tuning that was kept can't be used: tuning file " + file +
                        ": measured[0].algorithm: expected an algorithm of all_reduce ("));
  spawn({.size = 2, .transport = "shm", .tuning = file},
        [](Communicator& rank) { EXPECT_GT(reduced(rank, 1000).predicted_us, 0); });
  // Where it can't be written the world goes on.
  std::filesystem::remove(file);
  std::filesystem::create_symlink("no/such/file", file);
  make_world({.size = 2, .transport = "shm", .tuning = "measure"});
  EXPECT_EQ(folder.files(), std::vector<std::string>{file}) << "nothing is left behind";
}

/// As the home of another user, or a link that leads to itself.
TEST(CommunicatorTuning, AFolderThatCantBeLookedInto_HoldsNoFile) {
  if (kSlow) GTEST_SKIP() << "measured once, elsewhere";
  const Folder folder;
  const std::string loop = folder.path() + "/loop";
  std::filesystem::create_symlink("loop", loop);
  const Variable kept("RONDO_CACHE_DIR", loop);
  ::testing::internal::CaptureStderr();
  std::vector<Communicator> ranks =
      make_world({.size = 2, .transport = "shm", .tuning = "measure"});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("the tuning that was measured isn't kept: can't write " + loop));
  run_ranks(ranks, [](Communicator& rank) { EXPECT_GT(reduced(rank, 1000).predicted_us, 0); });
}

/// As under a launcher that passes no environment on.
TEST(CommunicatorTuning, WithoutAFolderOfCaches_IsMeasuredAndNotKept) {
  if (kSlow) GTEST_SKIP() << "measured once, elsewhere";
  const Variable no_folder("RONDO_CACHE_DIR");
  const Variable no_caches("XDG_CACHE_HOME");
  const Variable no_home("HOME");
  ::testing::internal::CaptureStderr();
  std::vector<Communicator> ranks =
      make_world({.size = 2, .transport = "shm", .tuning = "measure"});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("the tuning that was measured isn't kept: the folder of caches is named by "
                        "RONDO_CACHE_DIR, XDG_CACHE_HOME or HOME, and none of them is set"));
  run_ranks(ranks, [](Communicator& rank) { EXPECT_GT(reduced(rank, 1000).predicted_us, 0); });
}

TEST(CommunicatorTuning, AnotherTransportsFile_IsToldOnce) {
  const Folder folder;
  std::string text = tuning_that_likes("ring");
  text.insert(1, R"("transport": "shm", )");
  const std::string path = folder.write("of_shm", text);
  const auto said_over = [&](const std::string& transport) {
    ::testing::internal::CaptureStderr();
    make_world({.size = 2, .transport = transport, .tuning = path});
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string said = said_over("tcp");
  EXPECT_THAT(said, HasSubstr("was measured over shm, and this world goes over tcp"));
  EXPECT_EQ(said.find("was measured"), said.rfind("was measured")) << "by rank 0 alone";
  EXPECT_EQ(said_over("shm"), "");
}

/// What Rondo says of other hosts while such a world is made.
std::vector<std::string> said_of_hosts(const std::string& tuning) {
  std::mutex mutex;
  std::vector<std::string> lines;
  set_log(
      [&](LogLevel, std::string_view line) {
        const std::lock_guard lock(mutex);
        if (line.find("other hosts") != std::string_view::npos) lines.emplace_back(line);
      },
      LogLevel::kInfo);
  make_world({.size = 3, .tuning = tuning});
  set_log({});
  return lines;
}

TEST(CommunicatorTuning, AnotherHostsFile_IsToldOnce) {
  const Folder folder;
  std::array<char, 256> own{};
  ASSERT_EQ(::gethostname(own.data(), own.size() - 1), 0);
  const std::string name = own.data();
  const auto file_of = [&](const std::string& host) {
    std::string text = tuning_that_likes("ring");
    text.insert(1, R"("hosts": [")" + host + R"("], )");
    return folder.write("of_" + host, text);
  };
  const std::string path = file_of("not-" + name);
  EXPECT_EQ(said_of_hosts(path),
            std::vector<std::string>{fmt::format("the tuning {} was measured on other hosts: {} of "
                                                 "this world isn't one of not-{}",
                                                 path, name, name)});
  EXPECT_THAT(said_of_hosts(file_of(name)), IsEmpty());
  EXPECT_THAT(said_of_hosts(folder.write("of_nobody", tuning_that_likes("ring"))), IsEmpty());
}

TEST(CommunicatorTuning, MeasuringGivesAllRanksTheSame_AndChoicesAfterIt) {
  if (kSlow) GTEST_SKIP() << "measured once, elsewhere";
  std::mutex mutex;
  std::set<std::string> texts;
  spawn({.size = 3, .transport = "shm"}, [&](Communicator& rank) {
    const std::string text = rank.measure_tuning();
    {
      const std::lock_guard lock(mutex);
      texts.insert(text);
    }
    const std::vector<MeasuredChoice> choices =
        rank.measure_choices(Collective::kAllReduce, {1000, 100'000}, 3);
    ASSERT_EQ(choices.size(), 2U);
    for (const MeasuredChoice& choice : choices) {
      EXPECT_EQ(choice.algorithms.size(), 10U);
      EXPECT_EQ(choice.chosen, choice.algorithms.front().name);
      for (const MeasuredAlgorithm& algorithm : choice.algorithms) {
        EXPECT_GT(algorithm.us, 0) << algorithm.name;
        EXPECT_GT(algorithm.predicted_us, 0) << algorithm.name;
      }
    }
    EXPECT_EQ(reduced(rank, choices[1].bytes / 4).algorithm, choices[1].chosen);
    // `rondo plan` says what the world does.
    for (const std::size_t bytes : {64U, 3000U, 20'000U, 100'000U, 1U << 20, 3U << 20}) {
      const CallInfo info = reduced(rank, bytes / 4);
      const PlanReport plan = explain_plan({.bytes = bytes, .hosts = 0, .tuning = text});
      EXPECT_EQ(plan.algorithm, info.algorithm) << bytes << " bytes";
    }
  });
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_THAT(*texts.begin(), HasSubstr("\"rondo_tuning\": 1"));
  EXPECT_THAT(*texts.begin(), HasSubstr("\"memory\": \"registered\""));
}

TEST(CommunicatorTuning, RoundsOfNoMeasurement_AreRefusedBeforeAnythingIsSent) {
  for (const int size : {1, 2}) {
    spawn({.size = size, .transport = "shm"}, [](Communicator& rank) {
      for (const int rounds : {-1, 0, 10'001, std::numeric_limits<int>::max()}) {
        try {
          rank.measure_choices(Collective::kAllReduce, {1000}, rounds);
          ADD_FAILURE() << "accepted " << rounds;
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << rounds;
          EXPECT_EQ(
              error.message(),
              fmt::format("Communicator::measure_choices: rounds: expected 1 to 10000, got {}",
                          rounds));
        }
      }
      try {
        rank.measure_choices(static_cast<Collective>(77), {1000}, 1);
        ADD_FAILURE() << "accepted a collective that isn't there";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
        EXPECT_THAT(error.what(), HasSubstr("measure_choices: unknown collective"));
      }
      rank.barrier();
      EXPECT_EQ(rank.measure_choices(Collective::kAllReduce, {1000}, 1).size(),
                rank.size() == 1 ? 0U : 1U);
    });
  }
}

TEST(CommunicatorTuning, AForcedAlgorithmIsWhatIsChosen) {
  spawn({.size = 3, .transport = "shm", .algorithm = "ring"}, [](Communicator& rank) {
    const auto choices = rank.measure_choices(Collective::kAllReduce, {64, 1 << 20}, 1);
    for (const MeasuredChoice& choice : choices) {
      EXPECT_EQ(choice.chosen, "ring");
      EXPECT_EQ(choice.chosen, reduced(rank, choice.bytes / 4).algorithm);
      EXPECT_EQ(choice.algorithms.size(), 10U) << "the others are measured beside it";
    }
    const auto others = rank.measure_choices(Collective::kReduce, {64}, 1);
    EXPECT_EQ(others.front().chosen, others.front().algorithms.front().name)
        << "a reduce has no ring";
  });
}

/// Whatever the program's own calls are made by.
TEST(CommunicatorTuning, MeasuresTheAlgorithmsThemselves) {
  if (kSlow) GTEST_SKIP() << "measured once, elsewhere";
  const std::string schedule = written_schedule("all_reduce", "ring", 2, 1 << 20);
  spawn({.size = 2,
         .transport = "tcp",
         .deterministic = true,
         .wire_format = "none",
         .schedule = schedule},
        [&](Communicator& rank) {
          rank.measure_tuning();
          for (const char* algorithm : {"ring", "halving_doubling", "double_binary_tree"}) {
            EXPECT_THAT(rank.metrics(), HasSubstr(fmt::format("algorithm=\"{}\"", algorithm)));
          }
          EXPECT_NE(reduced(rank, 1000).algorithm, "ring") << "it is deterministic again";
        });
  spawn({.size = 2, .transport = "tcp", .wire_format = "int8", .schedule = schedule},
        [&](Communicator& rank) {
          const std::size_t before = rank.traffic().front().sent_bytes;
          const auto choices = rank.measure_choices(Collective::kAllReduce, {1 << 20}, 1);
          const std::size_t calls = 2 * choices.front().algorithms.size();
          EXPECT_GE(rank.traffic().front().sent_bytes - before, calls << 20) << "f32, not int8";
          EXPECT_THAT(rank.metrics(), HasSubstr("algorithm=\"ring\""));
          EXPECT_EQ(reduced(rank, 1000).algorithm.substr(0, 3), "my_");
        });
}

}  // namespace
}  // namespace rondo::testing
