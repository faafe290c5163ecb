#include "collectives/communicator/schedule_cache.h"

#include <algorithm>
#include <utility>

#include "collectives/schedule/fuse.h"

namespace rondo::communicator {
namespace {

using schedule::FoldedWorld;
using schedule::FusedSchedule;
using schedule::Request;

bool is_same(const Request& a, const Request& b) {
  return a.collective == b.collective && a.world == b.world && a.rank == b.rank &&
         a.root == b.root && a.rows == b.rows && a.layout == b.layout;
}

std::size_t steps_of(const FusedSchedule& schedule) {
  std::size_t steps = schedule.ports.size() + schedule.scratch_rows.size();
  for (const auto& lane : schedule.lanes) steps += lane.size();
  return steps;
}

std::size_t steps_of(const KnownSchedules& known) {
  std::size_t steps = steps_of(known.own->schedule);
  for (const auto& [peer, rows] : known.own->scratch_rows) steps += rows.size();
  if (known.world == nullptr) return steps;
  for (const FusedSchedule& base : known.world->bases) steps += steps_of(base);
  return steps;
}

}  // namespace

OwnPart own_part(const FoldedWorld& world, schedule::Rank rank) {
  OwnPart own{.schedule = unfold(world, rank), .scratch_rows = {}};
  for (const schedule::Port& port : own.schedule.ports) {
    if (!port.direct || port.slice.buffer != schedule::BufferRole::kScratch) continue;
    const auto [rows, is_new] = own.scratch_rows.try_emplace(port.peer);
    if (is_new) rows->second = schedule::scratch_rows(world, port.peer);
  }
  return own;
}

KnownSchedules ScheduleCache::of(const algorithms::Algorithm& algorithm, const Request& request) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.algorithm == &algorithm && is_same(entry.request, request);
  });
  if (found != entries_.end()) {
    std::rotate(found, found + 1, entries_.end());
    return entries_.back().known;
  }
  Entry entry = build(algorithm, request);
  while (!entries_.empty() && (entries_.size() >= kMost || steps_ + entry.steps > kMostSteps)) {
    steps_ -= entries_.front().steps;
    entries_.erase(entries_.begin());
  }
  steps_ += entry.steps;
  return entries_.emplace_back(std::move(entry)).known;
}

ScheduleCache::Entry ScheduleCache::build(const algorithms::Algorithm& algorithm,
                                          const Request& request) {
  ++builds_;
  auto world = std::make_shared<const FoldedWorld>(schedule::fuse_folded([&](int rank) {
    Request of_rank = request;
    of_rank.rank = rank;
    return algorithm.build(of_rank);
  }));
  Entry entry{.algorithm = &algorithm, .request = request, .known = {}};
  entry.known.own = std::make_shared<const OwnPart>(own_part(*world, request.rank));
  if (keep_ == Keep::kWorld) entry.known.world = std::move(world);
  entry.steps = steps_of(entry.known);
  return entry;
}

void ScheduleCache::forget() {
  entries_.clear();
  steps_ = 0;
}

}  // namespace rondo::communicator
