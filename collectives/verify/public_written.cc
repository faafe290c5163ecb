// The public face of written schedules (rondo/schedules.h).

#include <fmt/format.h>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/schedule_file.h"
#include "collectives/verify/write_algorithm.h"
#include "collectives/verify/written.h"
#include "core/status.h"
#include "rondo/schedules.h"

namespace rondo {
inline namespace v1 {
namespace {

Result<VerifiedSchedule> verified(const std::string& json, const std::string& file) {
  RONDO_ASSIGN(const schedule::WrittenSchedule written, schedule::parse_schedule(json, file));
  RONDO_ASSIGN(const verify::WrittenVerdict verdict, verify::verify_written(written, file));
  return VerifiedSchedule{.name = written.name,
                          .collective = to_string(written.request().collective),
                          .ranks = written.request().world,
                          .rows = written.request().rows,
                          .sweeps = verdict.sweeps,
                          .direct_stores = verdict.direct_stores,
                          .least_credits = verdict.least_credits};
}

Result<std::string> written_by(const std::string& collective, const std::string& name, int ranks,
                               std::size_t count) {
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.name != name || to_string(algorithm.collective) != collective) continue;
    if (ranks < 1) break;
    return verify::write_algorithm(algorithm, {.collective = algorithm.collective, .world = ranks},
                                   count);
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
