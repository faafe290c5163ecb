#include "collectives/verify/write_algorithm.h"

#include <fmt/format.h>

#include "core/json/reader.h"

namespace rondo::verify {
namespace {

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

}  // namespace

Result<std::string> write_schedule(const schedule::WrittenSchedule& written) {
  std::string text = to_json(written);
  if (text.size() <= json::kMostBytes) return text;
  return Status(
      ErrorCode::kInvalidArgument,
      fmt::format("{} of {} ranks takes {} MiB; a schedule file has at most {}", written.name,
                  written.request().world, text.size() >> 20, json::kMostBytes >> 20));
}

Result<std::string> write_algorithm(const algorithms::Algorithm& algorithm,
                                    schedule::Request request, std::size_t count) {
  const int world = request.world;
  if (world > schedule::kMostWrittenRanks) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} ranks: a schedule file has at most {}", world,
                              schedule::kMostWrittenRanks));
  }
  request.rows = algorithm.rows(request, count);
  schedule::WrittenSchedule written{.name = fmt::format("my_{}", algorithm.name),
                                    .summary = std::string(algorithm.summary),
                                    .ranks = {}};
  RONDO_TRY(write_ranks(algorithm, request, written));
  return write_schedule(written);
}

}  // namespace rondo::verify
