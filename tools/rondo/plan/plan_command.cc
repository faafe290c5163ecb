#include "tools/rondo/plan/plan_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include "rondo/error.h"
#include "rondo/plan.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/output_file.h"
#include "tools/rondo/bench/recorded.h"
#include "tools/rondo/flag_checks.h"
#include "tools/rondo/freed_memory.h"
#include "tools/rondo/output.h"
#include "tools/rondo/plan/plan_flags.h"
#include "tools/rondo/plan/plan_of_run.h"
#include "tools/rondo/plan/plan_text.h"

namespace rondo::tool {
namespace {

constexpr const char* kPlanExamples = R"(
Examples:
  rondo plan all_reduce --ranks 8 --bytes 64M             eight ranks of one host
  rondo plan all_reduce --hosts 2x4 --bytes 64M --draw p.svg
  rondo plan all_gather --network cluster.json --crossovers
  rondo plan all_reduce --ranks 8 --hosts 2x4 --network cluster.json
                                                          refused where the file says otherwise
  rondo plan all_reduce --tuning four.json --bytes 64K    by what `rondo tune` has measured
  rondo plan broadcast --hosts 8192x8 --bytes 1M          nothing is run: any size of world
  rondo plan all_reduce --ranks 4 --steps 0               what rank 0 does
  rondo plan all_reduce --hosts 2x4 --print-network       a network file to begin with
  rondo plan all_reduce --ranks 4 --algo ring --print-schedule > mine.json
  rondo plan all_reduce --ranks 4 --schedule mine.json    your own, beside the others
  rondo bench all_reduce --local 4 --json run.json && rondo plan --run run.json
                                                          what it took, beside what was predicted
  rondo plan --run run.json --tuning four.json            and what this file would have predicted

Each algorithm's schedule is simulated on the network; "formula" is what the choice goes by
without a tuning. What RONDO_ALGO, RONDO_TUNING and their like tell communicators, --algo and
--tuning tell here. The exit code is 2 if the command line, or a file that it names, is not
understood.
)";

constexpr std::uint64_t kFirstCrossover = 8;
constexpr std::uint64_t kLastCrossover = std::uint64_t{64} << 20;

void print_crossovers(PlanQuestion question) {
  write_output(crossover_heading());
  for (std::uint64_t bytes = kFirstCrossover; bytes <= kLastCrossover; bytes *= 2) {
    question.bytes = bytes;
    write_output(crossover_line(bytes, explain_plan(question)));
  }
}

/// What was run says what it is about.
void refuse_beside_a_run(const CLI::App& command) {
  for (const char* other :
       {"--bytes", "--datatype", "--root", "--algo", "--deterministic", "--buffers", "--draw",
        "--steps", "--crossovers", "--print-schedule", "--print-network", "--links"}) {
    if (command.count(other) > 0)
      throw UsageError(fmt::format("--run says what was measured: leave out {}", other));
  }
}

/// One answer at a time, and a drawing beside the plan alone.
void refuse_two_answers(const CLI::App& command) {
  std::string first;
  for (const char* answer :
       {"--print-schedule", "--print-network", "--crossovers", "--steps", "--draw"}) {
    if (command.count(answer) == 0) continue;
    if (!first.empty())
      throw UsageError(fmt::format("{} and {} are two answers: ask for one", first, answer));
    first = answer;
  }
  for (const char* other : {"--bytes", "--links"}) {
    if (first == "--crossovers" && command.count(other) > 0)
      throw UsageError(fmt::format("--crossovers is a table of all sizes: leave out {}", other));
  }
}

/// Which would be ignored.
void refuse_what_it_lacks(const PlanQuestion& question, const CLI::App& command) {
  if (question.collective == Collective::kBarrier) {
    for (const char* other : {"--bytes", "--root", "--crossovers"}) {
      if (command.count(other) > 0)
        throw UsageError(
            fmt::format("a barrier moves no data and has no root: leave out {}", other));
    }
  } else if (!has_root(question.collective) && command.count("--root") > 0) {
    throw UsageError(
        fmt::format("{} has no root (broadcast, reduce, gather and scatter have one): leave out "
                    "--root",
                    to_string(question.collective)));
  }
}

/// Beside what its communicator predicted, or what is predicted in the world that is described.
std::string beside_a_run(const PlanFlags& flags) {
  RecordedFile run = recorded_from(flags.run_path, read_text("--run", flags.run_path));
  keep_results_of(run, flags.collective);
  if (!describe_world(flags)) return run_text(run, PredictedBy::kCommunicator);
  predict_by_simulation(run, world_of(flags, run.results.front().ranks));
  return run_text(run, PredictedBy::kSimulation);
}

std::size_t most_links(const PlanFlags& flags) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  return flags.links == 0 ? kAll : static_cast<std::size_t>(flags.links);
}

void answer(const PlanFlags& flags, const CLI::App& command) {
  if (!flags.run_path.empty()) {
    refuse_beside_a_run(command);
    return write_output(beside_a_run(flags));
  }
  refuse_two_answers(command);
  const PlanQuestion question = question_of(flags);
  refuse_what_it_lacks(question, command);
  if (flags.print_schedule) {
    write_output(schedule_of_plan(question));
  } else if (flags.print_network) {
    write_output(network_of_plan(question));
  } else if (flags.crossovers) {
    print_crossovers(question);
  } else if (flags.steps_of_rank >= 0) {
    write_output(describe_plan(question, flags.steps_of_rank));
  } else {
    // The drawing first: what can't be drawn is no reason to wait for.
    if (!flags.draw_path.empty()) OutputFile("--draw", flags.draw_path).write(draw_plan(question));
    write_output(plan_text(question, explain_plan(question), most_links(flags)));
  }
}

int run(const PlanFlags& flags, const CLI::App& command) {
  try {
    answer(flags, command);
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo plan: {}\n", error.what());
    return kExitUsage;
  } catch (const FileError& error) {
    fmt::print(stderr, "rondo plan: {}\n", error.what());
    return kExitUsage;
  } catch (const Error& error) {
    fmt::print(stderr, "rondo plan: {}{}{}\n", error.message(),
               error.where().empty() ? "" : "; at ", error.where());
    return error.code() == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo plan: {}\n", error.what());
    return kExitFailure;
  }
}

void add_world_flags(CLI::App& command, PlanFlags& flags) {
  command.add_option("--ranks", flags.ranks, "ranks, of one host unless --hosts says otherwise")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--hosts", flags.hosts, "HOSTSxRANKS: hosts, and ranks of each");
  command.add_option("--network", flags.network_path,
                     "a file that describes hosts, links and switches (docs/networks.md); --ranks "
                     "and --hosts may say the same once more");
  command.add_option("--tuning", flags.tuning_path,
                     "a file that `rondo tune` has written: what a communicator does that uses it");
}

}  // namespace

void add_plan_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("plan", "Explain what a collective would do, and why");
  command->footer(kPlanExamples);
  const auto flags = std::make_shared<PlanFlags>();
  command->add_option("collective", flags->collective, "all_reduce, all_gather, ...");
  add_world_flags(*command, *flags);
  command->add_option("-b,--bytes", flags->bytes, "of one rank's larger buffer, with K, M or G")
      ->capture_default_str();
  command->add_option("-d,--datatype", flags->type, "of the elements")->capture_default_str();
  command->add_option("-r,--root", flags->root, "of collectives that have one")
      ->capture_default_str();
  command->add_option("--algo", flags->algorithm, "auto, or an algorithm that `rondo verify` lists")
      ->capture_default_str();
  command->add_flag("--deterministic", flags->deterministic,
                    "as for a communicator that is (RONDO_DETERMINISTIC)");
  command
      ->add_option("--buffers", flags->buffers,
                   "malloc or registered: of which memory a tuning predicts")
      ->capture_default_str();
  command
      ->add_option("--links", flags->links,
                   "show so many of the links between ranks, and of those that they share; 0: all")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()))
      ->capture_default_str();
  command->add_option("--draw", flags->draw_path, "also draw who sends what when, as SVG");
  command->add_option("--steps", flags->steps_of_rank, "print what this rank does, step by step")
      ->check(CLI::Range(0, (1 << 20) - 1));
  command->add_flag("--crossovers", flags->crossovers,
                    "a table of the chosen and the fastest, for every size from 8 bytes to 64 MiB");
  command->add_option("--schedule", flags->schedule_path,
                      "a schedule of your own, priced beside the built-in ones "
                      "(docs/your-own-schedule.md)");
  command->add_flag("--print-schedule", flags->print_schedule,
                    "print the chosen algorithm's schedule as such a file");
  command->add_flag("--print-network", flags->print_network, "print the network as a file");
  command->add_option("--run", flags->run_path,
                      "a file that `rondo bench --json` has written: what each size took beside "
                      "what was predicted, then or in the world that other flags describe");
  for (const char* name : {"--network", "--hosts", "--tuning", "--schedule", "--draw", "--run"})
    command->get_option(name)->check(not_empty());
  command->callback([command, flags] {
    keep_freed_memory();
    const int code = run(*flags, *command);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
