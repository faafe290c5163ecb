#include "collectives/schedule/sweep_turns.h"

#include <algorithm>

namespace rondo::schedule {

SweepTurns::SweepTurns(const FusedSchedule& first, RotationStep& step) : step_(step) {
  for (const std::vector<Sweep>& lane : first.lanes) orders_.emplace_back(lane.size());
}

bool SweepTurns::turn(const FusedSchedule& own, const FusedSchedule& next) {
  if (own.lanes.size() != orders_.size() || next.lanes.size() != orders_.size()) return false;
  if (!step_.turns(own.request, next.request)) return false;
  for (std::size_t lane = 0; lane < orders_.size(); ++lane) {
    const std::size_t sweeps = orders_[lane].size();
    if (own.lanes[lane].size() != sweeps || next.lanes[lane].size() != sweeps) return false;
    for (std::size_t index = 0; index < sweeps; ++index) {
      if (!turn(own, next, lane, index)) return false;
    }
  }
  return step_.turns(own.scratch_rows, next.scratch_rows);
}

bool SweepTurns::turn(const FusedSchedule& own, const FusedSchedule& next, std::size_t lane,
                      std::size_t index) {
  const Sweep& a = own.lanes[lane][index];
  const Sweep& b = next.lanes[lane][index];
  if (a.is_wait || b.is_wait) {
    return a.is_wait == b.is_wait && a.wait_lane == b.wait_lane && a.wait_sweep == b.wait_sweep;
  }
  if (a.final != b.final || !step_.turns(a.row, b.row)) return false;
  if (!turn_in_order(targets_of(own, a), targets_of(next, b))) return false;
  const auto sources = sources_of(own, a);
  const auto next_sources = sources_of(next, b);
  if (sources.size() == 1) return turn_in_order(sources, next_sources);
  Orders& orders = orders_[lane][index];
  orders.turned = orders.turned && turn_in_order(sources, next_sources);
  orders.by_rank = orders.by_rank && turn_by_rank(own, sources, next, next_sources);
  return orders.turned || orders.by_rank;
}

bool SweepTurns::turn(const Port& own, const Port& next) {
  if (own.kind != next.kind) return false;
  return own.is_channel() ? step_.turns_rank(own.peer, next.peer)
                          : step_.turns(own.slice, next.slice);
}

bool SweepTurns::turn_in_order(std::span<const Port> own, std::span<const Port> next) {
  return std::ranges::equal(own, next, [this](const Port& a, const Port& b) { return turn(a, b); });
}

bool SweepTurns::turn_by_rank(const FusedSchedule& own, std::span<const Port> sources,
                              const FusedSchedule& next, std::span<const Port> next_sources) {
  if (sources.size() != next_sources.size()) return false;
  if (!are_by_rank(own, sources) || !are_by_rank(next, next_sources)) return false;
  const auto rank_of = [&](const Port& port) { return source_rank(next, port); };
  return std::ranges::all_of(sources, [&](const Port& port) {
    if (!step_.has_rank(source_rank(own, port))) return false;
    const Rank turned = step_.next_rank(source_rank(own, port));
    const auto same = std::ranges::lower_bound(next_sources, turned, {}, rank_of);
    return same != next_sources.end() && rank_of(*same) == turned && turn(port, *same);
  });
}

bool SweepTurns::agree() const {
  return std::ranges::all_of(orders_, [](const auto& lane) {
    return std::ranges::all_of(lane, [](Orders own) { return own.turned || own.by_rank; });
  });
}

void SweepTurns::mark(FusedSchedule& base) const {
  for (std::size_t lane = 0; lane < orders_.size(); ++lane) {
    for (std::size_t index = 0; index < orders_[lane].size(); ++index) {
      base.lanes[lane][index].by_rank = !orders_[lane][index].turned;
    }
  }
}

}  // namespace rondo::schedule
