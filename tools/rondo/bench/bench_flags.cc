#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <string>

#include "tools/rondo/bench/foreign_flags.h"
#include "tools/rondo/bench/options.h"
#include "tools/rondo/flag_checks.h"

namespace rondo::tool {
namespace {

constexpr const char* kBenchExamples = R"(
Examples:
  rondo bench all_reduce --local 2                       two ranks on this machine
  rondo run -n 4 -- rondo bench all_gather -b 1K -e 1M   four ranks
  mpirun -n 8 rondo bench all_reduce -d all -o all --json result.json
  rondo bench all_reduce --device cuda -g 4              four threads, on the devices in turn

  rondo bench all_reduce --local 2 -J new.json --baseline old.json --tolerance 15
  rondo bench report old.json new.json --svg bandwidth.svg
  rondo bench compare all_reduce 8 1M                    beside Open MPI, MPICH and Gloo

Sizes are bytes. A call's time is that of its slowest rank (or as -a says); "time" is the median.
The exit code is 1 if a result is wrong or a call fails, 2 if the command line is wrong, and 3 if
a call takes longer than the baseline allows (docs/bench.md).
)";

void add_size_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("-b,--minbytes", flags.first, "first size, with K, M or G")
      ->capture_default_str();
  command.add_option("-e,--maxbytes", flags.last, "last size")->capture_default_str();
  command
      .add_option("-f,--stepfactor", flags.factor,
                  "next size = size * factor, whatever -i says; 0 and 1: as -i says; without -i 2")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  command.add_option("-i,--stepbytes", flags.step, "next size = size + step; 1M for -f 0 and -f 1");
}

void add_repeat_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("-n,--iters", flags.iterations, "timed calls per size")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command.add_option("-w,--warmup_iters", flags.warmup, "calls before them, not timed")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command
      .add_option("-m,--agg_iters", flags.calls,
                  "calls that are started together and timed as one; a call's time is its share")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("-N,--run_cycles", flags.cycles,
                  "run the whole table so many times; 0: until a result is wrong")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command
      .add_option("-c,--check", flags.check,
                  "0: don't compare results with what they must be; any other number: each exactly")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
}

/// nccl-tests' takes a number, ours none. CLI11 takes the word behind it, whatever it is.
void add_per_iteration_flag(CLI::App& command, BenchFlags& flags) {
  command
      .add_option_function<std::string>(
          "-I,--per_iter_timing",
          [&flags](const std::string& word) {
            flags.per_iteration = word != "0";
            if (word.empty() || word == "0" || word == "1") return;
            if (!flags.collective.empty()) {
              flags.refusals.push_back(fmt::format("-I {}: expected 1, 0 or nothing", word));
            }
            flags.collective = word;
          },
          "columns i_min, i_max, i_p99 and i_cv%, and every call's time in the file; -I 0: don't")
      ->expected(0, 1)
      ->type_name("");
}

void add_report_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("-J,--json,--output_file", flags.json_path,
                     "also write the results to this file (/dev/stdout: behind the table)");
  add_per_iteration_flag(command, flags);
  command
      .add_option("-S,--report_timestamps", flags.timestamps,
                  "1: a column that says when a line was measured")
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
  command
      .add_option("-a,--average", flags.average,
                  "a call's time is that of 0: rank 0, 1: the ranks' mean, 2: the fastest, 3: the "
                  "slowest rank")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command.add_flag("--overlap", flags.overlap,
                   "also measure how much of a started call is hidden behind computing");
  CLI::Option* baseline = command.add_option(
      "--baseline", flags.baseline_path,
      "a file that --json has written: exit code 3 where a call takes longer than it did then");
  command
      .add_option("--tolerance", flags.tolerance_percent,
                  "how much longer a call may take than in the baseline, in percent")
      ->check(number_from(0, 1e6))
      ->needs(baseline)
      ->capture_default_str();
  command
      .add_flag("--any-machine", flags.any_machine,
                "the baseline may come from another host or processor")
      ->needs(baseline);
}

/// What moves the data.
void add_transport_flags(CLI::App& command, BenchFlags& flags) {
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
      .add_option("-R,--local_register", flags.registration,
                  "1 and 2: as --buffers registered, 0: as --buffers malloc")
      ->check(CLI::Range(0, 2));
  command
      .add_option("-u,--unalign", flags.first_element,
                  "buffers begin so many elements behind the begin of a page")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      .add_option("-T,--timeout", flags.timeout_s,
                  "longest wait inside one call, in seconds; 0: the library's own (10 minutes)")
      ->check(CLI::Range(0, 1'000'000));
}

/// Who takes part.
void add_place_flags(CLI::App& command, BenchFlags& flags) {
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
  command
      .add_option("-t,--nthreads", flags.threads, "the same: -t 2 -g 3 are six ranks as -g 6 are")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

}  // namespace

void add_bench_flags(CLI::App& command, BenchFlags& flags) {
  command.footer(kBenchExamples);
  command.add_option("collective", flags.collective,
                     "all_reduce, all_gather, reduce_scatter, broadcast, reduce, gather, scatter, "
                     "all_to_all or barrier; with _v those that have parts, of different sizes; or "
                     "send_receive");
  add_size_flags(command, flags);
  add_repeat_flags(command, flags);
  command
      .add_option("-d,--datatype", flags.type,
                  "i8, u8, i32, u32, i64, u64, f16, bf16, f32, f64 or all")
      ->capture_default_str();
  command
      .add_option("-o,--op", flags.op,
                  "sum, prod, min, max, avg; of integers also band, bor, bxor; of floats also "
                  "mulsum, a sum of each rank's input times a factor of its own; or all")
      ->capture_default_str();
  command
      .add_option("-r,--root", flags.root,
                  "the rank that has all of the input or output, where one has; all or -1: each")
      ->capture_default_str();
  add_transport_flags(command, flags);
  add_place_flags(command, flags);
  add_report_flags(command, flags);
  add_foreign_flags(command, flags);
  command.add_flag("--no-bind", flags.no_bind, "don't give each rank a core of its own");
}

}  // namespace rondo::tool
