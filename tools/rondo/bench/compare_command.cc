#include "tools/rondo/bench/compare_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/rondo/bench/environment.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/output_file.h"
#include "tools/rondo/bench/peer_ratios.h"
#include "tools/rondo/bench/peer_run.h"
#include "tools/rondo/bench/peer_sources.h"
#include "tools/rondo/bench/ratio_baseline.h"
#include "tools/rondo/bench/sizes.h"
#include "tools/rondo/flag_checks.h"
#include "tools/rondo/output.h"
#include "tools/rondo/progress.h"

namespace rondo::tool {
namespace {

constexpr const char* kCompareExamples = R"(
Examples:
  rondo bench compare all_reduce 8 1K 512K 32M
  rondo bench compare all_gather 64K --ranks 4 --rounds 7
  rondo bench compare ping_pong 8 64K 1M
  rondo bench compare all_reduce 1K --transport tcp --buffers malloc --peers "ompi gloo"
  rondo bench compare all_reduce 1K 2M --peers "ompi bound line" --json peers.json
  rondo bench compare all_reduce 8 --late 30 --bind none --peers ompi
  rondo bench compare all_reduce 8 --ranks 4 --in-a-row --peers ompi
  rondo bench compare all_to_all_v 1K 64K --new-counts --peers "ompi mpich"

The libraries run a size right after each other, round by round, so that what disturbs one disturbs
all. Times are medians of the rounds; the ratio is the median, least and most of how many times as
long as Rondo the fastest other library took in the same round. Three peers are no libraries: "bound",
the loads and stores of an all-reduce without synchronisation; "sockets", an all-reduce by plain
sockets; and "line", two cores that exchange a line each, which tells how near virtual cores are to
each other at the moment. The loops are compiled when they are first asked for; a library that isn't
installed is named and left out.
Besides what rondo bench measures there are two kinds of messages between ranks 0 and 1, 2 and 3, ...:
ping_pong (one each in turn; half of that time) and send (eight behind each other; the time of one).
The exit code is 3 where a ratio has fallen below the baseline's by more than the tolerance.
)";

struct CompareFlags {
  std::string collective;
  std::vector<std::string> sizes;
  int rounds = 5;
  int ranks = 2;
  double seconds = 0.5;
  std::string transport = "shm";
  std::string buffers = "registered";
  std::string peers = "ompi mpich gloo";
  std::string bind = "core";
  int late_ms = 0;
  bool in_a_row = false;
  bool new_counts = false;
  std::string json_path;
  std::string baseline_path;
  double tolerance_percent = 30;
};

/// A misspelt one would be left out, as one that isn't installed is. Errors: UsageError.
void check_peers(const std::string& peers) {
  std::istringstream words(peers);
  std::string peer;
  int count = 0;
  for (; words >> peer; ++count)
    one_of("peer", peer, {"ompi", "mpich", "gloo", "bound", "sockets", "line"});
  if (count == 0) throw UsageError("--peers: expected at least one");
}

/// Errors: UsageError.
PeerSetting setting_of(const CompareFlags& flags) {
  PeerSetting setting;
  setting.call = one_of("collective", flags.collective, all_peer_calls());
  one_of("transport", flags.transport, {"shm", "tcp"});
  one_of("way to bind", flags.bind, {"core", "none"});
  one_of("kind of buffers", flags.buffers, {"registered", "malloc"});
  check_peers(flags.peers);
  setting.ranks = flags.ranks;
  setting.transport = flags.transport;
  setting.buffers = flags.buffers;
  if (flags.late_ms > 0) setting.calls = fmt::format("behind {} ms", flags.late_ms);
  if (flags.in_a_row) setting.calls = kCallsInARow;
  if (flags.new_counts) setting.calls += ", each of new counts";
  return setting;
}

/// Whether each rank has a part of the data.
bool ranks_have_parts(std::string_view collective) {
  return std::ranges::none_of(std::array{Collective::kAllReduce, Collective::kBroadcast,
                                         Collective::kReduce, Collective::kBarrier},
                              [&](Collective whole) { return collective == to_string(whole); });
}

/// The loops measure whole elements, f32, of each part. Errors: UsageError.
std::vector<std::uint64_t> compared_sizes(const CompareFlags& flags) {
  const int parts = ranks_have_parts(flags.collective) ? flags.ranks : 1;
  const std::uint64_t least = sizeof(float) * static_cast<std::uint64_t>(parts);
  std::vector<std::uint64_t> sizes;
  for (const std::string& size : flags.sizes) {
    sizes.push_back(parse_size("BYTES", size));
    if (sizes.back() >= least) continue;
    throw UsageError(fmt::format("BYTES {}: {} of {} ranks is measured from {} bytes on", size,
                                 flags.collective, flags.ranks, least));
  }
  return sizes;
}

std::vector<std::string> script_arguments(const CompareFlags& flags) {
  std::vector<std::string> arguments = {"--raw",
                                        "--rounds",
                                        std::to_string(flags.rounds),
                                        "--ranks",
                                        std::to_string(flags.ranks),
                                        "--transport",
                                        flags.transport,
                                        "--buffers",
                                        flags.buffers,
                                        "--seconds",
                                        fmt::format("{:g}", flags.seconds),
                                        "--peers",
                                        flags.peers,
                                        "--bind",
                                        flags.bind,
                                        "--late",
                                        std::to_string(flags.late_ms)};
  if (flags.in_a_row) arguments.emplace_back("--in-a-row");
  if (flags.new_counts) arguments.emplace_back("--new-counts");
  arguments.push_back(flags.collective);
  for (const std::uint64_t bytes : compared_sizes(flags))
    arguments.push_back(std::to_string(bytes));
  return arguments;
}

PeerTimes measure_peers(const std::vector<std::string>& arguments) {
  PeerTimes times;
  const std::string script = peers_script();
  check_loops_compile(peers_include(script));
  const Progress progress;
  run_peers(script, arguments, [&](std::string_view line) {
    if (!times.take(line)) {
      throw std::runtime_error(fmt::format("a loop printed what isn't understood: '{}'", line));
    }
    progress.show(fmt::format("\r{} points measured\x1b[K", times.points()));
  });
  return times;
}

/// The exit code of a comparison with the baseline.
int compare_with_baseline(const CompareFlags& flags, const std::vector<PeerRatio>& before,
                          const std::vector<PeerRatio>& now) {
  const RatioComparison comparison =
      compare_ratios(flags.baseline_path, before, now, flags.tolerance_percent);
  write_output(comparison.lines);
  return comparison.lower > 0 ? kExitSlower : 0;
}

int compare_libraries(const CompareFlags& flags) {
  const PeerSetting setting = setting_of(flags);
  const std::vector<std::string> arguments = script_arguments(flags);
  std::vector<PeerRatio> before;
  if (!flags.baseline_path.empty())
    before = read_named_by("--baseline", [&flags] { return read_ratios(flags.baseline_path); });
  std::optional<OutputFile> json;
  if (!flags.json_path.empty()) json.emplace("--json", flags.json_path);
  const PeerTimes times = measure_peers(arguments);
  for (const std::string& remark : times.remarks()) write_output(remark + "\n");
  write_output(ratio_table(times, setting));
  if (json) json->write(json_text(ratios_json(bench_environment(), times, setting)));
  const std::vector<PeerRatio> now = ratios_of(times, setting);
  if (now.empty()) write_output("# no peer was measured\n");
  if (flags.baseline_path.empty()) return 0;
  return compare_with_baseline(flags, before, now);
}

int exit_code_of_compare(const CompareFlags& flags) {
  try {
    return compare_libraries(flags);
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo bench compare: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo bench compare: {}\n", error.what());
    return kExitFailure;
  }
}

void add_compare_flags(CLI::App& command, CompareFlags& flags) {
  command
      .add_option("collective", flags.collective,
                  "all_reduce, all_gather_v, send_receive, ping_pong, send, ...")
      ->required();
  command.add_option("sizes", flags.sizes, "in bytes, with K, M or G")->required();
  command.add_option("--rounds", flags.rounds, "how often every library has its turn")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--ranks", flags.ranks, "ranks on this machine")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--seconds", flags.seconds, "of one size, in one turn")
      ->check(number_from(0.01, 3600))
      ->capture_default_str();
  command.add_option("--transport", flags.transport, "shm or tcp")->capture_default_str();
  command.add_option("--buffers", flags.buffers, "registered or malloc: Rondo's")
      ->capture_default_str();
  command.add_option("--peers", flags.peers, "some of: ompi mpich gloo bound sockets line")
      ->capture_default_str();
  command.add_option("--bind", flags.bind, "core, or none: ranks go where the system puts them")
      ->capture_default_str();
  CLI::Option* late =
      command
          .add_option("--late", flags.late_ms,
                      "before each timed call one that rank 0 enters so many milliseconds late")
          ->check(CLI::Range(0, 60'000))
          ->capture_default_str();
  command
      .add_flag("--in-a-row", flags.in_a_row,
                "calls follow each other, without a barrier before each; the mean of many")
      ->excludes(late);
  command.add_flag("--new-counts", flags.new_counts,
                   "each call has other counts than the one before, around the size");
  command.add_option("-J,--json", flags.json_path,
                     "also write times and ratios to this file (/dev/stdout: behind the table)");
  CLI::Option* baseline = command.add_option("--baseline", flags.baseline_path,
                                             "a file that --json has written, for its ratios");
  command
      .add_option("--tolerance", flags.tolerance_percent,
                  "how much smaller a ratio may be than in the baseline, in percent")
      ->check(number_from(0, 100))
      ->needs(baseline)
      ->capture_default_str();
}

}  // namespace

void add_compare_command(CLI::App& bench) {
  CLI::App* command =
      bench.add_subcommand("compare", "Measure the same beside Open MPI, MPICH and Gloo");
  const auto flags = std::make_shared<CompareFlags>();
  command->footer(kCompareExamples);
  add_compare_flags(*command, *flags);
  command->callback([flags] {
    const int code = exit_code_of_compare(*flags);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
