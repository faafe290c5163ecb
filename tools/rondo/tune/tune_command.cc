#include "tools/rondo/tune/tune_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>

#include "rondo/communicator.h"
#include "tools/rondo/bench/given_flags.h"
#include "tools/rondo/bench/local_ranks.h"
#include "tools/rondo/bench/named_files.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/output_file.h"
#include "tools/rondo/flag_checks.h"
#include "tools/rondo/output.h"
#include "tools/rondo/tune/check_choices.h"

namespace rondo::tool {
namespace {

constexpr const char* kTuneExamples = R"(
Examples:
  rondo tune --local 4 --out four.json                  four ranks of this machine
  mpirun -n 16 -H a:8,b:8 rondo tune --out cluster.json
  mpirun -x RONDO_TUNING=cluster.json -n 16 -H a:8,b:8 ./train
  rondo tune --local 4 --check --tuning four.json       what it predicts and chooses, measured
  rondo tune --local 4 --check --tuning off all_gather  the same of what is built in

Measures every algorithm of every collective at a few sizes, on all ranks, in 10 to 60 seconds, and
fits the constants of the simulation to that (docs/tuning.md). Open MPI's mpirun takes a variable to
other hosts where -x names it; MPICH's and srun take all of them: RONDO_TUNING=cluster.json srun ...
)";

constexpr std::array kVariablesOfTune = {FlagOfVariable{"--transport", "RONDO_TRANSPORT"},
                                         FlagOfVariable{"--tuning", "RONDO_TUNING"}};

struct TuneFlags {
  int local = 0;
  std::string transport = "auto";
  std::string out;
  bool check = false;
  std::string tuning;
  CheckedRange checked;
};

/// Rank 0 says what it has; every rank whether rank 0 could.
bool can_write(Communicator& world, const std::string& path, std::optional<OutputFile>& file) {
  std::uint8_t ready = 1;
  if (world.rank() == 0 && !path.empty()) {
    try {
      file.emplace("--out", path);
    } catch (const std::exception& error) {
      fmt::print(stderr, "rondo tune: {}\n", error.what());
      ready = 0;
    }
  }
  world.broadcast({&ready, 1, DataType::kU8}, 0);
  return ready != 0;
}

int measure(Communicator& world, const TuneFlags& flags) {
  if (world.size() == 1)
    throw UsageError(
        "a world of one rank has nothing to measure; expected --local N or a launcher");
  std::optional<OutputFile> file;
  if (!can_write(world, flags.out, file)) return kExitFailure;
  const std::string text = world.measure_tuning();
  if (world.rank() != 0) return 0;
  if (!file.has_value()) {
    write_output(text);
    return 0;
  }
  file->write(text);
  write_output(fmt::format("{}: {} ranks; use it with RONDO_TUNING={}\n", flags.out, world.size(),
                           flags.out));
  return 0;
}

CommunicatorOptions communicator_options(const TuneFlags& flags) {
  CommunicatorOptions options;
  options.transport = flags.transport;
  if (!flags.tuning.empty()) options.tuning = flags.tuning;
  return options;
}

int run_rank(const TuneFlags& flags) {
  Communicator world = Communicator::create(communicator_options(flags));
  if (!flags.check) return measure(world, flags);
  check_choices(world, flags.checked);
  return 0;
}

/// Errors: UsageError.
void refuse_what_is_ignored(const CLI::App& command, bool checks) {
  if (checks && command.count("--out") > 0)
    throw UsageError("--check writes no file: leave out --out, or --check");
  for (const char* other :
       {"collectives", "--begin", "--end", "--factor", "--rounds", "--buffers"}) {
    if (!checks && command.count(other) > 0)
      throw UsageError(fmt::format("{} is for --check", other));
  }
}

int run(const TuneFlags& flags, const CLI::App& command, std::vector<std::string> arguments) {
  try {
    refuse_what_is_ignored(command, flags.check);
    for (const std::string& name : flags.checked.collectives) parse_collective(name);
    one_of("transport", flags.transport, {"auto", "inproc", "shm", "tcp"});
    one_of("kind of buffers", flags.checked.buffers, {"registered", "malloc"});
    if (flags.check) static_cast<void>(checked_sizes(flags.checked));
    if (flags.local == 0) return run_rank(flags);
    if (const std::string variable = launcher_variable(); !variable.empty()) {
      throw UsageError(fmt::format("--local {}: this process is a rank already ({} is set)",
                                   flags.local, variable));
    }
    check_named_files(flags.local, flags.tuning);
    check_options_of_ranks(flags.local, communicator_options(flags));
    constexpr std::array<std::string_view, 1> kNames = {"--out"};
    if (!flags.out.empty() && OutputFile::check("--out", flags.out))
      name_own_output(arguments, kNames, flags.out);
    fmt::print(stderr, "rondo tune: {}\n",
               replace_process(under_rondo_run(own_program(), flags.local, arguments)));
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo tune: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo tune: {}\n", error.what());
  }
  return kExitFailure;
}

void add_check_flags(CLI::App& command, TuneFlags& flags) {
  command.add_flag("--check", flags.check,
                   "measure what is chosen beside all other algorithms, and what was predicted");
  command.add_option("collectives", flags.checked.collectives, "that --check measures")
      ->default_val(std::vector<std::string>{"all_reduce"});
  command
      .add_option("--tuning", flags.tuning,
                  "a tuning file, \"measure\" or \"off\" (default: RONDO_TUNING)")
      ->check(not_empty());
  command.add_option("-b,--begin", flags.checked.first, "smallest size of --check")
      ->capture_default_str();
  command.add_option("-e,--end", flags.checked.last, "largest size")->capture_default_str();
  command.add_option("-f,--factor", flags.checked.factor, "between sizes")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  command
      .add_option("-n,--rounds", flags.checked.rounds,
                  "half of the calls of each algorithm and size: one half finds the fastest, the "
                  "other times it")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--buffers", flags.checked.buffers, "of --check: registered or malloc")
      ->capture_default_str();
}

}  // namespace

void add_tune_command(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* command = app.add_subcommand("tune", "Measure hosts for the choice of algorithms");
  command->footer(kTuneExamples);
  const auto flags = std::make_shared<TuneFlags>();
  command->add_option("--local", flags->local, "start so many ranks on this machine")
      ->check(CLI::Range(1, 1024));
  command->add_option("--transport", flags->transport, "auto, shm or tcp")->capture_default_str();
  command->add_option("-o,--out", flags->out,
                      "the file that is written (left out: standard output)");
  add_check_flags(*command, *flags);
  command->callback([command, flags, arguments] {
    overrule_variables(*command, kVariablesOfTune);
    const int code = run(*flags, *command, arguments);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
