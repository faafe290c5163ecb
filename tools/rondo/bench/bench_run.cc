#include "tools/rondo/bench/bench_run.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>
#include <optional>

#include "core/dtype.h"
#include "tools/rondo/bench/bench_buffers.h"
#include "tools/rondo/bench/bench_files.h"
#include "tools/rondo/bench/environment.h"
#include "tools/rondo/bench/measure.h"
#include "tools/rondo/bench/rank_lines.h"
#include "tools/rondo/bench/report.h"
#include "tools/rondo/output.h"
#include "tools/rondo/progress.h"

namespace rondo::tool {
namespace {

/// What scripts find in the head of nccl-tests' output, before the ranks.
std::string nccl_tests_head(const BenchOptions& options) {
  const SizeRange& range = options.range;
  const bool adds = range.step_bytes > 0;
  const Repeats& repeats = options.repeats;
  return fmt::format(
      "# Collective test starting: {}\n"
      "# nThread 1 nGpus {} minBytes {} maxBytes {} step: {}({}) warmup iters: {} iters: {} agg "
      "iters: {} validation: {:d} graph: 0 unalign: {}\n#\n# Using devices\n",
      to_string(options.operation), options.places, range.first_bytes, range.last_bytes,
      adds ? range.step_bytes : range.factor, adds ? "bytes" : "factor", repeats.warmup,
      repeats.iterations, repeats.calls, repeats.check, options.first_element);
}

/// The lines over the table: what runs, where.
std::string preamble(const BenchOptions& options, const Facts& environment, int ranks, bool bound) {
  std::string text = fmt::format(
      "# rondo bench {}: {} rank(s), {} timed calls after {} untimed, check {}\n"
      "# transport {}, algorithm {}, wire format {}, {} buffers, ranks {} to cores\n",
      to_string(options.operation), ranks, options.repeats.iterations, options.repeats.warmup,
      options.repeats.check ? "on" : "off", options.transport, options.algorithm,
      options.wire_format, kind_of_buffers(options), bound ? "bound" : "not bound");
  if (options.repeats.calls > 1) {
    text += fmt::format("# {} calls are started together; a call's time is its share\n",
                        options.repeats.calls);
  }
  if (options.repeats.time_of != TimeOf::kSlowestRank) {
    text += fmt::format("# a call's time: {}\n", to_string(options.repeats.time_of));
  }
  return text + environment_lines(environment) + "#\n" + nccl_tests_head(options);
}

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  localtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

/// What becomes of a row, on every rank; false on all of them ends the run.
using Keep = std::function<bool(const BenchRow& row)>;

/// The sweep of one rank.
class Bench {
 public:
  Bench(Communicator& communicator, const BenchOptions& options, const BenchBuffers& buffers,
        const Progress& progress, const Keep& keep)
      : communicator_(communicator),
        options_(options),
        progress_(progress),
        keep_(keep),
        style_{.per_iteration = options.repeats.keep_times,
               .timestamps = options.timestamps,
               .overlap = options.repeats.overlap,
               .predicted = communicator.size() > 1 && !options.operation.sends()},
        measurement_(communicator, buffers.input, buffers.output, options.repeats) {}

  /// The table once, of cycle `cycle`: its wrong elements; nothing where `keep` didn't go on.
  std::optional<std::uint64_t> run(int cycle) {
    cycle_ = cycle;
    rows_.clear();
    if (options_.cycles != 1) print(fmt::format("# cycle {}\n", cycle + 1));
    print(table_header(style_));
    for (const DataType type : options_.types) {
      for (const BenchOp& op : options_.ops) {
        if (!is_combined_by(type, op)) continue;
        CallSpec spec{.operation = options_.operation, .type = type, .op = op};
        spec.first_element = options_.first_element;
        if (!run_sizes(spec)) return std::nullopt;
      }
    }
    print(table_footer(rows_));
    return total_wrong(rows_);
  }

 private:
  bool run_sizes(CallSpec spec) {
    std::vector<int> roots = options_.roots;
    if (roots.empty()) {
      roots.resize(static_cast<std::size_t>(communicator_.size()));
      std::iota(roots.begin(), roots.end(), 0);
    }
    for (const int root : roots) {
      for (const std::uint64_t bytes : options_.sizes) {
        spec.root = root;
        spec.bytes = bytes;
        rows_.push_back(measure(spec));
        print(table_line(rows_.back(), style_));
        if (!keep_(rows_.back())) return false;
      }
    }
    return true;
  }
  BenchRow measure(CallSpec spec) {
    BenchRow row;
    if (has_out_of_place_form(spec.operation)) row.out_of_place = measure_form(spec);
    spec.in_place = true;
    if (has_in_place_form(spec.operation)) row.in_place = measure_form(spec);
    row.measured_at = time_of_day();
    return row;
  }
  BenchResult measure_form(const CallSpec& spec) {
    if (communicator_.rank() == 0) {
      progress_.show(fmt::format("\r{} {} {}, {} bytes, {} ({} lines done)\x1b[K",
                                 to_string(spec.operation), to_string(spec.type),
                                 to_string(spec.op), spec.bytes,
                                 spec.in_place ? "in place" : "out of place", rows_.size()));
    }
    BenchResult result = measurement_.run(spec);
    result.buffers = kind_of_buffers(options_);
    result.cycle = cycle_;
    return result;
  }
  void print(const std::string& lines) const {
    if (communicator_.rank() != 0) return;
    progress_.clear();
    write_output(lines);
  }

  Communicator& communicator_;
  const BenchOptions& options_;
  const Progress& progress_;
  const Keep& keep_;
  TableStyle style_;
  Measurement measurement_;
  std::vector<BenchRow> rows_;
  int cycle_ = 0;
};

/// Wrong elements of all cycles; nothing where there is no memory, or `keep` didn't go on. Every
/// rank sees the same results, and so stops with the others.
std::optional<std::uint64_t> run_cycles(Communicator& communicator, const BenchOptions& options,
                                        const Keep& keep) {
  const std::optional<BenchBuffers> buffers = make_buffers(communicator, options);
  if (!buffers) return std::nullopt;
  const Progress progress;
  Bench bench(communicator, options, *buffers, progress, keep);
  std::uint64_t wrong = 0;
  for (int cycle = 0; options.cycles == 0 || cycle < options.cycles; ++cycle) {
    const std::optional<std::uint64_t> of_cycle = bench.run(cycle);
    if (!of_cycle) return std::nullopt;
    wrong += *of_cycle;
    if (options.cycles == 0 && wrong != 0) break;
  }
  return wrong;
}

}  // namespace

int run_bench_rank(Communicator& communicator, const BenchOptions& options, bool bound) {
  const bool first = communicator.rank() == 0;
  if (!options.roots.empty() && options.roots.front() >= communicator.size()) {
    if (!first) return kExitUsage;
    throw UsageError(fmt::format("-r {}: there are {} ranks, from 0", options.roots.front(),
                                 communicator.size()));
  }
  BenchFiles files(communicator, options);
  if (!files.open()) return kExitFailure;
  const std::string ranks = rank_lines(communicator);
  if (first) {
    write_output(preamble(options, files.environment(), communicator.size(), bound) + ranks +
                 "#\n");
  }
  const auto keep = [&files](const BenchRow& row) { return files.keep(row); };
  const std::optional<std::uint64_t> wrong = run_cycles(communicator, options, keep);
  if (!wrong) return kExitFailure;
  int code = 0;
  if (first) {
    write_output(fmt::format("# Collective test concluded: {}\n", to_string(options.operation)));
    code = files.finish();
  }
  return *wrong == 0 ? code : kExitFailure;
}

}  // namespace rondo::tool
