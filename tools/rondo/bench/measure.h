#pragma once

// Measures one collective at one size. Every rank writes its buffers anew before every call (a
// buffer that nobody has touched since the last call is faster than any real one) and all meet at a
// barrier; a call takes as long as on its slowest rank, unless another's time is asked for. Results
// are checked after every call; where several are started together, of one more that is made alone.
// Threads: one per object.

#include <cstdint>
#include <vector>

#include "rondo/communicator.h"
#include "tools/rondo/bench/layout.h"
#include "tools/rondo/bench/memory.h"
#include "tools/rondo/bench/result.h"
#include "tools/rondo/bench/stopwatch.h"

namespace rondo::tool {

struct Repeats {
  int iterations = 20;
  int warmup = 5;
  bool check = true;
  int calls = 1;  ///< started together, and timed as one; a call's time is its share
  bool keep_times = false;
  bool overlap = false;
  TimeOf time_of = TimeOf::kSlowestRank;
};

class Measurement {
 public:
  /// `input` and `output` hold the largest size; in place only `output` is used.
  Measurement(Communicator& communicator, const BenchMemory& input, const BenchMemory& output,
              Repeats repeats);

  /// Called by every rank with the same `spec`; every rank gets the same times and counts.
  /// Throws rondo::Error.
  BenchResult run(const CallSpec& spec);

 private:
  void meet();
  /// The microseconds of the calls at once.
  double timed_calls(const CallSpec& spec);
  double ended(const CallSpec& spec, Clock::time_point start);
  /// Results of timed calls are left alone: that of one more is checked, and of calls that aren't
  /// timed together those before them.
  bool checks_apart() const;
  Overlap measure_overlap(const CallSpec& spec);
  void write_buffers(const CallSpec& spec, std::uint64_t salt);
  void make_call(const CallSpec& spec);
  void start_calls(const std::vector<Call>& calls, int times);
  /// One; of send_receive two.
  std::vector<Call> calls_of(const CallSpec& spec) const;
  Call call_of(const CallSpec& spec) const;
  Call uneven_call_of(const CallSpec& spec) const;
  /// How the calls were run: what the communicator says, and of sends what is known of them.
  CallInfo info_of(const CallSpec& spec) const;
  BenchResult describe(const CallSpec& spec, const CallInfo& info) const;
  /// Where `spec`'s input and output lie.
  struct Buffers {
    Buffer input;
    Buffer output;
  };
  Buffers buffers_of(const CallSpec& spec) const;
  /// Adds what is wrong in the last call's result to `wrong_`.
  void check(const CallSpec& spec);
  std::uint64_t count_wrong_results(const CallSpec& spec, std::uint64_t salt);
  const BenchMemory& input_memory(const CallSpec& spec) const;

  Communicator& communicator_;
  const BenchMemory& input_;
  const BenchMemory& output_;
  Repeats repeats_;
  std::uint64_t calls_ = 0;  ///< each call has other numbers than the one before
  CallInfo ran_{};           ///< of the last one
  std::vector<Work> works_{};
  std::uint64_t wrong_ = 0;  ///< elements of this rank's, in the calls of one result
};

}  // namespace rondo::tool
