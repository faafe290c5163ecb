#include "tools/rondo/verify_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "rondo/error.h"
#include "rondo/schedules.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/output.h"
#include "tools/rondo/plan/plan_flags.h"
#include "tools/rondo/progress.h"
#include "tools/rondo/verify_worlds.h"
#include "tools/rondo/world_range.h"

namespace rondo::tool {
namespace {

constexpr const char* kVerifyExamples = R"(
Examples:
  rondo verify                          every algorithm, worlds of 1 to 512
  rondo verify --worlds 1-16 --mutants  and that wrong schedules, of worlds 2 to 8, are refused
  rondo verify --schedule mine.json     a schedule of your own
  rondo verify --worlds 65536           algorithms of few messages, at the largest world

An algorithm is a schedule: who sends what to whom. It is run here on paper, with every rank's data
followed, so no result depends on this machine. The exit code is 1 if anything is wrong.
)";

struct VerifyFlags {
  std::string schedule_path;
  std::string worlds = "1-512";
  bool all = false;
  bool mutants = false;
};

std::string algorithms_table(const VerifyReport& report) {
  std::string text =
      fmt::format("{:<16} {:<14} {:>7} {:>10} {:>14} {:>14} {:>8}\n", "collective", "algorithm",
                  "worlds", "schedules", "steps", "direct stores", "credits");
  for (const VerifiedAlgorithm& row : report.algorithms) {
    text +=
        fmt::format("{:<16} {:<14} {:>7} {:>10} {:>14} {:>14} {:>8}\n", row.collective, row.name,
                    row.worlds, row.schedules, row.sweeps, row.direct_stores, row.least_credits);
  }
  return text;
}

std::string mutants_table(const VerifyReport& report) {
  if (report.mutants.empty()) return {};
  std::string text = fmt::format("\n{:<28} {:>8} {:>8} {:>11} {:>8} {:>7}\n", "mutants", "made",
                                 "caught", "equivalent", "sampled", "missed");
  for (const VerifiedMutants& row : report.mutants) {
    text += fmt::format("{:<28} {:>8} {:>8} {:>11} {:>8} {:>7}\n", row.kind, row.mutants,
                        row.caught, row.equivalent, row.sampled, row.missed);
  }
  return text;
}

WorldRange worlds_of(const VerifyFlags& flags) {
  constexpr int kLargestWithAll = 4096;  // a ring of so many takes minutes, and gigabytes
  const WorldRange worlds = parse_world_range(flags.worlds);
  if (flags.all && worlds.last > kLargestWithAll) {
    throw UsageError(fmt::format("--all: worlds of up to {}; --worlds {} goes beyond",
                                 kLargestWithAll, flags.worlds));
  }
  if (flags.mutants && (worlds.last < kFirstMutantWorld || worlds.first > kLastMutantWorld)) {
    throw UsageError(
        fmt::format("--mutants: mutants are made of worlds of {} to {}, of which "
                    "--worlds {} has none",
                    kFirstMutantWorld, kLastMutantWorld, flags.worlds));
  }
  return worlds;
}

/// What was left out of the worlds asked for; empty: nothing.
std::string left_out(const WorldRange& worlds, const VerifyFlags& flags) {
  if (flags.all || worlds.last <= kThoroughUpTo) return {};
  std::string text = fmt::format(
      "\nOf worlds above {}, without --all: the fused form, which is what runs, with the rows of "
      "small data and\none root",
      kThoroughUpTo);
  if (worlds.last > kMemoryRulesUpTo) {
    text += fmt::format(
        "; of those above {}: algorithms whose messages grow slower than the square of the "
        "world; and not\nwho may touch which memory when",
        kMemoryRulesUpTo);
  }
  return text + ".\n";
}

VerifyReport verify_with_progress(const WorldRange& worlds, const VerifyFlags& flags) {
  const Progress progress;
  const Coverage coverage = flags.all ? Coverage::kEverything : Coverage::kChosen;
  return verify_worlds(worlds, flags.mutants, coverage, [&](int world) {
    progress.show(fmt::format("\rworld {} of {} to {}", world, worlds.first, worlds.last));
  });
}

int run_schedule(const std::string& path) {
  try {
    const VerifiedSchedule proved =
        verify_schedule(read_text("--schedule", path), "schedule file " + path);
    write_output(
        fmt::format("{}: {} of {} ranks, {} rows: right. {} steps, {} direct stores, "
                    "channels of {} message(s)\n",
                    proved.name, proved.collective, proved.ranks, proved.rows, proved.sweeps,
                    proved.direct_stores, proved.least_credits));
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo verify: {}\n", error.what());
    return kExitUsage;
  } catch (const Error& error) {
    fmt::print(stderr, "rondo verify: {}{}{}\n", error.message(),
               error.where().empty() ? "" : "; at ", error.where());
    return kExitFailure;
  }
}

int run(const VerifyFlags& flags) {
  if (!flags.schedule_path.empty()) return run_schedule(flags.schedule_path);
  WorldRange worlds;
  try {
    worlds = worlds_of(flags);
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo verify: {}\n", error.what());
    return kExitUsage;
  }
  const auto start = std::chrono::steady_clock::now();
  const VerifyReport report = verify_with_progress(worlds, flags);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  write_output(algorithms_table(report) + mutants_table(report) + left_out(worlds, flags) +
               fmt::format("\nworlds {} to {}{}: {} in {:.1f} s\n", worlds.first, worlds.last,
                           worlds.step == 1 ? "" : fmt::format(" in steps of {}", worlds.step),
                           report.ok ? "all right" : "FAILED", elapsed.count()));
  if (report.ok) return 0;
  fmt::print(stderr, "rondo verify: {}\n", report.error);
  return kExitFailure;
}

}  // namespace

void add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "Prove the built-in algorithms right");
  command->footer(kVerifyExamples);
  const auto flags = std::make_shared<VerifyFlags>();
  CLI::Option* const schedule =
      command->add_option("--schedule", flags->schedule_path,
                          "prove a schedule of your own instead (docs/your-own-schedule.md)");
  command->add_option("--worlds", flags->worlds, "world sizes: N, FIRST-LAST or FIRST-LAST:STEP")
      ->capture_default_str()
      ->excludes(schedule);
  command
      ->add_flag("--all", flags->all,
                 "leave nothing out in worlds above 128: minutes for each of them")
      ->excludes(schedule);
  command
      ->add_flag("--mutants", flags->mutants,
                 "also damage schedules on purpose, those of worlds 2 to 8, and see them refused")
      ->excludes(schedule);
  command->callback([flags] {
    const int code = run(*flags);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
