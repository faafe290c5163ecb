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

bool uses_channel(std::span<const Port> ports, Rank peer) {
  return std::any_of(ports.begin(), ports.end(),
                     [&](const Port& port) { return is_channel(port) && port.peer == peer; });
}

bool names(std::span<const Port> ports, Slice slice) {
  return std::any_of(ports.begin(), ports.end(),
                     [&](const Port& port) { return is_memory(port) && port.slice == slice; });
}

class Joiner {
 public:
  explicit Joiner(const RankSchedule& schedule) : lowered_(lower(schedule)) { note_scratch(); }

  FusedSchedule run() {
    for (std::size_t lane = 0; lane < lowered_.lanes.size(); ++lane) {
      std::vector<Draft>& drafts = lanes_.emplace_back();
      std::vector<std::uint32_t>& sweep_of = sweep_of_op_.emplace_back();
      for (std::size_t op = 0; op < lowered_.lanes[lane].size(); ++op) {
        Draft next = draft_of(lane, op);
        if (drafts.empty() || !join(drafts.back(), next, lane)) drafts.push_back(std::move(next));
        drafts.back().last_op = op;
        sweep_of.push_back(static_cast<std::uint32_t>(drafts.size() - 1));
      }
      for (Draft& draft : drafts) drop_dead_stores(draft, lane);
    }
    return finish();
  }

 private:
  Draft draft_of(std::size_t lane, std::size_t op) const {
    const Sweep& sweep = lowered_.lanes[lane][op];
    Draft draft;
    draft.sweep = sweep;
    const auto sources = lowered_.ports.begin() + sweep.first_source;
    const auto targets = lowered_.ports.begin() + sweep.first_target;
    draft.sources.assign(sources, sources + sweep.source_count);
    draft.targets.assign(targets, targets + sweep.target_count);
    return draft;
  }

  bool join(Draft& draft, const Draft& next, std::size_t lane) const {
    if (draft.sweep.is_wait || next.sweep.is_wait || draft.sweep.row != next.sweep.row) {
      return false;
    }
    if (next.sources.size() == 1 && is_memory(next.sources[0])) return join_target(draft, next);
    return join_reduction(draft, next, lane);
  }

  /// A send or copy of the value that `draft` just stored, or one more send of what it sends.
  static bool join_target(Draft& draft, const Draft& next) {
    const Slice value = next.sources[0].slice;
    const Port& target = next.targets[0];
    const std::optional<Slice> stored = draft.first_stored();
    const bool resends = !stored && draft.sources[0].slice == value && is_channel(target);
    // The memory behind the messages of a sweep is its first stored slice: only that may be sent.
    if (!resends && stored != value) return false;
    if (is_channel(target) ? uses_channel(draft.targets, target.peer)
                           : names(draft.targets, target.slice)) {
      return false;
    }
    draft.targets.push_back(target);
    return true;
  }

  /// A reduction that takes the accumulator which `draft` just stored, and is its only reader.
  bool join_reduction(Draft& draft, const Draft& next, std::size_t lane) const {
    if (draft.targets.size() != 1 || draft.sends() || draft.sweep.final) return false;
    if (next.sources.size() != 2) return false;
    const Slice accumulator = draft.targets[0].slice;
    const bool is_first = is_memory(next.sources[0]) && next.sources[0].slice == accumulator;
    const Port& other = next.sources[is_first ? 1 : 0];
    const Port& taken = next.sources[is_first ? 0 : 1];
    if (!is_memory(taken) || taken.slice != accumulator) return false;
    if (is_memory(other) ? other.slice == accumulator : uses_channel(draft.sources, other.peer)) {
      return false;
    }
    const bool overwritten = next.targets[0].slice == accumulator;
    if (!overwritten && !is_dead(draft.targets[0], lane, next.sweep.first_op)) return false;
    draft.sources.push_back(other);
    draft.targets = next.targets;
    draft.sweep.final = next.sweep.final;
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

  void drop_dead_stores(Draft& draft, std::size_t lane) const {
    const bool sends = draft.sends();
    const std::optional<Slice> first = draft.first_stored();
    const auto dropped =
        std::remove_if(draft.targets.begin(), draft.targets.end(), [&](const Port& port) {
          const bool backs_messages = sends && is_memory(port) && port.slice == first;
          return draft.targets.size() > 1 && !backs_messages && is_dead(port, lane, draft.last_op);
        });
    draft.targets.erase(dropped, draft.targets.end());
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

  FusedSchedule finish() {
    fused_.request = lowered_.request;
    new_slot_.assign(lowered_.scratch_rows.size(), kUnused);
    for (std::vector<Draft>& drafts : lanes_) {
      std::vector<Sweep>& lane = fused_.lanes.emplace_back();
      for (Draft& draft : drafts) {
        Sweep sweep = draft.sweep;
        if (sweep.is_wait) sweep.wait_sweep = sweep_of_op_[sweep.wait_lane][sweep.wait_sweep];
        sweep.first_source = add_ports(draft.sources);
        sweep.source_count = static_cast<std::uint32_t>(draft.sources.size());
        sweep.first_target = add_ports(draft.targets);
        sweep.target_count = static_cast<std::uint32_t>(draft.targets.size());
        lane.push_back(sweep);
      }
    }
    return std::move(fused_);
  }

  static constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  FusedSchedule lowered_;
  std::vector<std::vector<Access>> accesses_;  ///< per slot, by lane and op
  std::vector<std::vector<Draft>> lanes_;
  std::vector<std::vector<std::uint32_t>> sweep_of_op_;
  std::vector<std::uint32_t> new_slot_;
  FusedSchedule fused_;
};

}  // namespace

FusedSchedule join_neighbours(const RankSchedule& schedule) { return Joiner(schedule).run(); }

}  // namespace rondo::schedule
