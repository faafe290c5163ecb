// Traces of worlds that run: what a rank leaves is read by `rondo trace`'s own code.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/trace/chrome_export.h"
#include "rondo/communicator.h"
#include "tests/core/scoped_variable.h"
#include "tools/rondo/trace/merge.h"
#include "tools/rondo/trace/read_traces.h"
#include "tools/rondo/trace/verdict.h"

namespace rondo::tool {
namespace {

namespace fs = std::filesystem;

class TraceRanks : public ::testing::TestWithParam<const char*> {
 protected:
  TraceRanks() { fs::create_directories(folder_); }
  ~TraceRanks() override { fs::remove_all(folder_); }

  template <class Function>
  void run(int world, const Function& function, int timeout_ms = 60'000) const {
    CommunicatorOptions options;
    options.transport = GetParam();
    options.timeout_ms = timeout_ms;
    auto ranks = Communicator::create(
        std::vector<Device>(static_cast<std::size_t>(world), Device::host()), options);
    std::vector<std::jthread> threads;
    for (Communicator& rank : ranks) threads.emplace_back([&rank, &function] { function(rank); });
  }

  JobSummary summary_where_rank_1_is_late() const;
  JobSummary summary() const {
    traces_ = read_traces({folder_.string()});
    return summarize(by_job(traces_).front());
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("rondo_trace_test." + std::to_string(getpid()));
  mutable std::vector<RankTrace> traces_;
};

void sum(Communicator& rank, std::size_t count) {
  std::vector<float> data(count, 0.25F + static_cast<float>(rank.rank()));
  rank.all_reduce({data.data(), count, DataType::kF32});
}

JobSummary TraceRanks::summary_where_rank_1_is_late() const {
  fs::remove_all(folder_);
  fs::create_directory(folder_);
  run(3, [](Communicator& rank) {
    for (int i = 0; i < 12; ++i) {
      if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      sum(rank, i % 2 == 0 ? 2 : 30'000);
    }
  });
  return summary();
}

TEST_P(TraceRanks, ALateRank_IsNamed_AndPartsAddUp) {
  const ScopedVariable variable("RONDO_TRACE", folder_.c_str());
  JobSummary job = summary_where_rank_1_is_late();
  // The machine may hold up another one for as long, but not every time.
  for (int again = 0; again < 2 && job.verdict.rank != 1; ++again)
    job = summary_where_rank_1_is_late();
  EXPECT_EQ(job.calls, 12U);
  EXPECT_EQ(job.verdict.kind, Slowness::kLate);
  EXPECT_EQ(job.verdict.rank, 1);
  EXPECT_GT(job.ranks[0].wait, job.ranks[1].wait);
  std::int64_t reduced_ns = 0;
  std::map<int, int> calls_that_waited;
  for (const RankTrace& trace : traces_) {
    for (const auto& [sequence, call] : trace.calls) {
      reduced_ns += call.reduce_ns;
      EXPECT_EQ(call.collective, "all_reduce");
      EXPECT_EQ(call.wait_ns + call.transfer_ns + call.reduce_ns, call.done_ns - call.begun_ns);
      if (call.waited_longest_for >= 0) ++calls_that_waited[trace.rank];
    }
  }
  EXPECT_GT(reduced_ns, 0);
  // A rank that the machine holds up for as long is the last, and waits for nobody.
  for (const int rank : {0, 2}) EXPECT_GE(calls_that_waited[rank], 6) << rank;
}

/// What goes out before the call is noted counts, too.
TEST_P(TraceRanks, TheTimeOfAShortCall_IsNearlyAllThatItTook) {
  using Clock = std::chrono::steady_clock;
  run(2, [](Communicator& rank) {
    std::vector<float> data(2'000, 0.25F + static_cast<float>(rank.rank()));
    std::vector<double> parts;
    for (int i = 0; i < 400; ++i) {
      const auto start = Clock::now();
      rank.all_reduce({data.data(), data.size(), DataType::kF32});
      const std::chrono::duration<double, std::micro> took = Clock::now() - start;
      parts.push_back(rank.last_call().took_us / took.count());
    }
    std::ranges::nth_element(parts, parts.begin() + 200);
    EXPECT_GT(parts[200], 0.6);
  });
}

TEST_P(TraceRanks, MoreCallsThanAreKept_LeavesTheLast) {
  const ScopedVariable variable("RONDO_TRACE", folder_.c_str());
  const ScopedVariable calls("RONDO_TRACE_CALLS", "5");
  run(2, [](Communicator& rank) {
    for (int i = 0; i < 13; ++i) rank.barrier();
    Work work = rank.start(Call::barrier());
    work.wait();
  });
  EXPECT_EQ(summary().calls, 5U);
  EXPECT_EQ(traces_.front().calls.rbegin()->first - traces_.front().calls.begin()->first, 4);
}

TEST_P(TraceRanks, ACallThatFails_LeavesItsTrace) {
  const ScopedVariable variable("RONDO_TRACE_DIR", folder_.c_str());
  run(2, [](Communicator& rank) {
    sum(rank, 3);
    EXPECT_THROW(sum(rank, rank.rank() == 0 ? 4 : 5), Error);
  });
  const auto traces = read_traces({folder_.string()});
  ASSERT_EQ(traces.size(), 2U);
  for (const RankTrace& trace : traces) {
    EXPECT_NE(trace.error.find("Mismatch"), std::string::npos) << trace.error;
    EXPECT_EQ(trace.calls.rbegin()->second.result, "Mismatch");
    EXPECT_EQ(trace.calls.begin()->second.result, "Ok");
  }
}

std::string trace_of_rank_0_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().string().ends_with(".0.json")) continue;
    std::ifstream file(entry.path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  return {};
}

/// In the folder of errors, and in that where each rank leaves its calls.
TEST_P(TraceRanks, AReceiveThatFails_IsInItsTraces) {
  const fs::path at_error = folder_ / "errors";
  fs::create_directory(at_error);
  const ScopedVariable at_end("RONDO_TRACE", folder_.c_str());
  const ScopedVariable variable("RONDO_TRACE_DIR", at_error.c_str());
  std::latch both(2);
  const auto receive_in_vain = [&both](Communicator& rank) {
    sum(rank, 3);
    double value = 0;
    if (rank.rank() == 0) {
      EXPECT_THROW(rank.receive({&value, 1}, 1, 7), Error);
    }
    both.arrive_and_wait();
  };
  run(2, receive_in_vain, 200);
  for (const fs::path& folder : {at_error, folder_}) {
    const std::string trace = trace_of_rank_0_in(folder);
    const std::size_t received = trace.find("receive");
    ASSERT_NE(received, std::string::npos) << folder << ": " << trace;
    EXPECT_NE(trace.find(R"("result":"Timeout")", received), std::string::npos) << trace;
  }
}

/// Of as many bytes as a trace is read with, however long its cause is.
TEST_P(TraceRanks, AnErrorOfManyBytes_LeavesATraceThatIsRead) {
  const ScopedVariable variable("RONDO_TRACE_DIR", folder_.c_str());
  std::latch both(2);
  run(2, [&both](Communicator& rank) {
    sum(rank, 3);
    both.arrive_and_wait();
    if (rank.rank() == 0) rank.abort(Error(ErrorCode::kInternal, std::string(6000, '"')));
    EXPECT_THROW(sum(rank, 3), Error);
  });
  const auto traces = read_traces({folder_.string()});
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(traces.front().rank, 0);
  EXPECT_EQ(traces.front().error.size(), trace::kMostTextBytes);
}

/// As of a program that makes a second communicator of all ranks that its launcher has started.
TEST_P(TraceRanks, TwoWorldsOfOneJob_LeaveFilesOfTheirOwn) {
  const ScopedVariable rank("RONDO_RANK", "0");
  const ScopedVariable processes("RONDO_WORLD", "1");
  const ScopedVariable job("RONDO_JOB", "abc");
  const ScopedVariable variable("RONDO_TRACE", folder_.c_str());
  const ScopedVariable metrics("RONDO_METRICS_FILE", (folder_ / "metrics.prom").c_str());
  for (const int calls : {5, 3}) {
    run(2, [calls](Communicator& place) {
      for (int i = 0; i < calls; ++i) sum(place, 3);
    });
  }
  const auto traces = read_traces({folder_.string()});
  std::vector<std::size_t> calls;
  for (const auto& ranks : by_job(traces)) {
    EXPECT_EQ(ranks.size(), 2U) << "what is one communicator's is merged";
    calls.push_back(summarize(ranks).calls);
  }
  std::ranges::sort(calls);
  EXPECT_EQ(calls, (std::vector<std::size_t>{3, 5}));
  const auto is_metrics = [](const auto& entry) { return entry.path().extension() == ".prom"; };
  EXPECT_EQ(std::count_if(fs::directory_iterator(folder_), fs::directory_iterator(), is_metrics),
            4);
}

TEST_P(TraceRanks, AFolderThatIsMissing_FailsNoCall) {
  const ScopedVariable variable("RONDO_TRACE", "/no/such/folder");
  run(2, [](Communicator& rank) {
    sum(rank, 3);
    EXPECT_THROW(rank.write_trace("/no/such/folder/file"), Error);
  });
}

TEST_P(TraceRanks, SwitchedOff_ThereIsNone) {
  const ScopedVariable variable("RONDO_TRACE", "off");
  run(2, [](Communicator& rank) {
    sum(rank, 3);
    EXPECT_THROW(rank.write_trace("/tmp/none"), Error);
    EXPECT_NE(rank.metrics().find("rondo_peer_sent_bytes_total"), std::string::npos);
  });
}

TEST_P(TraceRanks, Metrics_CountCallsAndMessages) {
  const ScopedVariable variable("RONDO_METRICS_FILE", (folder_ / "metrics.prom").c_str());
  run(2, [](Communicator& rank) {
    for (int i = 0; i < 3; ++i) sum(rank, 100);
    float value = 1.5F;
    if (rank.rank() == 0) {
      rank.send({&value, 1, DataType::kF32}, 1);
    } else {
      rank.receive({&value, 1, DataType::kF32}, 0);
    }
    rank.barrier();
  });
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ++files;
    std::size_t sums = 0;
    std::size_t messages = 0;
    for (std::size_t at = text.find("rondo_calls_total{"); at != std::string::npos;
         at = text.find("rondo_calls_total{", at + 1)) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      if (line.find("all_reduce") != std::string::npos) sums += line.ends_with("} 3") ? 1U : 0U;
      if (line.find("message") != std::string::npos) messages += line.ends_with("} 1") ? 1U : 0U;
    }
    EXPECT_EQ(sums, 1U) << text;
    EXPECT_EQ(messages, 1U) << text;
  }
  EXPECT_EQ(files, 2U);
}

TEST_P(TraceRanks, ReadWhileCallsRun_IsWhole) {
  run(2, [this](Communicator& rank) {
    const std::string path = folder_ / ("live" + std::to_string(rank.rank()));
    std::jthread reader([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        rank.write_trace(path);
        static_cast<void>(read_trace(path));
      }
    });
    for (int i = 0; i < 500; ++i) sum(rank, 2);
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, TraceRanks, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& world) { return std::string(world.param); });

}  // namespace
}  // namespace rondo::tool
