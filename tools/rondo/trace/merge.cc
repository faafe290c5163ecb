#include "tools/rondo/trace/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "tools/rondo/trace/clock_offsets.h"

namespace rondo::tool {
namespace {

using nlohmann::json;

constexpr double kMicrosecondsPerNs = 1e-3;
/// No rank's file begins so: an event of no rank, which viewers pass over.
constexpr std::string_view kMergedBegin =
    "[\n{\"name\":\"rondo_merged\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{}}";

void check_job(const std::vector<const RankTrace*>& ranks) {
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const RankTrace& one = *ranks[i - 1];
    const RankTrace& other = *ranks[i];
    if (one.rank == other.rank)
      throw std::runtime_error(fmt::format("{} and {} are both of rank {} of job {}", one.path,
                                           other.path, one.rank, one.job));
    if (one.world != other.world)
      throw std::runtime_error(
          fmt::format("{} is of a world of {}, {} of one of {}, though both "
                      "are of job {}",
                      one.path, one.world, other.path, other.world, one.job));
  }
}

void append(std::string& text, const RankTrace& rank, int process, std::int64_t offset_ns) {
  for (const json& event : rank.events) {
    json moved = event;
    moved["pid"] = process;
    const auto time = moved.find("ts");
    if (time != moved.end())
      *time = time->get<double>() + static_cast<double>(offset_ns) * kMicrosecondsPerNs;
    if (moved.value("name", "") == "rondo") moved["args"]["clock_offset_ns"] = offset_ns;
    text += ",\n" + moved.dump(-1, ' ', true, json::error_handler_t::replace);
  }
}

}  // namespace

std::vector<std::vector<const RankTrace*>> by_job(const std::vector<RankTrace>& traces) {
  std::map<std::string, std::vector<const RankTrace*>> jobs;
  for (const RankTrace& trace : traces) jobs[trace.job].push_back(&trace);
  std::vector<std::vector<const RankTrace*>> list;
  for (auto& [name, ranks] : jobs) {
    std::ranges::sort(ranks, {}, &RankTrace::rank);
    check_job(ranks);
    list.push_back(std::move(ranks));
  }
  std::ranges::stable_sort(list, std::greater(), &std::vector<const RankTrace*>::size);
  return list;
}

std::string merge(const std::vector<std::vector<const RankTrace*>>& jobs) {
  std::string text(kMergedBegin);
  const std::map<std::string, ClockOffset> offsets = estimate_offsets(jobs);
  int first_process = 0;
  for (const auto& ranks : jobs) {
    for (const RankTrace* rank : ranks)
      append(text, *rank, first_process + rank->rank, offsets.at(rank->clock).ns);
    first_process += ranks.front()->world;
  }
  return text + "\n]\n";
}

bool is_merged(std::string_view text) { return text.starts_with(kMergedBegin); }

}  // namespace rondo::tool
