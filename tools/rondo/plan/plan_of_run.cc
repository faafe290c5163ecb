#include "tools/rondo/plan/plan_of_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/amounts.h"
#include "core/json/reader.h"
#include "rondo/schedules.h"
#include "tools/rondo/bench/input_file.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {
namespace {

/// Simulates each call once, though a file has it in both forms and in every cycle of a soak.
class RunSimulation {
 public:
  explicit RunSimulation(const PlanQuestion& world) : world_(world) {
    for (const AlgorithmInfo& algorithm : built_in_algorithms())
      built_in_.emplace(algorithm.collective, algorithm.name);
    if (world.schedule.empty()) return;
    const VerifiedSchedule own = verify_schedule(world.schedule, world.schedule_name);
    own_ = {own.collective, own.name};
  }

  /// 0: there is no schedule of it.
  double predicted_us(const Recorded& result) {
    const Algorithm ran(result.collective, result.algorithm);
    if (ran != own_ && !built_in_.contains(ran)) return 0;
    own_ran_ |= ran == own_;
    const auto [found, is_new] = predicted_us_.try_emplace(
        {ran, result.bytes, result.type, result.root, result.ranks, memory_of(result)});
    if (is_new) found->second = simulated_us(result, ran == own_);
    return found->second;
  }

  /// Whether any result so far was by the question's schedule.
  bool own_ran() const { return own_ran_; }

 private:
  using Algorithm = std::pair<std::string, std::string>;  ///< its collective, and its name
  using Point = std::tuple<Algorithm, std::uint64_t, std::string, int, int, MemoryKind>;

  static MemoryKind memory_of(const Recorded& result) {
    return result.buffers.starts_with("registered") ? MemoryKind::kRegistered
                                                    : MemoryKind::kOrdinary;
  }

  double simulated_us(const Recorded& result, bool is_own) const {
    PlanQuestion question = world_;
    question.collective = parse_collective(result.collective);
    question.bytes = result.bytes;
    question.type = parse_types(result.type).front();
    question.root = std::max(result.root, 0);
    question.algorithm = result.algorithm;
    question.memory = memory_of(result);
    if (!is_own) question.schedule.clear();
    const PlanReport report = explain_plan(question);
    if (report.ranks == result.ranks) return report.candidates.front().predicted_us;
    throw UsageError(fmt::format("the run was of {} ranks, the world that is described has {}",
                                 result.ranks, report.ranks));
  }

  const PlanQuestion& world_;
  std::set<Algorithm> built_in_;
  Algorithm own_;
  bool own_ran_ = false;
  std::map<Point, double> predicted_us_;
};

/// What the command line describes are hosts.
void refuse_devices(const RecordedFile& run) {
  for (const Recorded& result : run.results) {
    // Behind an "@" stands the first element, which may lie amid a page.
    const std::string_view kind =
        std::string_view(result.buffers).substr(0, result.buffers.find('@'));
    if (kind == "registered" || kind == "malloc") continue;
    throw UsageError(fmt::format(
        "{}: the buffers of {} were on devices ({}), and what is simulated are calls between "
        "hosts: leave out --ranks, --hosts, --network and --tuning to see what the run's "
        "communicator predicted, or name a run of `rondo bench` without --device",
        run.path, result.collective, result.buffers));
  }
}

/// Of the world that is described: "shm", "tcp" or "mixed"; empty where nobody says.
std::string transport_of(const PlanQuestion& world) {
  if (!world.tuning.empty()) {
    // What is wrong with it is told by who simulates.
    auto tuning = json::Document::parse(world.tuning, world.tuning_name);
    return tuning.ok() ? tuning->root().at("transport").text() : "";
  }
  if (!world.network.empty()) return "";
  if (world.hosts == 1) return "shm";
  return world.ranks_per_host == 1 ? "tcp" : "mixed";
}

void refuse_other_ways(const RecordedFile& run, const PlanQuestion& world) {
  const std::string transport = transport_of(world);
  const std::set<std::string> known = {"shm", "tcp", "mixed"};
  for (const Recorded& result : run.results) {
    if (known.contains(transport) && known.contains(result.transport) &&
        result.transport != transport) {
      throw UsageError(fmt::format(
          "{}: {} was measured over {}, and the world that is described (one host, where nothing "
          "else is said) goes over {}: name a --tuning or a --network of the run's own world, or "
          "leave --ranks, --hosts and --schedule out to see what the run's communicator predicted",
          run.path, result.collective, result.transport, transport));
    }
    if (result.wire_format.empty() || result.wire_format == "none") continue;
    throw UsageError(
        fmt::format("{}: {} was sent as {}, and what is simulated are elements as they are: name a "
                    "run without --wire-format, or leave the world out",
                    run.path, result.collective, result.wire_format));
  }
}

std::string run_line(const Recorded& result) {
  const bool predicted = result.predicted_us > 0;
  return fmt::format("{:<16} {:>5} {:>9}  {:<5} {:<12}  {:<20} {:>10} {:>10} {:>6}\n",
                     result.collective, result.ranks, bytes_text(result.bytes), result.type,
                     result.in_place ? "in place" : "out of place", result.algorithm,
                     time_text(result.p50_us), predicted ? time_text(result.predicted_us) : "-",
                     predicted ? fmt::format("{:.2f}", result.p50_us / result.predicted_us) : "-");
}

std::string run_summary(const std::vector<double>& ratios, PredictedBy who) {
  const bool simulated = who == PredictedBy::kSimulation;
  const std::string_view by = simulated ? "by simulation" : "by the run's communicator";
  if (ratios.empty()) {
    return fmt::format("nothing was predicted {}{}\n", by,
                       simulated ? ""
                                 : "; --ranks, --hosts, --network or --tuning: simulated in the "
                                   "world that they describe");
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format(
      "measured / predicted, {}: {:.2f} in the median of {} result{}, from {:.2f} to {:.2f}\n", by,
      percentile(ratios, 0.5), ratios.size(), ratios.size() == 1 ? "" : "s", least, most);
}

/// Of a simulation that has no prediction for some results: the schedules that it wasn't given.
std::string missing_schedules(const RecordedFile& run) {
  std::set<std::string> known = {"", "none", "identity"};
  for (const AlgorithmInfo& algorithm : built_in_algorithms()) known.emplace(algorithm.name);
  std::string text;
  for (const Recorded& result : run.results) {
    if (result.predicted_us == 0 && known.insert(result.algorithm).second)
      text += fmt::format("{} isn't built in: --schedule names its file\n", result.algorithm);
  }
  return text;
}

}  // namespace

void keep_results_of(RecordedFile& run, std::string_view collective) {
  std::erase_if(run.results, [&](const Recorded& result) {
    return result.library != "rondo" || (!collective.empty() && result.collective != collective);
  });
  if (!run.results.empty()) return;
  throw FileError(
      fmt::format("{} has no results{}{}", run.path, collective.empty() ? "" : " of ", collective));
}

void predict_by_simulation(RecordedFile& run, const PlanQuestion& question) {
  refuse_devices(run);
  refuse_other_ways(run, question);
  RunSimulation simulation(question);
  for (Recorded& result : run.results) result.predicted_us = simulation.predicted_us(result);
  if (question.schedule.empty() || simulation.own_ran()) return;
  throw UsageError(fmt::format("{}: no call of the run went by the schedule of {}: leave it out",
                               run.path, question.schedule_name));
}

std::string run_text(const RecordedFile& run, PredictedBy who) {
  std::string text =
      fmt::format("{:<16} {:>5} {:>9}  {:<5} {:<12}  {:<20} {:>10} {:>10} {:>6}\n", "collective",
                  "ranks", "size", "type", "form", "algorithm", "measured", "predicted", "ratio");
  std::vector<double> ratios;
  for (const Recorded& result : run.results) {
    text += run_line(result);
    if (result.predicted_us > 0) ratios.push_back(result.p50_us / result.predicted_us);
  }
  text += run_summary(ratios, who);
  return who == PredictedBy::kSimulation ? text + missing_schedules(run) : text;
}

}  // namespace rondo::tool
