#pragma once

// Starts the ranks of a world on this machine, carries their output and signals, and sees to it
// that they all end. One poll loop in one thread.

#include <poll.h>
#include <sys/resource.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/rondo/run/output_sink.h"
#include "tools/rondo/run/rank_environment.h"
#include "tools/rondo/run/rank_process.h"
#include "tools/rondo/run/shutdown.h"
#include "tools/rondo/run/signals.h"
#include "tools/rondo/run/stream_relay.h"

namespace rondo::tool {

enum class Prefix {
  kNone,           ///< lines as they are
  kRank,           ///< [2]
  kRankAndStream,  ///< [2 out], [2 err]
};

struct RunOptions {
  int ranks = 1;
  std::vector<std::string> command;
  Prefix prefix = Prefix::kRank;  ///< a world of one has none
  bool terminal = false;          ///< where stderr is one, rank 0 writes to our own descriptors
  /// A rank that exits with a code from 1 to this one says why itself: no line names the first one,
  /// unless none of those that exit so has written anything.
  int highest_told_code = 0;
  std::optional<std::chrono::duration<double>> timeout;  ///< for the whole run
};

inline constexpr int kMaxRanks = 4096;

class Launcher {
 public:
  explicit Launcher(RunOptions options);

  /// Runs to the end; the exit code. Errors: RunError.
  int run();

 private:
  struct Rank {
    RankProcess process;
    std::vector<StreamRelay> streams;  ///< none where the rank writes to our own descriptors
  };

  void start_rank(const WorldPlan& world, int rank);
  bool has_own_output(int rank) const;
  std::string wiped_line(const OutputSink& sink) const;
  std::string prefix_of(int rank, const char* stream, const OutputSink& sink) const;
  void step();
  void wait_for_events(Time now);
  int wait_ms(Time now) const;
  void move_output();
  void check_sinks();
  void serve_signals(Time now);
  void reap_rank(std::size_t index, Time now);
  bool may_have_told(int wait_status) const;
  static bool has_written(const Rank& rank);
  void reap_children(Time now);
  void check_deadlines(Time now);
  bool anything_left(Time now);
  void tell_waiting();
  void say(const std::string& line);
  void signal_all(int number);

  const RunOptions options_;
  const bool at_terminal_;  ///< and it is rank 0's
  Signals signals_;
  std::optional<rlimit> open_files_before_;
  OutputSink out_;
  OutputSink err_;
  std::vector<Rank> ranks_;
  std::vector<pollfd> events_;  ///< signals, sinks, then each rank's end and its streams
  Shutdown shutdown_;
  std::optional<std::string> untold_;  ///< of the first rank to fail, if it may have said why
  bool has_told_ = false;              ///< it, or another one that failed so
  std::optional<Time> timeout_at_;
  int stop_asked_ = 0;  ///< the first of the signals that end a run; 0: none yet
  std::optional<Time> tell_waiting_at_;
  bool leftovers_ = false;
  bool output_lost_ = false;
};

}  // namespace rondo::tool
