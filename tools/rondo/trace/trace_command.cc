#include "tools/rondo/trace/trace_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/trace/write_file.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/flag_checks.h"
#include "tools/rondo/output.h"
#include "tools/rondo/trace/merge.h"
#include "tools/rondo/trace/read_traces.h"
#include "tools/rondo/trace/trace_report.h"

namespace rondo::tool {
namespace {

constexpr const char* kTraceExamples = R"(
Examples:
  RONDO_TRACE=traces rondo run -n 4 ./train   every rank leaves its last calls in the folder
  rondo trace traces                          who was slow: late to the calls, or by its link
  rondo trace traces -o merged.json           all ranks on one clock, for chrome://tracing or
                                              ui.perfetto.dev

The exit code is 1 where a file can't be read or is no trace.
)";

struct TraceFlags {
  std::vector<std::string> paths;
  std::string merged;
};

int run(const TraceFlags& flags) {
  try {
    const std::vector<RankTrace> traces = read_traces(flags.paths);
    const auto jobs = by_job(traces);
    std::string text;
    for (const auto& ranks : jobs) {
      text += text.empty() ? "" : "\n";
      text += describe(summarize(ranks));
    }
    if (!flags.merged.empty()) {
      const Status written = trace::write_file(flags.merged, merge(jobs));
      if (!written.ok()) throw std::runtime_error(written.message());
    }
    write_output(text);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo trace: {}\n", error.what());
    return kExitFailure;
  }
}

}  // namespace

void add_trace_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("trace", "Merge ranks' traces and name the slow rank");
  command->footer(kTraceExamples);
  const auto flags = std::make_shared<TraceFlags>();
  command->add_option("FILES", flags->paths, "folders of trace files, or the files themselves")
      ->required();
  command
      ->add_option("-o,--output", flags->merged,
                   "write the merged trace there (/dev/stdout: before the report)")
      ->check(not_empty());
  command->callback([flags] {
    const int code = run(*flags);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
