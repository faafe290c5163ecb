#pragma once

// The command line of `rondo bench`, as text and as values.

#include <cstdint>
#include <string>
#include <vector>

#include "rondo/types.h"
#include "tools/rondo/bench/measure.h"
#include "tools/rondo/bench/names.h"
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
  std::uint64_t factor = 2;
  std::string step = "0";
  int iterations = 20;
  int warmup = 5;
  int check = 1;
  std::string type = "f32";
  std::string op = "sum";
  int root = 0;
  int local = 0;  ///< 0: this process is a rank, or the only one
  std::string transport = "auto";
  std::string algorithm = "auto";
  std::string wire_format = "none";
  std::string buffers = "registered";
  std::string device = "host";
  int places = 1;
  std::string json_path{};
  bool no_bind = false;
};

struct BenchOptions {
  Collective collective = Collective::kAllReduce;
  std::vector<std::uint64_t> sizes;
  std::vector<DataType> types;
  std::vector<ReduceOp> ops;  ///< each measured with the types that are combined by it: some are
  int root = 0;
  Repeats repeats;
  std::string transport;
  std::string algorithm;
  std::string wire_format;
  bool registered = true;
  std::string device;  ///< its kind
  int places = 1;      ///< of each process
  std::string json_path;
  bool bind = true;
};

/// Declares the flags on `command`; they write to `flags`, which outlives it.
void add_bench_flags(CLI::App& command, BenchFlags& flags);

/// Errors: UsageError, listing what is allowed. `algorithms` are those that --algo may name.
BenchOptions parse_bench_flags(const BenchFlags& flags,
                               const std::vector<std::string_view>& algorithms);

}  // namespace rondo::tool
