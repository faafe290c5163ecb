#include "tools/rondo/bench/bench_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/dtype.h"
#include "rondo/communicator.h"
#include "rondo/info.h"
#include "rondo/schedules.h"
#include "tools/rondo/bench/core_binding.h"
#include "tools/rondo/bench/json_file.h"
#include "tools/rondo/bench/local_ranks.h"
#include "tools/rondo/bench/measure.h"
#include "tools/rondo/bench/options.h"
#include "tools/rondo/bench/places.h"
#include "tools/rondo/bench/report.h"
#include "tools/rondo/output.h"

namespace rondo::tool {
namespace {

/// "auto" and the names, in `known`, of the collective's algorithms.
std::vector<std::string_view> algorithms_of(const std::string& collective,
                                            const std::vector<AlgorithmInfo>& known) {
  std::vector<std::string_view> names = {"auto"};
  for (const AlgorithmInfo& algorithm : known) {
    if (algorithm.collective == collective) names.push_back(algorithm.name);
  }
  return names;
}

/// Opens the results' file where rank 0 is to write one; every rank calls it. False on all ranks
/// where that can't be done; rank 0 has said why.
bool open_json(const std::string& path, Communicator& communicator, std::optional<JsonFile>& file) {
  if (path.empty()) return true;
  std::uint8_t ready = 1;
  if (communicator.rank() == 0) {
    try {
      file.emplace(path);
    } catch (const std::exception& error) {
      fmt::print(stderr, "rondo bench: {}\n", error.what());
      ready = 0;
    }
  }
  communicator.broadcast({&ready, 1, DataType::kU8}, 0);
  return ready != 0;
}

std::string kind_of_buffers(const BenchOptions& options) {
  if (options.device != "host") return options.device;
  return options.registered ? "registered" : "malloc";
}

/// The lines over the table: what runs, where.
std::string preamble(const BenchOptions& options, int ranks, bool bound) {
  return fmt::format(
      "# rondo bench {}: {} rank(s), {} timed calls after {} untimed, check {}\n"
      "# transport {}, algorithm {}, wire format {}, {} buffers, ranks {} to cores\n#\n",
      to_string(options.collective), ranks, options.repeats.iterations, options.repeats.warmup,
      options.repeats.check ? "on" : "off", options.transport, options.algorithm,
      options.wire_format, kind_of_buffers(options), bound ? "bound" : "not bound");
}

/// One rank's part of the whole benchmark.
class Bench {
 public:
  Bench(Communicator& communicator, const BenchOptions& options)
      : communicator_(communicator),
        options_(options),
        input_(options.sizes.back(), options.registered, communicator.device()),
        output_(options.sizes.back(), options.registered, communicator.device()),
        measurement_(communicator, input_, output_, options.repeats) {}

  std::vector<BenchRow> run() {
    print(table_header());
    std::vector<BenchRow> rows;
    for (const DataType type : options_.types) {
      for (const ReduceOp op : options_.ops) {
        if (!is_combined_by(type, op)) continue;
        for (const std::uint64_t bytes : options_.sizes) {
          rows.push_back(measure({options_.collective, type, op, options_.root, bytes, false}));
          print(table_line(rows.back()));
        }
      }
    }
    print(table_footer(rows));
    return rows;
  }

 private:
  BenchRow measure(CallSpec spec) {
    BenchRow row;
    const bool in_place_only = spec.collective == Collective::kBroadcast;
    if (!in_place_only) row.out_of_place = measure_form(spec);
    spec.in_place = true;
    if (has_in_place_form(spec.collective)) row.in_place = measure_form(spec);
    return row;
  }
  BenchResult measure_form(const CallSpec& spec) {
    BenchResult result = measurement_.run(spec);
    result.buffers = kind_of_buffers(options_);
    return result;
  }
  void print(const std::string& lines) const {
    if (communicator_.rank() == 0) write_output(lines);
  }

  Communicator& communicator_;
  const BenchOptions& options_;
  BenchMemory input_;
  BenchMemory output_;
  Measurement measurement_;
};

/// The exit code of one rank.
int run_rank(Communicator& communicator, const BenchOptions& options, bool bound) {
  const bool first = communicator.rank() == 0;
  if (options.root >= communicator.size()) {
    if (!first) return kExitUsage;
    throw UsageError(
        fmt::format("-r {}: there are {} ranks, from 0", options.root, communicator.size()));
  }
  std::optional<JsonFile> json;
  if (!open_json(options.json_path, communicator, json)) return kExitFailure;
  if (first) write_output(preamble(options, communicator.size(), bound));
  const std::vector<BenchRow> rows = Bench(communicator, options).run();
  if (json) json->write(to_json(build_and_machine_info(), rows).dump(2) + "\n");
  return total_wrong(rows) == 0 ? 0 : kExitFailure;
}

/// The exit code of one process.
int run_process(const BenchOptions& options) {
  const std::vector<Device> devices = places_of(options.device, options.places);
  const bool bound = options.bind && devices.size() == 1 && bind_to_own_core();
  CommunicatorOptions communicator_options;
  communicator_options.transport = options.transport;
  communicator_options.algorithm = options.algorithm;
  communicator_options.wire_format = options.wire_format;
  std::vector<Communicator> places = Communicator::create(devices, communicator_options);
  if (places.size() == 1) return run_rank(places.front(), options, bound);
  return run_places(places, [&](Communicator& place) { return run_rank(place, options, bound); });
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
void start_local_ranks(const BenchFlags& flags, const std::vector<std::string>& arguments) {
  refuse_local_ranks_of_ranks(flags.local);
  if (!flags.json_path.empty()) const JsonFile checked(flags.json_path);
  fmt::print(stderr, "rondo bench: {}\n",
             replace_process(under_rondo_run(own_program(), flags.local, arguments)));
}

int run(const BenchFlags& flags, const std::vector<std::string>& arguments) {
  try {
    const std::vector<AlgorithmInfo> known = built_in_algorithms();
    const BenchOptions options = parse_bench_flags(flags, algorithms_of(flags.collective, known));
    if (flags.local == 0) return run_process(options);
    start_local_ranks(flags, arguments);
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
  command->callback([flags, arguments] {
    const int code = run(*flags, arguments);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
