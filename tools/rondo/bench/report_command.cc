#include "tools/rondo/bench/report_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/rondo/bench/chart.h"
#include "tools/rondo/bench/chart_svg.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/output_file.h"
#include "tools/rondo/output.h"

namespace rondo::tool {
namespace {

constexpr const char* kReportExamples = R"(
Examples:
  rondo bench report before.json after.json
  rondo bench report ring.json direct.json --svg bandwidth.svg --bound 12.5
  rondo bench compare all_reduce 1K 64K 4M --peers "ompi bound" --json peers.json
  rondo bench report peers.json --svg peers.svg

The files are what `rondo bench --json` and `rondo bench compare --json` write.
)";

struct ReportFlags {
  std::vector<std::string> files;
  std::string svg_path;
  std::string title = "Bus bandwidth by size";
  std::optional<double> bound_gbps;
};

void report_files(const ReportFlags& flags) {
  std::vector<RecordedFile> files;
  for (const std::string& path : flags.files) files.push_back(read_recorded(path));
  const std::vector<ChartLine> lines = lines_of(files);
  if (!flags.svg_path.empty()) {
    OutputFile("--svg", flags.svg_path)
        .write(chart_svg(lines, one_line(flags.title), flags.bound_gbps.value_or(0)));
  }
  write_output(chart_table(lines, flags.bound_gbps.value_or(0)));
}

int exit_code_of_report(const ReportFlags& flags) {
  const double bound = flags.bound_gbps.value_or(kLeastBandwidth);
  const bool drawable = bound >= kLeastBandwidth && bound <= kMostBandwidth;
  if (!drawable) {
    fmt::print(stderr, "rondo bench report: --bound {:g}: expected GB/s from {:g} to {:g}\n", bound,
               kLeastBandwidth, kMostBandwidth);
    return kExitUsage;
  }
  try {
    report_files(flags);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo bench report: {}\n", error.what());
    return kExitFailure;
  }
}

}  // namespace

void add_report_command(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("report", "Draw files of results: size and bandwidth");
  const auto flags = std::make_shared<ReportFlags>();
  command->footer(kReportExamples);
  command->add_option("files", flags->files, "what --json has written")->required();
  command->add_option("--svg", flags->svg_path,
                      "also draw them, into this file (/dev/stdout: before the table)");
  command->add_option("--title", flags->title, "what stands above the picture")
      ->capture_default_str();
  command->add_option("--bound", flags->bound_gbps,
                      "GB/s that can't be passed, of memory or of a link: drawn, and in percent");
  command->callback([flags] {
    const int code = exit_code_of_report(*flags);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
