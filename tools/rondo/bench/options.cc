#include "tools/rondo/bench/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/dtype.h"

namespace rondo::tool {
namespace {

constexpr const char* kBenchExamples = R"(
Examples:
  rondo bench all_reduce --local 2                       two ranks on this machine
  rondo run -n 4 -- rondo bench all_gather -b 1K -e 1M   four ranks
  mpirun -n 8 rondo bench all_reduce -d all -o all --json result.json
  rondo bench all_reduce --device cuda -g 4              four threads, on the devices in turn

Sizes are bytes. A call's time is that of its slowest rank; "time" is the median.
The exit code is 1 if a result is wrong and 2 if the command line is.
)";

Collective parse_collective(const std::string& text) {
  std::vector<std::string_view> names;
  for (const Collective collective : all_collectives()) names.emplace_back(to_string(collective));
  one_of("collective", text, names);
  const auto found = std::find(names.begin(), names.end(), text);
  return all_collectives()[static_cast<std::size_t>(found - names.begin())];
}

void add_size_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("-b,--minbytes", flags.first, "first size, with K, M or G")
      ->capture_default_str();
  command.add_option("-e,--maxbytes", flags.last, "last size")->capture_default_str();
  CLI::Option* factor =
      command.add_option("-f,--stepfactor", flags.factor, "next size = size * factor")
          ->capture_default_str();
  command.add_option("-i,--stepbytes", flags.step, "next size = size + step")->excludes(factor);
}

void add_repeat_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("-n,--iters", flags.iterations, "timed calls per size")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("-w,--warmup_iters", flags.warmup, "calls before them, not timed")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command.add_option("-c,--check", flags.check, "1: compare every result exactly, 0: don't")
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
}

/// A type and an op that go together are there, or it is an error.
void check_combinations(const BenchOptions& options) {
  for (const DataType type : options.types) {
    for (const ReduceOp op : options.ops) {
      if (is_combined_by(type, op)) return;
    }
  }
  throw UsageError(
      fmt::format("-o {}: elements of {} are no integers and aren't combined bitwise; "
                  "allowed: sum, prod, min, max, avg",
                  to_string(options.ops.front()), to_string(options.types.front())));
}

}  // namespace

void add_bench_flags(CLI::App& command, BenchFlags& flags) {
  command.footer(kBenchExamples);
  command
      .add_option("collective", flags.collective,
                  "all_reduce, all_gather, reduce_scatter, broadcast or barrier")
      ->required();
  add_size_flags(command, flags);
  add_repeat_flags(command, flags);
  command
      .add_option("-d,--datatype", flags.type,
                  "i8, u8, i32, u32, i64, u64, f16, bf16, f32, f64 or all")
      ->capture_default_str();
  command
      .add_option("-o,--op", flags.op,
                  "sum, prod, min, max, avg; of integers also band, bor, bxor; or all")
      ->capture_default_str();
  command
      .add_option("-r,--root", flags.root,
                  "the rank that has all of the input or output, where one has")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--local", flags.local, "start this many ranks on this machine")
      ->check(CLI::Range(1, 4096));
  command.add_option("--transport", flags.transport, "auto, inproc, shm or tcp")
      ->capture_default_str();
  command.add_option("--algo", flags.algorithm, "auto, or an algorithm that `rondo verify` lists")
      ->capture_default_str();
  command
      .add_option("--wire-format", flags.wire_format,
                  "what f32 travels as over tcp: none, bf16, f16, f8e4m3, f8e5m2 or int8; rounded "
                  "results aren't checked")
      ->capture_default_str();
  command.add_option("--buffers", flags.buffers, "registered or malloc")->capture_default_str();
  command
      .add_option("--device", flags.device,
                  "where the buffers lie: host, emulated, cuda or a plug-in's kind "
                  "(RONDO_DEVICE_PLUGINS); the ranks of a machine take its devices in turn")
      ->capture_default_str();
  command
      .add_option("-g,--ngpus", flags.places,
                  "ranks of each process, as threads, each on a device of its own while there are "
                  "enough")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command.add_option("--json", flags.json_path, "also write the results to this file");
  command.add_flag("--no-bind", flags.no_bind, "don't give each rank a core of its own");
}

BenchOptions parse_bench_flags(const BenchFlags& flags,
                               const std::vector<std::string_view>& algorithms) {
  BenchOptions options;
  options.collective = parse_collective(flags.collective);
  options.types = parse_types(flags.type);
  options.ops = parse_ops(flags.op);
  if (!reduces(options.collective)) options.ops = {ReduceOp::kSum};
  check_combinations(options);
  options.sizes = {0};
  if (options.collective != Collective::kBarrier) {
    options.sizes = sizes_of({parse_size("-b", flags.first), parse_size("-e", flags.last),
                              flags.factor, parse_size("-i", flags.step)});
  } else {
    options.types = {DataType::kI8};
  }
  options.root = flags.root;
  options.repeats = {flags.iterations, flags.warmup, flags.check != 0};
  options.transport = one_of("transport", flags.transport, all_transports());
  options.algorithm = one_of("algorithm", flags.algorithm, algorithms);
  options.wire_format = one_of("wire format", flags.wire_format, all_wire_formats());
  options.registered =
      one_of("kind of buffers", flags.buffers, {"registered", "malloc"}) != std::string("malloc");
  options.device = flags.device;
  options.places = flags.places;
  options.json_path = flags.json_path;
  options.bind = !flags.no_bind;
  return options;
}

}  // namespace rondo::tool
