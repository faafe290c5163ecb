// The public face of written schedules (rondo/schedules.h).

#include <fmt/format.h>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/schedule_file.h"
#include "collectives/verify/written.h"
#include "core/json/reader.h"
#include "core/status.h"
#include "rondo/schedules.h"

namespace rondo {
inline namespace v1 {
namespace {

Result<VerifiedSchedule> verified(const std::string& json, const std::string& file) {
  RONDO_ASSIGN(const schedule::WrittenSchedule written, schedule::parse_schedule(json, file));
  RONDO_ASSIGN(const verify::WrittenVerdict verdict, verify::verify_written(written));
  return VerifiedSchedule{.name = written.name,
                          .collective = to_string(written.request().collective),
                          .ranks = written.request().world,
                          .rows = written.request().rows,
                          .sweeps = verdict.sweeps,
                          .direct_stores = verdict.direct_stores,
                          .least_credits = verdict.least_credits};
}

/// All ranks' schedules. Errors: InvalidArgument: they are larger than may be written.
Status write_ranks(const algorithms::Algorithm& algorithm, schedule::Request request,
                   schedule::WrittenSchedule& written) {
  schedule::WrittenSize size{.cells = std::int64_t{request.world} * request.rows};
  for (request.rank = 0; request.rank < request.world; ++request.rank) {
    RONDO_TRY(size.check());
    const schedule::RankSchedule& rank = written.ranks.emplace_back(algorithm.build(request));
    for (const auto& lane : rank.lanes) size.ops += static_cast<std::int64_t>(lane.size());
  }
  return size.check();
}

Result<std::string> written_by(const std::string& collective, const std::string& name, int ranks,
                               std::size_t count) {
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.name != name || to_string(algorithm.collective) != collective) continue;
    if (ranks < 1 || ranks > schedule::kMostWrittenRanks) break;
    schedule::Request request{.collective = algorithm.collective, .world = ranks};
    request.rows = algorithm.rows(request, count);
    schedule::WrittenSchedule written{
        .name = "my_" + name, .summary = std::string(algorithm.summary), .ranks = {}};
    RONDO_TRY(write_ranks(algorithm, request, written));
    std::string text = to_json(written);
    if (text.size() <= json::kMostBytes) return text;
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} of {} ranks takes {} MiB; a schedule file has at most {}", name,
                              ranks, text.size() >> 20, json::kMostBytes >> 20));
  }
  return Status(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no algorithm '{}' of {} for {} ranks", name, collective, ranks));
}

}  // namespace

VerifiedSchedule verify_schedule(const std::string& json, const std::string& file) {
  return value_or_throw(verified(json, file));
}

std::string written_schedule(const std::string& collective, const std::string& algorithm, int ranks,
                             std::size_t count) {
  return value_or_throw(written_by(collective, algorithm, ranks, count));
}

}  // namespace v1
}  // namespace rondo
