#pragma once

// The command line of `rondo bench`, as text and as values.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rondo/types.h"
#include "tools/rondo/bench/bench_op.h"
#include "tools/rondo/bench/measure.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/operation.h"
#include "tools/rondo/bench/sizes.h"

namespace CLI {
class App;
}

namespace rondo::tool {

/// As CLI11 fills it in.
struct BenchFlags {
  std::string collective;
  std::string first = "8";
  std::string last = "64M";
  int factor = -1;     ///< -1: not given
  std::string step{};  ///< empty: not given
  int iterations = 20;
  int warmup = 5;
  int check = 1;
  int average = 3;
  int calls = 1;
  int cycles = 1;
  bool per_iteration = false;
  int timestamps = 0;
  bool overlap = false;
  std::string type = "f32";
  std::string op = "sum";
  std::string root = "0";
  int timeout_s = 0;
  int registration = -1;                ///< -R; -1: not given
  std::vector<std::string> refusals{};  ///< flags of nccl-tests that ask for what isn't here
  int local = 0;                        ///< 0: this process is a rank, or the only one
  std::string transport = "auto";
  std::string algorithm = "auto";
  std::string wire_format = "none";
  std::string buffers = "registered";
  std::string device = "host";
  int places = 1;
  int threads = 1;
  int first_element = 0;
  std::string json_path{};
  std::string baseline_path{};
  double tolerance_percent = 10;
  bool any_machine = false;
  bool no_bind = false;
};

struct BenchOptions {
  Operation operation = Collective::kAllReduce;
  SizeRange range{0, 0};             ///< of a barrier nothing
  std::vector<std::uint64_t> sizes;  ///< in that range
  std::vector<DataType> types;
  std::vector<BenchOp> ops;  ///< each measured with the types that are combined by it: some are
  std::vector<int> roots;    ///< none: every rank in turn
  Repeats repeats;
  int cycles = 1;  ///< of the whole sweep; 0: until a result is wrong
  bool timestamps = false;
  int timeout_ms = 0;  ///< of a call; 0: the library's own
  std::string transport;
  std::string algorithm;
  std::string wire_format;
  bool registered = true;
  std::size_t first_element = 0;  ///< of the buffers; see CallSpec
  std::string device;             ///< its kind
  int places = 1;                 ///< of each process
  std::string json_path;
  std::string baseline_path;  ///< empty: none
  double tolerance_percent = 10;
  bool any_machine = false;  ///< the baseline may come from another one
  bool bind = true;
};

/// Declares the flags on `command`; they write to `flags`, which outlives it.
void add_bench_flags(CLI::App& command, BenchFlags& flags);

/// Errors: UsageError, listing what is allowed. `algorithms` are those that --algo may name.
BenchOptions parse_bench_flags(const BenchFlags& flags,
                               const std::vector<std::string_view>& algorithms);

}  // namespace rondo::tool
