#include "collectives/schedule/fold.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "collectives/schedule/join.h"
#include "collectives/schedule/rotation_step.h"
#include "collectives/schedule/sweep_turns.h"

namespace rondo::schedule {
namespace {

bool turns(RotationStep& step, const Op& op, const Op& next) {
  if (op.kind != next.kind || op.final != next.final || op.lane != next.lane) return false;
  const auto peers = [&] { return step.turns_rank(op.peer, next.peer); };
  const auto sources = [&] { return step.turns(op.source, next.source); };
  const auto targets = [&] { return step.turns(op.target, next.target); };
  switch (op.kind) {
    case OpKind::kSend: return peers() && sources();
    case OpKind::kRecv: return peers() && targets();
    case OpKind::kRecvReduce: return peers() && sources() && targets();
    case OpKind::kCopy: return sources() && targets();
    case OpKind::kReduce: return sources() && step.turns(op.other, next.other) && targets();
    case OpKind::kWait: return op.wait.lane == next.wait.lane && op.wait.op == next.wait.op;
  }
  return false;
}

bool turns(RotationStep& step, const RankSchedule& own, const RankSchedule& next) {
  const auto same_op = [&](const Op& a, const Op& b) { return turns(step, a, b); };
  return step.turns(own.request, next.request) &&
         std::ranges::equal(
             own.lanes, next.lanes,
             [&](const auto& a, const auto& b) { return std::ranges::equal(a, b, same_op); }) &&
         step.turns(own.scratch_rows, next.scratch_rows);
}

/// Calls `compare` with every rank's schedule and the next one's, the last one's and the first's.
template <typename Schedule, typename Build, typename Compare>
bool all_turn(std::span<const Rank> cycle, const Schedule& first, const Build& build,
              const Compare& compare) {
  Schedule own = first;
  for (std::size_t turn = 1; turn < cycle.size(); ++turn) {
    Schedule next = build(cycle[turn]);
    if (!compare(own, next)) return false;
    own = std::move(next);
  }
  return compare(own, first);
}

/// The same for some ranks, among them the first, the last and two in the middle.
template <typename Schedule, typename Build, typename Compare>
bool sample_turns(std::span<const Rank> cycle, const Schedule& first, const Build& build,
                  const Compare& compare) {
  const std::size_t world = cycle.size();
  const auto schedule_of = [&](std::size_t turn) {
    return turn % world == 0 ? first : build(cycle[turn % world]);
  };
  // Neighbours of 1, 2, 4, ... and of their mirror images: ranks' numbers with few and many bits.
  std::vector<std::size_t> turns{0, world - 1, world / 2, world / 3};
  for (std::size_t turn = 1; turn < world; turn *= 8)
    turns.insert(turns.end(), {turn, world - turn});
  std::ranges::sort(turns);
  turns.erase(std::ranges::unique(turns).begin(), turns.end());
  return std::ranges::all_of(
      turns, [&](std::size_t turn) { return compare(schedule_of(turn), schedule_of(turn + 1)); });
}

/// What `find` finds along one of the cycles that are tried; each begins with rank 0.
template <typename Find>
auto along_some_cycle(const Request& request, const Find& find)
    -> decltype(find(std::span<const Rank>())) {
  if (request.world == 1 || has_root(request.collective)) return std::nullopt;
  std::vector<Rank> cycle(static_cast<std::size_t>(request.world));
  std::iota(cycle.begin(), cycle.end(), 0);
  if (auto found = find(cycle)) return found;
  if (!request.layout || request.layout->world() != request.world) return std::nullopt;
  const std::span<const Rank> order = request.layout->order();
  if (std::ranges::equal(cycle, order)) return std::nullopt;
  cycle.assign(order.begin(), order.end());
  std::ranges::rotate(cycle, std::ranges::find(cycle, 0));
  return find(cycle);
}

/// `all(cycle, first, build, compare)` is all_turn or sample_turns.
template <typename All>
std::optional<Folded<RankSchedule>> fold_by(const RankSchedule& first, const BuildSchedule& build,
                                            const All& all) {
  const Request& request = first.request;
  const auto find = [&](std::span<const Rank> cycle) -> std::optional<Folded<RankSchedule>> {
    RotationStep step(cycle, request.rows);
    const auto compare = [&](const auto& own, const auto& next) { return turns(step, own, next); };
    if (!all(cycle, first, build, compare)) return std::nullopt;
    auto rotation = step.rotation(request.collective);
    if (!rotation) return std::nullopt;
    return Folded<RankSchedule>{std::move(*rotation), {first}};
  };
  return along_some_cycle(request, find);
}

template <typename Turns>
std::optional<FoldedWorld> fold_joined_by(const RankSchedule& first, const BuildSchedule& build,
                                          const Turns& turns) {
  const Request& request = first.request;
  const FusedSchedule joined = join_neighbours(first);
  const auto join = [&](Rank rank) { return join_neighbours(build(rank)); };
  const auto find = [&](std::span<const Rank> cycle) -> std::optional<FoldedWorld> {
    RotationStep step(cycle, request.rows);
    SweepTurns sweeps(joined, step);
    const auto compare = [&](const auto& own, const auto& next) { return sweeps.turn(own, next); };
    if (!turns(cycle, joined, join, compare) || !sweeps.agree()) return std::nullopt;
    auto rotation = step.rotation(request.collective);
    if (!rotation) return std::nullopt;
    FoldedWorld folded{std::move(*rotation), {joined}};
    sweeps.mark(folded.bases[0]);
    return folded;
  };
  return along_some_cycle(request, find);
}

constexpr auto kAll = [](auto cycle, const auto& own, const auto& build, const auto& compare) {
  return all_turn(cycle, own, build, compare);
};
constexpr auto kSample = [](auto cycle, const auto& own, const auto& build, const auto& compare) {
  return sample_turns(cycle, own, build, compare);
};

}  // namespace

std::optional<Folded<RankSchedule>> fold(const RankSchedule& first, const BuildSchedule& build) {
  return fold_by(first, build, kAll);
}

std::optional<FoldedWorld> fold_joined(const RankSchedule& first, const BuildSchedule& build) {
  return fold_joined_by(first, build, kAll);
}

std::optional<FoldedWorld> fold_joined_sample(const RankSchedule& first,
                                              const BuildSchedule& build) {
  // Ops that are turns of each other join to sweeps that are: most worlds needn't be joined to see.
  if (auto folded = fold_by(first, build, kSample))
    return FoldedWorld{std::move(folded->rotation), {join_neighbours(first)}};
  return fold_joined_by(first, build, kSample);
}

Folded<RankSchedule> whole_world(const RankSchedule& first, const BuildSchedule& build) {
  const int world = first.request.world;
  Folded<RankSchedule> all{Rotation::none(world), {first}};
  for (Rank rank = 1; rank < world; ++rank) all.bases.push_back(build(rank));
  return all;
}

}  // namespace rondo::schedule
