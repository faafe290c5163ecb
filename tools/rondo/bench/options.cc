#include "tools/rondo/bench/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/dtype.h"

namespace rondo::tool {
namespace {

std::vector<int> parse_roots(const std::string& text) {
  if (text == "all" || text == "-1") return {};
  int root = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), root);
  if (problem == std::errc() && end == text.data() + text.size() && root >= 0) return {root};
  throw UsageError(fmt::format("-r: '{}' is no rank; expected a number from 0 on, or all", text));
}

/// The only root of what has none stands for none: scripts for nccl-tests may name it.
std::vector<int> roots_of(const BenchFlags& flags, const Operation& operation) {
  const std::vector<int> roots = parse_roots(flags.root);
  if (has_root(operation) || roots == std::vector<int>{0}) return roots;
  throw UsageError(fmt::format(
      "-r {}: {} has no root (broadcast, reduce, gather and scatter have one): leave out -r",
      flags.root, to_string(operation)));
}

/// nccl-tests' rule: a factor above 1 wins over a step.
SizeRange size_range_of(const BenchFlags& flags) {
  SizeRange range{parse_size("-b", flags.first), parse_size("-e", flags.last)};
  const int factor_otherwise = flags.step.empty() ? 2 : 1;
  const int factor = flags.factor < 0 ? factor_otherwise : flags.factor;
  const std::uint64_t step_bytes = parse_size("-i", flags.step.empty() ? "1M" : flags.step);
  if (factor > 1) {
    range.factor = static_cast<std::uint64_t>(factor);
    return range;
  }
  range.step_bytes = step_bytes;
  if (step_bytes > 0) return range;
  throw UsageError(
      "-i 0: a size would be followed by itself; give a step above 0, or a factor (-f), or for one "
      "size over and over -b and -e alike and -N 0");
}

/// A barrier has neither sizes nor a type.
void take_sizes(const BenchFlags& flags, BenchOptions& options) {
  if (options.operation.is(Collective::kBarrier)) {
    options.sizes = {0};
    options.types = {DataType::kI8};
    return;
  }
  options.range = size_range_of(flags);
  options.sizes = sizes_of(options.range);
}

Repeats repeats_of(const BenchFlags& flags) {
  if (flags.iterations == 0) {
    throw UsageError(
        "-n 0: there would be no call to time; give 1 or more (-w 0 -n 1: each size is called and "
        "checked once)");
  }
  return {.iterations = flags.iterations,
          .warmup = flags.warmup,
          .check = flags.check != 0,
          .calls = flags.calls,
          .keep_times = flags.per_iteration,
          .overlap = flags.overlap,
          .time_of = static_cast<TimeOf>(flags.average)};
}

/// The files that results go to and are compared with.
void take_files(const BenchFlags& flags, BenchOptions& options) {
  options.json_path = flags.json_path;
  options.baseline_path = flags.baseline_path;
  options.tolerance_percent = flags.tolerance_percent;
  options.any_machine = flags.any_machine;
  if (std::isnan(flags.tolerance_percent)) {
    throw UsageError("--tolerance: nan is no number; expected percent from 0 on");
  }
  if (flags.cycles != 0 || flags.baseline_path.empty()) return;
  throw UsageError("-N 0 has no last result to compare; give a number of cycles with --baseline");
}

std::string known_collectives() {
  std::vector<std::string_view> names;
  for (const Operation& operation : all_operations()) names.push_back(to_string(operation));
  return fmt::format("allowed: {}", fmt::join(names, ", "));
}

/// A type and an op that go together are there, or it is an error.
void check_combinations(const BenchOptions& options) {
  for (const DataType type : options.types) {
    for (const BenchOp& op : options.ops) {
      if (is_combined_by(type, op)) return;
    }
  }
  const BenchOp& op = options.ops.front();
  throw UsageError(
      fmt::format("-o {}: elements of {} are {}; allowed: sum, prod, min, max, avg, {}",
                  to_string(op), to_string(options.types.front()),
                  op.premultiplied ? "integers and aren't multiplied by a factor"
                                   : "no integers and aren't combined bitwise",
                  op.premultiplied ? "band, bor, bxor" : "mulsum"));
}

}  // namespace

BenchOptions parse_bench_flags(const BenchFlags& flags,
                               const std::vector<std::string_view>& algorithms) {
  if (flags.collective.empty()) throw UsageError("collective is required; " + known_collectives());
  if (!flags.refusals.empty()) throw UsageError(flags.refusals.front());
  BenchOptions options;
  options.operation = parse_operation(flags.collective);
  options.types = parse_types(flags.type);
  options.ops = parse_ops(flags.op);
  if (!reduces(options.operation)) options.ops = {ReduceOp::kSum};
  check_combinations(options);
  take_sizes(flags, options);
  options.roots = roots_of(flags, options.operation);
  options.repeats = repeats_of(flags);
  options.cycles = flags.cycles;
  options.timestamps = flags.timestamps != 0;
  options.timeout_ms = flags.timeout_s * 1000;
  options.transport = one_of("transport", flags.transport, all_transports());
  options.algorithm = one_of("algorithm", flags.algorithm, algorithms);
  options.wire_format = one_of("wire format", flags.wire_format, all_wire_formats());
  options.registered =
      one_of("kind of buffers", flags.buffers, {"registered", "malloc"}) != std::string("malloc");
  if (flags.registration >= 0) options.registered = flags.registration != 0;
  options.first_element = static_cast<std::size_t>(flags.first_element);
  options.device = flags.device;
  options.places = flags.places * flags.threads;
  take_files(flags, options);
  options.bind = !flags.no_bind;
  return options;
}

}  // namespace rondo::tool
