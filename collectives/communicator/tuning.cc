#include "collectives/communicator/tuning.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "collectives/communicator/private_reads.h"
#include "collectives/communicator/timed_calls.h"
#include "collectives/communicator/tuning_cache.h"
#include "collectives/communicator/tuning_fit.h"
#include "collectives/communicator/tuning_samples.h"
#include "collectives/select/tuning.h"
#include "core/json/reader.h"
#include "core/log.h"
#include "core/trace/write_file.h"

namespace rondo::communicator {
namespace {

/// The others wait for rank 0 while it fits constants.
constexpr int kFittingTimeoutMs = 600'000;

std::string name_of(const std::string& path) {
  return fmt::format("tuning file {} (RONDO_TUNING)", path);
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

/// A file that is read has to be right before it is handed out.
Result<std::optional<std::string>> read_tuning(const std::string& path) {
  RONDO_ASSIGN(std::string text, json::read_file(path, name_of(path)));
  RONDO_TRY(select::parse_tuning(text, name_of(path)).status());
  return std::optional<std::string>(std::move(text));
}

Result<std::string> path_of(const Place& place) {
  return cached_tuning_path(place.last_call().transport, place.mesh().ranks(),
                            place.options().segment_bytes);
}

/// Nothing where it is yet to be measured.
Result<std::optional<std::string>> text_of_option(const Place& place) {
  const std::string& option = place.options().tuning;
  if (option != kMeasureTuning) return read_tuning(option);
  RONDO_ASSIGN(const std::string path, path_of(place));
  if (!std::filesystem::exists(path)) return std::optional<std::string>();
  return read_tuning(path);
}

/// A world that has been measured goes on where the file can't be written, and says so.
void keep(const Place& place, const std::string& text) {
  const auto path = path_of(place);
  if (!path.ok()) return log(LogLevel::kWarn, [&] { return path.status().message(); });
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(*path).parent_path(), error);
  if (const Status written = trace::write_file(*path, text); !written.ok()) {
    log(LogLevel::kWarn, [&] {
      return fmt::format("the tuning that was measured isn't kept: {}; the next run measures again",
                         written.message());
    });
    return;
  }
  log(LogLevel::kInfo, [&] { return fmt::format("measured the world; kept in {}", *path); });
}

/// A file may be another cluster's on purpose, but hardly another transport's.
void warn_of_other_transport(const Place& place, const select::Tuning& tuning) {
  const std::string_view own = place.last_call().transport;
  if (place.rank() != 0 || tuning.transport.empty() || tuning.transport == own) return;
  log(LogLevel::kWarn, [&] {
    return fmt::format(
        "the tuning {} was measured over {}, and this world goes over {}: choices go by times of "
        "another transport; measure this one (`rondo tune`)",
        place.options().tuning, tuning.transport, own);
  });
}

Status use(Engine& engine, const std::string& text) {
  RONDO_ASSIGN(select::Tuning tuning, select::parse_tuning(text, "tuning of rank 0"));
  warn_of_other_transport(engine.place(), tuning);
  engine.use_tuning(std::make_shared<const select::Tuning>(std::move(tuning)));
  return {};
}

/// The median of every second round from the `first`.
double half_median(const std::vector<double>& rounds, std::size_t first) {
  std::vector<double> half;
  for (std::size_t i = first; i < rounds.size(); i += 2) half.push_back(rounds[i]);
  return median(std::move(half));
}

void fill_in(const std::vector<select::Candidate>& candidates,
             const std::vector<std::vector<double>>& times, MeasuredChoice& choice) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string name(candidates[i].algorithm->name);
    const double us = half_median(times[i], 0);
    choice.algorithms.push_back({.name = name,
                                 .us = half_median(times[i], 1),
                                 .predicted_us = candidates[i].predicted_us,
                                 .other_half_us = us});
    if (us >= least) continue;
    least = us;
    choice.fastest = name;
  }
}

}  // namespace

Result<std::string> measure_tuning(Engine& engine) {
  if (engine.place().size() == 1) return std::string();
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

Status learn_tuning(Engine& engine) {
  const Place& place = engine.place();
  if (place.options().tuning == kNoTuning || place.size() == 1) return {};
  Result<std::optional<std::string>> own = std::optional<std::string>();
  if (place.rank() == 0) own = text_of_option(place);
  RONDO_ASSIGN(const auto text, share(engine, std::move(own)));
  if (text.has_value()) return use(engine, *text);
  RONDO_ASSIGN(const std::string measured, measure_tuning(engine));
  if (place.rank() == 0) keep(place, measured);
  return {};
}

Result<std::vector<MeasuredChoice>> measure_choices(Engine& engine, Collective collective,
                                                    const std::vector<std::size_t>& bytes,
                                                    int rounds) {
  std::vector<MeasuredChoice> choices;
  if (engine.place().size() == 1) return choices;
  TimedCalls calls(engine);
  using Order = select::Demands::Order;
  const select::Demands demands{.order = engine.place().planner().is_deterministic() ? Order::kRanks
                                                                                     : Order::kAny};
  // What is known of all_to_all is all ranks' data together.
  const auto each =
      static_cast<std::size_t>(collective == Collective::kAllToAll ? engine.place().size() : 1);
  for (const std::size_t size : bytes) {
    const std::size_t all = calls.bytes_of(collective, size * each);
    const std::vector<select::Candidate> candidates =
        engine.place().planner().priced(collective, all, demands);
    std::vector<const algorithms::Algorithm*> algorithms;
    for (const auto& candidate : candidates) algorithms.push_back(candidate.algorithm);
    RONDO_ASSIGN(const auto times, calls.run(all, algorithms, 2 * rounds));
    choices.push_back({.collective = collective,
                       .bytes = all / each,
                       .chosen = std::string(candidates.front().algorithm->name),
                       .fastest = {},
                       .algorithms = {}});
    fill_in(candidates, times, choices.back());
  }
  return choices;
}

}  // namespace rondo::communicator
