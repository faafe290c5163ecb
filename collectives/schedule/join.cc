#include "collectives/schedule/join.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rondo::schedule {
namespace {

bool is_memory(const Port& port) { return !port.is_channel(); }
bool is_channel(const Port& port) { return port.is_channel(); }
bool is_scratch(const Port& port) {
  return is_memory(port) && port.slice.buffer == BufferRole::kScratch;
}

/// Most sweeps have no more ports on a side than this.
using Ports = boost::container::small_vector<Port, 2>;

/// A sweep while it grows.
struct Draft {
  Ports sources;
  Ports targets;
  Sweep sweep;  ///< all but the port indices
  std::size_t last_op = 0;

  bool sends() const { return std::any_of(targets.begin(), targets.end(), is_channel); }
  std::optional<Slice> first_stored() const {
    const auto found = std::find_if(targets.begin(), targets.end(), is_memory);
    return found == targets.end() ? std::nullopt : std::optional(found->slice);
  }
};

/// An op that may be joined to a draft.
struct Next {
  std::size_t op;
  const Sweep& sweep;
  std::span<const Port> sources;
  std::span<const Port> targets;
};

/// Whose channels the newest draft uses. Asked for every op: a look at each port while these are
/// few, which they are in most sweeps, then a table of all ranks.
class UsedChannels {
 public:
  explicit UsedChannels(int world) : world_(static_cast<std::size_t>(world)) {}

  void begin_draft() {
    if (used_.size() > kFew) is_used_.assign(world_, false);
    used_.clear();
  }
  void use(const Port& port) {
    if (!is_channel(port)) return;
    used_.push_back(port.peer);
    if (used_.size() <= kFew) return;
    is_used_.resize(world_, false);
    if (used_.size() > kFew + 1) return mark(port.peer);
    for (const Rank peer : used_) mark(peer);
  }
  bool has(Rank peer) const {
    if (used_.size() > kFew && is_rank(peer)) return is_used_[static_cast<std::size_t>(peer)];
    return std::ranges::find(used_, peer) != used_.end();
  }

 private:
  static constexpr std::size_t kFew = 16;
  bool is_rank(Rank peer) const { return peer >= 0 && static_cast<std::size_t>(peer) < world_; }
  void mark(Rank peer) {
    if (is_rank(peer)) is_used_[static_cast<std::size_t>(peer)] = true;
  }

  std::size_t world_;
  std::vector<Rank> used_;
  std::vector<bool> is_used_;  ///< per rank, where there are more than kFew
};

bool names(std::span<const Port> ports, Slice slice) {
  return std::any_of(ports.begin(), ports.end(),
                     [&](const Port& port) { return is_memory(port) && port.slice == slice; });
}

class Joiner {
 public:
  explicit Joiner(const RankSchedule& schedule)
      : lowered_(lower(schedule)),
        used_sources_(schedule.request.world),
        used_targets_(schedule.request.world) {
    note_scratch();
  }

  FusedSchedule run() {
    fused_.request = lowered_.request;
    fused_.ports.reserve(lowered_.ports.size());
    new_slot_.assign(lowered_.scratch_rows.size(), kUnused);
    for (std::size_t lane = 0; lane < lowered_.lanes.size(); ++lane) join_lane(lane);
    number_waits();
    return std::move(fused_);
  }

 private:
  void join_lane(std::size_t lane) {
    const std::vector<Sweep>& ops = lowered_.lanes[lane];
    fused_.lanes.emplace_back().reserve(ops.size());
    std::vector<std::uint32_t>& sweep_of = sweep_of_op_.emplace_back();
    sweep_of.reserve(ops.size());
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const Next next{op, ops[op], sources_of(lowered_, ops[op]), targets_of(lowered_, ops[op])};
      if (op == 0 || !join(next, lane)) {
        if (op > 0) finish_draft(lane);
        begin_draft(next);
      }
      draft_.last_op = op;
      sweep_of.push_back(static_cast<std::uint32_t>(fused_.lanes[lane].size()));
    }
    if (!ops.empty()) finish_draft(lane);
  }

  void begin_draft(const Next& next) {
    used_sources_.begin_draft();
    used_targets_.begin_draft();
    std::ranges::for_each(next.sources, [this](const Port& port) { used_sources_.use(port); });
    std::ranges::for_each(next.targets, [this](const Port& port) { used_targets_.use(port); });
    draft_.sweep = next.sweep;
    draft_.sources.assign(next.sources.begin(), next.sources.end());
    draft_.targets.assign(next.targets.begin(), next.targets.end());
  }

  bool join(const Next& next, std::size_t lane) {
    const Sweep& own = draft_.sweep;
    if (own.is_wait || next.sweep.is_wait || own.row != next.sweep.row) return false;
    if (next.sources.size() == 1 && is_memory(next.sources[0])) return join_target(next);
    return join_reduction(next, lane);
  }

  /// A send or copy of the value that the draft just stored, or one more send of what it sends.
  bool join_target(const Next& next) {
    const Slice value = next.sources[0].slice;
    const Port& target = next.targets[0];
    const std::optional<Slice> stored = draft_.first_stored();
    const bool resends = !stored && draft_.sources[0].slice == value && is_channel(target);
    // The memory behind the messages of a sweep is its first stored slice: only that may be sent.
    if (!resends && stored != value) return false;
    if (is_channel(target) ? used_targets_.has(target.peer) : names(draft_.targets, target.slice)) {
      return false;
    }
    used_targets_.use(target);
    draft_.targets.push_back(target);
    return true;
  }

  /// A reduction that takes the accumulator which the draft just stored, and is its only reader.
  bool join_reduction(const Next& next, std::size_t lane) {
    if (draft_.targets.size() != 1 || draft_.sends() || draft_.sweep.final) return false;
    if (next.sources.size() != 2) return false;
    const Slice accumulator = draft_.targets[0].slice;
    const bool is_first = is_memory(next.sources[0]) && next.sources[0].slice == accumulator;
    const Port& other = next.sources[is_first ? 1 : 0];
    const Port& taken = next.sources[is_first ? 0 : 1];
    if (!is_memory(taken) || taken.slice != accumulator) return false;
    if (is_memory(other) ? other.slice == accumulator : used_sources_.has(other.peer)) {
      return false;
    }
    const bool overwritten = next.targets[0].slice == accumulator;
    if (!overwritten && !is_dead(draft_.targets[0], lane, next.op)) return false;
    used_sources_.use(other);
    draft_.sources.push_back(other);
    draft_.targets.assign(next.targets.begin(), next.targets.end());
    draft_.sweep.final = next.sweep.final;
    return true;
  }

  /// Whether nobody reads what `port` holds after op `op` of `lane`.
  bool is_dead(const Port& port, std::size_t lane, std::size_t op) const {
    if (!is_scratch(port)) return false;
    bool overwritten = false;
    for (const Access& access : accesses_[port.slice.chunk]) {
      if (access.lane != lane) return false;
      if (access.op <= op || overwritten) continue;
      if (access.reads) return false;
      overwritten = true;
    }
    return true;
  }

  /// An op that touches a slot of scratch.
  struct Access {
    std::size_t lane = 0;
    std::size_t op = 0;
    bool reads = false;
  };

  void note_scratch() {
    accesses_.resize(lowered_.scratch_rows.size());
    for (std::size_t lane = 0; lane < lowered_.lanes.size(); ++lane) {
      for (std::size_t op = 0; op < lowered_.lanes[lane].size(); ++op) {
        const Sweep& sweep = lowered_.lanes[lane][op];
        note_scratch(sources_of(lowered_, sweep), {lane, op, true});
        note_scratch(targets_of(lowered_, sweep), {lane, op, false});
      }
    }
  }

  void note_scratch(std::span<const Port> ports, const Access& access) {
    for (const Port& port : ports) {
      if (is_scratch(port)) accesses_[port.slice.chunk].push_back(access);
    }
  }

  void drop_dead_stores(std::size_t lane) {
    Ports& targets = draft_.targets;
    if (targets.size() == 1) return;
    const bool sends = draft_.sends();
    const std::optional<Slice> first = draft_.first_stored();
    const auto dropped = std::remove_if(targets.begin(), targets.end(), [&](const Port& port) {
      const bool backs_messages = sends && is_memory(port) && port.slice == first;
      return !backs_messages && is_dead(port, lane, draft_.last_op);
    });
    targets.erase(dropped, targets.end());
  }

  /// The number of `slice` after unused scratch slots are gone; gives it one where it has none.
  void renumber(Port& port) {
    if (!is_scratch(port)) return;
    const std::uint32_t old = port.slice.chunk;
    if (new_slot_[old] == kUnused) {
      new_slot_[old] = static_cast<std::uint32_t>(fused_.scratch_rows.size());
      fused_.scratch_rows.push_back(lowered_.scratch_rows[old]);
    }
    port.slice.chunk = new_slot_[old];
  }

  std::uint32_t add_ports(std::span<Port> ports) {
    const auto first = static_cast<std::uint32_t>(fused_.ports.size());
    for (Port& port : ports) {
      renumber(port);
      fused_.ports.push_back(port);
    }
    return first;
  }

  void finish_draft(std::size_t lane) {
    drop_dead_stores(lane);
    Sweep sweep = draft_.sweep;
    sweep.first_source = add_ports(draft_.sources);
    sweep.source_count = static_cast<std::uint32_t>(draft_.sources.size());
    sweep.first_target = add_ports(draft_.targets);
    sweep.target_count = static_cast<std::uint32_t>(draft_.targets.size());
    fused_.lanes[lane].push_back(sweep);
  }

  void number_waits() {
    for (std::vector<Sweep>& lane : fused_.lanes) {
      for (Sweep& sweep : lane) {
        if (sweep.is_wait) sweep.wait_sweep = sweep_of_op_[sweep.wait_lane][sweep.wait_sweep];
      }
    }
  }

  static constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  FusedSchedule lowered_;
  UsedChannels used_sources_;
  UsedChannels used_targets_;
  std::vector<std::vector<Access>> accesses_;  ///< per slot, by lane and op
  Draft draft_;                                ///< the newest sweep of the lane
  std::vector<std::vector<std::uint32_t>> sweep_of_op_;
  std::vector<std::uint32_t> new_slot_;
  FusedSchedule fused_;
};

}  // namespace

FusedSchedule join_neighbours(const RankSchedule& schedule) { return Joiner(schedule).run(); }

}  // namespace rondo::schedule
