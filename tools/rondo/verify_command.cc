#include "tools/rondo/verify_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "rondo/schedules.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/world_range.h"

namespace rondo::tool {
namespace {

constexpr const char* kVerifyExamples = R"(
Examples:
  rondo verify                          every algorithm, worlds of 1 to 128
  rondo verify --worlds 1-16 --mutants  and that wrong schedules are refused

An algorithm is a schedule: who sends what to whom. It is run here on paper, with every rank's data
followed, so no result depends on this machine. The exit code is 1 if anything is wrong.
)";

struct VerifyFlags {
  std::string worlds = "1-128";
  bool mutants = false;
};

void print_algorithms(const VerifyReport& report) {
  fmt::print("{:<16} {:<14} {:>7} {:>10} {:>14} {:>14} {:>8}\n", "collective", "algorithm",
             "worlds", "schedules", "steps", "direct stores", "credits");
  for (const VerifiedAlgorithm& row : report.algorithms) {
    fmt::print("{:<16} {:<14} {:>7} {:>10} {:>14} {:>14} {:>8}\n", row.collective, row.name,
               row.worlds, row.schedules, row.sweeps, row.direct_stores, row.least_credits);
  }
}

void print_mutants(const VerifyReport& report) {
  if (report.mutants.empty()) return;
  fmt::print("\n{:<28} {:>8} {:>8} {:>11} {:>8} {:>7}\n", "mutants", "made", "caught", "equivalent",
             "sampled", "missed");
  for (const VerifiedMutants& row : report.mutants) {
    fmt::print("{:<28} {:>8} {:>8} {:>11} {:>8} {:>7}\n", row.kind, row.mutants, row.caught,
               row.equivalent, row.sampled, row.missed);
  }
}

int run(const VerifyFlags& flags) {
  WorldRange worlds;
  try {
    worlds = parse_world_range(flags.worlds);
  } catch (const UsageError& error) {
    fmt::print(stderr, "rondo verify: {}\n", error.what());
    return kExitUsage;
  }
  const auto start = std::chrono::steady_clock::now();
  const VerifyReport report = verify_built_in(worlds.first, worlds.last, flags.mutants);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  print_algorithms(report);
  print_mutants(report);
  fmt::print("\nworlds {} to {}: {} in {:.1f} s\n", worlds.first, worlds.last,
             report.ok ? "all right" : "FAILED", elapsed.count());
  if (report.ok) return 0;
  fmt::print(stderr, "rondo verify: {}\n", report.error);
  return kExitFailure;
}

}  // namespace

void add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "Prove the built-in algorithms right");
  command->footer(kVerifyExamples);
  const auto flags = std::make_shared<VerifyFlags>();
  command->add_option("--worlds", flags->worlds, "world sizes, N or FIRST-LAST")
      ->capture_default_str();
  command->add_flag("--mutants", flags->mutants,
                    "also damage schedules on purpose and see them refused");
  command->callback([flags] {
    const int code = run(*flags);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
