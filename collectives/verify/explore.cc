#include "collectives/verify/explore.h"

#include <algorithm>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include "collectives/verify/postcondition.h"
#include "collectives/verify/world_memory.h"

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Slice;
using schedule::Sweep;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

/// What memory holds that nothing was stored to: no sum equals it, and what a twice divided value
/// becomes.
Value garbage() { return contribution(-1, 0); }

struct Message {
  Value value;
  CellId lent = kNoCell;    ///< the value is read there when the message is consumed
  CellId stored = kNoCell;  ///< the value already lies there
  std::uint32_t row = 0;
  std::uint32_t lane = 0;  ///< of the sender, in lanes of the world
  std::uint32_t sweep = 0;
  std::uint64_t known = 0;
};

struct State {
  std::vector<std::uint32_t> next;   ///< per lane of the world
  std::vector<std::uint64_t> known;  ///< per rank: whose start it knows
  std::vector<Value> cells;
  std::vector<std::uint32_t> fill;  ///< per channel: messages in it
  std::vector<Message> slots;       ///< `credits` per channel, the oldest message first
};

class Explorer {
 public:
  Explorer(std::span<const FusedSchedule> world, const Model& model)
      : world_(world), model_(model), lanes_(world), layout_(world, lanes_, model.in_place) {
    has_memory_ = world[0].request.collective != Collective::kBarrier;
    for (const FusedSchedule& own : world) {
      start_.known.push_back(std::uint64_t{1} << own.request.rank);
      for (const Port& port : own.ports) has_direct_ = has_direct_ || port.direct;
    }
    start_.next.resize(lanes_.size());
    start_.cells.assign(layout_.size(), garbage());
    start_.fill.resize(lanes_.channels());
    start_.slots.resize(start_.fill.size() * model.credits);
    for (const FusedSchedule& own : world) fill_input(own);
  }

  /// Nothing where there are more states than `most`.
  std::optional<bool> all_orders_end_well(std::size_t most) {
    std::vector<State> open{start_};
    std::unordered_set<std::uint64_t> seen{hash(start_)};
    while (!open.empty()) {
      const State state = std::move(open.back());
      open.pop_back();
      const std::vector<LaneId> next = choices(state);
      if (next.empty() && !ends_well(state)) return false;
      for (const LaneId lane : next) {
        State after = state;
        if (!execute(after, lane)) return false;
        if (!seen.insert(hash(after)).second) continue;
        if (seen.size() > most) return std::nullopt;
        open.push_back(std::move(after));
      }
    }
    return true;
  }

  bool random_order_ends_well(std::uint32_t seed) {
    std::minstd_rand random(seed + 1);
    State state = start_;
    for (;;) {
      std::vector<LaneId> ready;
      for (LaneId lane = 0; lane < lanes_.size(); ++lane) {
        if (is_ready(state, lane)) ready.push_back(lane);
      }
      if (ready.empty()) return ends_well(state);
      if (!execute(state, ready[random() % ready.size()])) return false;
    }
  }

 private:
  /// Whether the next sweep of a ready lane commutes with all that other ranks can do before it, so
  /// that it may go first. Ranks meet in channels, whose two ends commute, and in lent memory.
  bool may_go_first(const State& state, LaneId id) const {
    if (!lanes_.has_one_lane_per_rank()) return false;
    if (!model_.lent || !has_memory_) return true;
    if (has_direct_) return false;
    const Sweep& sweep = lanes_.sweeps(id)[state.next[id]];
    for (const Port& port : lanes_.sources(id, sweep)) {
      if (port.is_channel()) return false;
    }
    for (const Port& port : lanes_.targets(id, sweep)) {
      if (port.is_channel()) continue;
      if (is_lent(state, layout_.cell(lanes_.rank(id), port.slice))) return false;
    }
    return true;
  }

  bool is_lent(const State& state, CellId cell) const {
    for (std::size_t index = 0; index < state.fill.size(); ++index) {
      for (const Message& message : messages(state, index)) {
        if (message.lent == cell) return true;
      }
    }
    return false;
  }

  /// The lanes whose next sweeps have to be tried from here.
  std::vector<LaneId> choices(const State& state) const {
    std::vector<LaneId> ready;
    for (LaneId lane = 0; lane < lanes_.size(); ++lane) {
      if (!is_ready(state, lane)) continue;
      if (may_go_first(state, lane)) return {lane};
      ready.push_back(lane);
    }
    return ready;
  }

  void fill_input(const FusedSchedule& own) {
    const schedule::RowRange rows = input_rows(own.request);
    for (std::uint32_t row = rows.begin; row < rows.begin + rows.count; ++row) {
      const CellId cell = layout_.cell(own.request.rank, {BufferRole::kInput, row});
      start_.cells[cell] = contribution(own.request.rank, row);
    }
  }

  bool is_ready(const State& state, LaneId id) const {
    if (state.next[id] >= lanes_.sweeps(id).size()) return false;
    const Sweep& sweep = lanes_.sweeps(id)[state.next[id]];
    if (sweep.is_wait) return wait_is_over(state, id, sweep);
    for (const Port& port : lanes_.sources(id, sweep)) {
      if (!port.is_channel()) continue;
      if (state.fill[lanes_.channel_from(id, port.peer)] == 0) return false;
    }
    for (const Port& port : lanes_.targets(id, sweep)) {
      if (!port.is_channel()) continue;
      if (state.fill[lanes_.channel_to(id, port.peer)] == model_.credits) return false;
    }
    return true;
  }

  bool wait_is_over(const State& state, LaneId id, const Sweep& sweep) const {
    const LaneId target = lanes_.first_of(lanes_.rank(id)) + sweep.wait_lane;
    if (state.next[target] <= sweep.wait_sweep) return false;
    if (!model_.lent) return true;
    for (std::size_t index = 0; index < state.fill.size(); ++index) {
      for (const Message& message : messages(state, index)) {
        if (message.lane == target && message.sweep == sweep.wait_sweep) return false;
      }
    }
    return true;
  }

  std::span<const Message> messages(const State& state, std::size_t index) const {
    return std::span(state.slots).subspan(index * model_.credits, state.fill[index]);
  }

  Message pop(State& state, std::size_t index) const {
    const auto oldest = state.slots.begin() + static_cast<std::ptrdiff_t>(index * model_.credits);
    const Message message = *oldest;
    std::copy(oldest + 1, oldest + state.fill[index], oldest);
    --state.fill[index];
    return message;
  }

  /// False where the sweep can't be carried out at all: sizes differ, or a stored message arrives
  /// at a sweep that doesn't simply receive it.
  bool execute(State& state, LaneId id) {
    const Sweep& sweep = lanes_.sweeps(id)[state.next[id]];
    if (!sweep.is_wait) {
      Value value;
      bool stored = false;
      if (!take(state, id, sweep, value, stored)) return false;
      if (sweep.final) {
        if (value.divided) value = garbage();
        value.divided = true;
      }
      if (!stored) put(state, id, sweep, value);
    }
    ++state.next[id];
    return true;
  }

  bool take(State& state, LaneId id, const Sweep& sweep, Value& value, bool& stored) {
    bool first = true;
    for (const Port& port : lanes_.sources(id, sweep)) {
      Value source;
      if (!port.is_channel()) {
        if (has_memory_) source = state.cells[layout_.cell(lanes_.rank(id), port.slice)];
      } else {
        const Message message = pop(state, lanes_.channel_from(id, port.peer));
        if (message.row != sweep.row) return false;
        state.known[at(lanes_.rank(id))] |= message.known;
        source = message.lent == kNoCell ? message.value : state.cells[message.lent];
        if (message.stored != kNoCell) {
          if (!simply_receives(id, sweep, message.stored)) return false;
          stored = true;
        }
      }
      const bool spoilt = !first && (value.divided || source.divided);
      value = first ? source : spoilt ? garbage() : combine(value, source);
      first = false;
    }
    return true;
  }

  bool simply_receives(LaneId id, const Sweep& sweep, CellId cell) const {
    const auto own = lanes_.targets(id, sweep);
    return sweep.source_count == 1 && own.size() == 1 && !own[0].is_channel() &&
           layout_.cell(lanes_.rank(id), own[0].slice) == cell;
  }

  void put(State& state, LaneId id, const Sweep& sweep, const Value& value) {
    CellId backing = kNoCell;
    for (const Port& port : lanes_.targets(id, sweep)) {
      if (port.is_channel() || !has_memory_) continue;
      const CellId cell = layout_.cell(lanes_.rank(id), port.slice);
      if (backing == kNoCell) backing = cell;
      state.cells[cell] = value;
    }
    if (backing == kNoCell && has_memory_) {
      backing = layout_.cell(lanes_.rank(id), lanes_.sources(id, sweep)[0].slice);
    }
    for (const Port& port : lanes_.targets(id, sweep)) {
      if (!port.is_channel()) continue;
      Message message{.value = value,
                      .row = sweep.row,
                      .lane = id,
                      .sweep = state.next[id],
                      .known = state.known[at(lanes_.rank(id))]};
      if (model_.lent && has_memory_ && port.direct) {
        message.stored = layout_.cell(port.peer, port.slice);
        state.cells[message.stored] = value;
      } else if (model_.lent && has_memory_) {
        message.lent = backing;
      }
      const std::size_t index = lanes_.channel_to(id, port.peer);
      state.slots[index * model_.credits + state.fill[index]++] = message;
    }
  }

  bool ends_well(const State& state) const {
    for (LaneId id = 0; id < lanes_.size(); ++id) {
      if (state.next[id] < lanes_.sweeps(id).size()) return false;
    }
    if (std::count(state.fill.begin(), state.fill.end(), 0U) !=
        static_cast<std::ptrdiff_t>(state.fill.size())) {
      return false;
    }
    const Outcome outcome{
        [&](Rank rank, Slice slice) { return &state.cells[layout_.cell(rank, slice)]; },
        [&](Rank rank, Rank other) { return (state.known[at(rank)] >> other & 1) != 0; }};
    return check_postcondition(world_, outcome, nullptr).ok();
  }

  std::uint64_t hash(const State& state) const {
    std::uint64_t hash = 0;
    const auto add = [&](std::uint64_t word) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15 + 1;
      hash ^= hash >> 29;
    };
    const auto add_value = [&](const Value& value) {
      add(value.sum);
      add(value.tree + (value.divided ? 1 : 0));
    };
    for (const std::uint32_t next : state.next) add(next);
    for (const std::uint64_t known : state.known) add(known);
    for (const Value& value : state.cells) add_value(value);
    for (std::size_t index = 0; index < state.fill.size(); ++index) {
      if (state.fill[index] == 0) continue;
      add(index << 32 | state.fill[index]);
      for (const Message& message : messages(state, index)) {
        add_value(message.value);
        add(std::uint64_t{message.lane} << 32 | message.sweep);
        add(message.known);
      }
    }
    return hash;
  }

  std::span<const FusedSchedule> world_;
  Model model_;
  LaneTable lanes_;
  WorldMemory layout_;
  bool has_memory_ = true;  ///< a barrier's row is empty
  bool has_direct_ = false;
  State start_;
};

}  // namespace

Verdict explore(std::span<const FusedSchedule> world, const Model& model,
                const ExploreLimits& limits) {
  Explorer explorer(world, model);
  // A wrong schedule mostly fails in a few orders already: look at those before all of them.
  for (std::uint32_t seed = 0; seed < limits.random_orders; ++seed) {
    if (!explorer.random_order_ends_well(seed)) return Verdict::kBad;
  }
  const std::optional<bool> all = explorer.all_orders_end_well(limits.states);
  if (!all) return Verdict::kSampled;
  return *all ? Verdict::kGood : Verdict::kBad;
}

}  // namespace rondo::verify
