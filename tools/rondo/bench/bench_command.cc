#include "tools/rondo/bench/bench_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <memory>
#include <string_view>

#include "rondo/communicator.h"
#include "rondo/schedules.h"
#include "tools/rondo/bench/bench_run.h"
#include "tools/rondo/bench/compare_command.h"
#include "tools/rondo/bench/core_binding.h"
#include "tools/rondo/bench/given_flags.h"
#include "tools/rondo/bench/local_ranks.h"
#include "tools/rondo/bench/named_files.h"
#include "tools/rondo/bench/options.h"
#include "tools/rondo/bench/output_file.h"
#include "tools/rondo/bench/places.h"
#include "tools/rondo/bench/recorded.h"
#include "tools/rondo/bench/report_command.h"

namespace rondo::tool {
namespace {

constexpr std::array kVariablesOfBench = {FlagOfVariable{"--transport", "RONDO_TRANSPORT"},
                                          FlagOfVariable{"--algo", "RONDO_ALGO"},
                                          FlagOfVariable{"--wire-format", "RONDO_WIRE_FORMAT"},
                                          FlagOfVariable{"--timeout", "RONDO_TIMEOUT_MS"}};

/// "auto" and the names, in `known`, of the collective's algorithms. (Of "all_gather_v", too.)
std::vector<std::string_view> algorithms_of(const std::string& operation,
                                            const std::vector<AlgorithmInfo>& known) {
  std::vector<std::string_view> names = {"auto"};
  std::string_view collective = operation;
  if (collective.ends_with("_v")) collective.remove_suffix(2);
  for (const AlgorithmInfo& algorithm : known) {
    if (algorithm.collective == collective) names.push_back(algorithm.name);
  }
  return names;
}

CommunicatorOptions communicator_options(const BenchOptions& options) {
  CommunicatorOptions wanted;
  wanted.transport = options.transport;
  wanted.algorithm = options.algorithm;
  wanted.wire_format = options.wire_format;
  if (options.timeout_ms > 0) wanted.timeout_ms = options.timeout_ms;
  return wanted;
}

/// The exit code of one process.
int run_process(const BenchOptions& options) {
  const std::vector<Device> devices = places_of(options.device, options.places);
  const bool bound = options.bind && devices.size() == 1 && bind_to_own_core();
  std::vector<Communicator> places = Communicator::create(devices, communicator_options(options));
  if (places.size() == 1) return run_bench_rank(places.front(), options, bound);
  return run_places(places,
                    [&](Communicator& place) { return run_bench_rank(place, options, bound); });
}

/// Every rank of the launcher's would start a world of its own, on the same cores.
void refuse_local_ranks_of_ranks(int local) {
  const std::string variable = launcher_variable();
  if (variable.empty()) return;
  throw UsageError(fmt::format(
      "--local {}: this process is a rank already ({} is set, as launchers do); leave out either "
      "--local or the launcher",
      local, variable));
}

/// Starts the ranks in place of this process; returns only where that fails.
void start_local_ranks(const BenchFlags& flags, const BenchOptions& options,
                       std::vector<std::string> arguments) {
  refuse_local_ranks_of_ranks(flags.local);
  static_cast<void>(places_of(options.device, options.places));
  check_named_files(flags.local);
  check_options_of_ranks(flags.local * options.places, communicator_options(options));
  if (!flags.baseline_path.empty()) read_baseline(flags.baseline_path);
  constexpr std::array<std::string_view, 3> kNames = {"-J", "--json", "--output_file"};
  if (!flags.json_path.empty() && OutputFile::check("--json", flags.json_path))
    name_own_output(arguments, kNames, flags.json_path);
  fmt::print(stderr, "rondo bench: {}\n",
             replace_process(under_rondo_run(own_program(), flags.local, arguments)));
}

int run(const BenchFlags& flags, const std::vector<std::string>& arguments) {
  try {
    const std::vector<AlgorithmInfo> known = built_in_algorithms();
    const BenchOptions options = parse_bench_flags(flags, algorithms_of(flags.collective, known));
    if (flags.local == 0) return run_process(options);
    start_local_ranks(flags, options, arguments);
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo bench: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo bench: {}\n", error.what());
  }
  return kExitFailure;
}

}  // namespace

void add_bench_command(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* command = app.add_subcommand("bench", "Measure and check the collectives");
  const auto flags = std::make_shared<BenchFlags>();
  add_bench_flags(*command, *flags);
  add_compare_command(*command);
  add_report_command(*command);
  command->callback([command, flags, arguments] {
    if (!command->get_subcommands().empty()) return;  // they have run
    overrule_variables(*command, kVariablesOfBench);
    const int code = run(*flags, arguments);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
