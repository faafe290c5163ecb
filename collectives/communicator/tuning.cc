#include "collectives/communicator/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "collectives/communicator/private_reads.h"
#include "collectives/communicator/timed_calls.h"
#include "collectives/communicator/tuning_cache.h"
#include "collectives/communicator/tuning_fit.h"
#include "collectives/communicator/tuning_pace.h"
#include "collectives/communicator/tuning_samples.h"
#include "collectives/communicator/tuning_world.h"
#include "collectives/select/tuning.h"
#include "core/json/reader.h"
#include "core/log.h"
#include "core/trace/write_file.h"
#include "transport/mesh/at_once.h"

namespace rondo::communicator {
namespace {

/// The others wait for rank 0 while it fits constants.
constexpr int kFittingTimeoutMs = 600'000;
/// Of each algorithm in one call of measure_choices: hours.
constexpr int kMostRounds = 10'000;

std::string name_of(const std::string& path) {
  return fmt::format("tuning file {} (option tuning, RONDO_TUNING)", path);
}

/// What rank 0 has for all: a text, none, or why it failed.
struct Shared {
  enum class Kind : std::uint64_t { kNone, kText, kError };
  std::uint64_t kind = 0;
  std::uint64_t bytes = 0;
};

Status broadcast(Engine& engine, void* data, std::size_t bytes) {
  const Buffer buffer{data, bytes, DataType::kU8};
  return engine.call({.collective = Collective::kBroadcast,
                      .input = buffer,
                      .output = buffer,
                      .timeout_ms = kFittingTimeoutMs});
}

/// `own` is rank 0's; the others' isn't looked at.
Result<std::optional<std::string>> share(Engine& engine, Result<std::optional<std::string>> own) {
  std::string text = own.ok() ? own->value_or("") : own.status().message();
  Shared shared{.bytes = text.size()};
  const auto kind = !own.ok() ? Shared::Kind::kError
                              : (own->has_value() ? Shared::Kind::kText : Shared::Kind::kNone);
  shared.kind = static_cast<std::uint64_t>(kind);
  RONDO_TRY(broadcast(engine, &shared, sizeof shared));
  text.resize(shared.bytes);
  RONDO_TRY(broadcast(engine, text.data(), text.size()));
  switch (static_cast<Shared::Kind>(shared.kind)) {
    case Shared::Kind::kNone: return std::optional<std::string>();
    case Shared::Kind::kText: return std::optional<std::string>(std::move(text));
    default: return Status(ErrorCode::kInvalidArgument, fmt::format("rank 0: {}", text), 0);
  }
}

/// What the arguments or the world don't allow is refused on all ranks alike.
bool is_of_all_ranks(const Status& error) {
  return error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kUnsupported;
}

/// A rank that fails in `part` outside of a call is waited for in one: it tells the others.
Status told_to_all(Engine& engine, const std::function<Status()>& part) {
  Status status = transport::caught(part);
  if (!status.ok() && !is_of_all_ranks(status))
    engine.abort(Status(status).with_culprit(engine.place().rank()));
  return status;
}

/// A file that is read has to be right before it is handed out.
Result<std::string> read_tuning(const std::string& path, const std::string& name) {
  RONDO_ASSIGN(std::string text, json::read_file(path, name));
  RONDO_TRY(select::parse_tuning(text, name).status());
  return text;
}

/// The same on all ranks, whatever joins this one to the others.
std::string_view transport_of(const Place& place) {
  return transport_of_pairs(place.mesh().ranks(), place.mesh().means().transport);
}

Result<std::string> path_of(const Place& place) {
  return cached_tuning_path(transport_of(place), place.mesh().ranks(),
                            place.options().segment_bytes);
}

/// Nothing where the world is yet to be measured, also where there is no folder of caches or it
/// can't be looked into: `keep` says so then. Nobody has named the file that was kept: one that
/// can't be read, be it damaged or of a Rondo with other algorithms, is no error.
std::optional<std::string> kept_tuning(const Place& place) {
  const auto path = path_of(place);
  std::error_code error;
  if (!path.ok() || !std::filesystem::exists(*path, error)) return std::nullopt;
  auto text = read_tuning(*path, "tuning file " + *path);
  if (text.ok()) return std::move(text).value();
  log(LogLevel::kWarn, [&] {
    return fmt::format("the tuning that was kept can't be used: {}; the world is measured anew",
                       text.status().message());
  });
  return std::nullopt;
}

Result<std::optional<std::string>> text_of_option(const Place& place) {
  const std::string& option = place.options().tuning;
  if (option == kMeasureTuning) return kept_tuning(place);
  RONDO_ASSIGN(std::string text, read_tuning(option, name_of(option)));
  return std::optional<std::string>(std::move(text));
}

/// The file's path. Errors: InvalidArgument (there is no folder of caches), System.
Result<std::string> write_kept(const Place& place, const std::string& text) {
  RONDO_ASSIGN(std::string path, path_of(place));
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  RONDO_TRY(trace::write_file(path, text));
  return path;
}

/// A world that has been measured goes on where the file can't be written, and says so.
void keep(const Place& place, const std::string& text) {
  const auto path = write_kept(place, text);
  if (path.ok()) {
    log(LogLevel::kInfo, [&] { return fmt::format("measured the world; kept in {}", *path); });
  } else {
    log(LogLevel::kWarn, [&] {
      return fmt::format("the tuning that was measured isn't kept: {}; the next run measures again",
                         path.status().message());
    });
  }
}

/// A file may be another cluster's on purpose, but hardly another transport's.
void warn_of_other_transport(const Place& place, const select::Tuning& tuning) {
  if (place.rank() != 0 || tuning.transport.empty()) return;
  const std::string_view own = transport_of(place);
  if (tuning.transport == own) return;
  log(LogLevel::kWarn, [&] {
    return fmt::format(
        "the tuning {} was measured over {}, and this world goes over {}: choices go by times of "
        "another transport; measure this one (`rondo tune`)",
        place.options().tuning, tuning.transport, own);
  });
}

/// It may be so on purpose, and may have more hosts than the world.
void tell_of_other_hosts(const Place& place, const select::Tuning& tuning) {
  constexpr std::size_t kMostNamed = 4;
  const std::vector<std::string>& own = tuning.hosts;
  if (place.rank() != 0 || own.empty() || !log_enabled(LogLevel::kInfo)) return;
  const auto other = std::ranges::find_if(place.mesh().ranks(), [&](const auto& rank) {
    return std::ranges::find(own, rank.hostname) == own.end();
  });
  if (other == place.mesh().ranks().end()) return;
  const std::span<const std::string> named(own.data(), std::min(own.size(), kMostNamed));
  write_log(LogLevel::kInfo,
            fmt::format("the tuning {} was measured on other hosts: {} of this world isn't one of "
                        "{}{}",
                        place.options().tuning, other->hostname, fmt::join(named, ", "),
                        named.size() < own.size() ? ", ..." : ""));
}

Status use(Engine& engine, const std::string& text) {
  RONDO_ASSIGN(select::Tuning tuning, select::parse_tuning(text, "tuning of rank 0"));
  warn_of_other_transport(engine.place(), tuning);
  tell_of_other_hosts(engine.place(), tuning);
  engine.use_tuning(std::make_shared<const select::Tuning>(std::move(tuning)));
  return {};
}

/// What was measured at another time. Over another transport there is nothing to compare.
Status use_earlier(Engine& engine, const std::string& text) {
  RONDO_TRY(use(engine, text));
  const select::Tuning& tuning = *engine.place().planner().tuning();
  if (!tuning.transport.empty() && tuning.transport != transport_of(engine.place())) return {};
  RONDO_ASSIGN(select::Pace pace, measure_pace(engine));
  engine.use_pace(std::move(pace));
  return {};
}

/// The median of every second round from the `first`.
double half_median(const std::vector<double>& rounds, std::size_t first) {
  std::vector<double> half;
  for (std::size_t i = first; i < rounds.size(); i += 2) half.push_back(rounds[i]);
  return median(std::move(half));
}

/// What calls go by, a schedule of the user's left aside. One of the candidates then: a forced
/// algorithm that can't be simulated has no prediction.
Result<std::string> chosen_of(const Place& place, Collective collective,
                              const select::Demands& demands,
                              std::vector<select::Candidate>& candidates) {
  RONDO_ASSIGN(const algorithms::Algorithm* const forced,
               select::forced_algorithm(collective, place.options().algorithm, demands));
  if (forced == nullptr) return std::string(candidates.front().algorithm->name);
  if (std::ranges::find(candidates, forced, &select::Candidate::algorithm) == candidates.end())
    candidates.push_back({.algorithm = forced});
  return std::string(forced->name);
}

void fill_in(const std::vector<select::Candidate>& candidates,
             const std::vector<std::vector<double>>& times, MemoryKind memory,
             MeasuredChoice& choice) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string name(candidates[i].algorithm->name);
    const double us = half_median(times[i], 0);
    const bool is_apart = memory == MemoryKind::kRegistered && candidates[i].registered_us > 0;
    choice.algorithms.push_back(
        {.name = name,
         .us = half_median(times[i], 1),
         .predicted_us = is_apart ? candidates[i].registered_us : candidates[i].predicted_us,
         .other_half_us = us});
    if (us >= least) continue;
    least = us;
    choice.fastest = name;
  }
}

Result<std::string> measured_tuning(Engine& engine) {
  RONDO_ASSIGN(const std::size_t private_read_bytes, measure_private_reads(engine));
  RONDO_ASSIGN(auto times, measure_algorithms(engine));
  times.private_read_bytes = private_read_bytes;
  std::optional<std::string> own;
  if (engine.place().rank() == 0)
    own = select::to_json(tuning_of(engine.place(), std::move(times)));
  RONDO_ASSIGN(const auto text, share(engine, std::move(own)));
  RONDO_TRY(use(engine, *text));
  return *text;
}

Result<std::vector<MeasuredChoice>> measured_choices(Engine& engine, Collective collective,
                                                     const std::vector<std::size_t>& bytes,
                                                     int rounds, MemoryKind memory) {
  const Place& place = engine.place();
  std::vector<MeasuredChoice> choices;
  TimedCalls calls(engine, memory);
  using Order = select::Demands::Order;
  const select::Demands demands{.order = place.planner().is_deterministic() ? Order::kRanks
                                                                            : Order::kAny};
  // What is known of all_to_all is all ranks' data together.
  const auto each =
      static_cast<std::size_t>(collective == Collective::kAllToAll ? place.size() : 1);
  for (const std::size_t size : bytes) {
    if (size > std::numeric_limits<std::size_t>::max() / each)
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("Communicator::measure_choices: {} bytes of each of {} ranks are "
                                "more than can be addressed",
                                size, each));
    const std::size_t all = calls.bytes_of(collective, size * each);
    auto candidates = place.planner().priced(collective, all, demands);
    RONDO_ASSIGN(std::string chosen, chosen_of(place, collective, demands, candidates));
    std::vector<const algorithms::Algorithm*> algorithms;
    for (const auto& candidate : candidates) algorithms.push_back(candidate.algorithm);
    RONDO_ASSIGN(const auto times, calls.run(all, algorithms, 2 * rounds));
    choices.push_back({.collective = collective,
                       .bytes = all / each,
                       .chosen = std::move(chosen),
                       .fastest = {},
                       .algorithms = {}});
    fill_in(candidates, times, memory, choices.back());
  }
  return choices;
}

Status learned_tuning(Engine& engine) {
  const Place& place = engine.place();
  Result<std::optional<std::string>> own = std::optional<std::string>();
  if (place.rank() == 0) own = text_of_option(place);
  RONDO_ASSIGN(const auto text, share(engine, std::move(own)));
  if (text.has_value()) return use_earlier(engine, *text);
  RONDO_ASSIGN(const std::string measured, measured_tuning(engine));
  if (place.rank() == 0) keep(place, measured);
  return {};
}

}  // namespace

Result<std::string> measure_tuning(Engine& engine) {
  std::string text;
  if (engine.place().size() == 1) return text;
  RONDO_TRY(told_to_all(engine, [&]() -> Status {
    RONDO_ASSIGN(text, measured_tuning(engine));
    return {};
  }));
  return text;
}

Status learn_tuning(Engine& engine) {
  const std::string& option = engine.place().options().tuning;
  if (option == kNoTuning) return {};
  if (engine.place().size() > 1) return told_to_all(engine, [&] { return learned_tuning(engine); });
  // There is nothing to choose, but what larger worlds refuse isn't to work here by chance.
  return option == kMeasureTuning ? Status() : read_tuning(option, name_of(option)).status();
}

Result<std::vector<MeasuredChoice>> measure_choices(Engine& engine, Collective collective,
                                                    const std::vector<std::size_t>& bytes,
                                                    int rounds, MemoryKind memory) {
  if (rounds < 1 || rounds > kMostRounds) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("Communicator::measure_choices: rounds: expected 1 to {}, got {}",
                              kMostRounds, rounds));
  }
  if (std::ranges::find(algorithms::all(), collective, &algorithms::Algorithm::collective) ==
      algorithms::all().end()) {
    return Status(ErrorCode::kInvalidArgument,
                  "Communicator::measure_choices: unknown collective; expected one of Collective");
  }
  std::vector<MeasuredChoice> choices;
  if (engine.place().size() == 1) return choices;
  RONDO_TRY(told_to_all(engine, [&]() -> Status {
    RONDO_ASSIGN(choices, measured_choices(engine, collective, bytes, rounds, memory));
    return {};
  }));
  return choices;
}

}  // namespace rondo::communicator
