#include "collectives/schedule/direct_stores.h"

#include <optional>
#include <vector>

namespace rondo::schedule {
namespace {

using SweepId = Causality::SweepId;
using TurnedSweep = Causality::TurnedSweep;

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

/// A sweep that touches some memory, and the peers it sends from there.
struct Access {
  SweepId sweep = 0;
  std::vector<Rank> sent_to;
};

/// One rank's memory, and who touches it. The rows of the input come first, then those of the
/// output that the input doesn't have, then the slots of scratch.
class AccessTable {
 public:
  AccessTable(const FusedSchedule& own, const Causality& causality)
      : input_(input_rows(own.request)),
        output_(output_rows(own.request)),
        first_slot_(input_.count + output_.count),
        places_(first_slot_ + own.scratch_rows.size()) {
    for (std::size_t lane = 0; lane < own.lanes.size(); ++lane) {
      for (std::size_t index = 0; index < own.lanes[lane].size(); ++index) {
        add(own, own.lanes[lane][index], causality.id(own.request.rank, lane, index));
      }
    }
  }

  std::span<const Access> of(Slice slice) const { return places_[place(slice)]; }

 private:
  std::size_t place(Slice slice) const {
    if (slice.buffer == BufferRole::kScratch) return first_slot_ + slice.chunk;
    if (input_.contains(slice.chunk)) return input_.index_of(slice.chunk);
    return std::size_t{input_.count} + output_.index_of(slice.chunk);
  }

  void add(const FusedSchedule& own, const Sweep& sweep, SweepId id) {
    if (sweep.is_wait) return;
    std::vector<Rank> peers;
    for (const Port& port : targets_of(own, sweep)) {
      if (port.is_channel()) peers.push_back(port.peer);
    }
    for (const auto side : {sources_of(own, sweep), targets_of(own, sweep)}) {
      for (const Port& port : side) {
        if (!port.is_channel()) places_[place(port.slice)].push_back({id, {}});
      }
    }
    if (!peers.empty()) places_[place(backing_of(own, sweep))].push_back({id, std::move(peers)});
  }

  RowRange input_;
  RowRange output_;
  std::size_t first_slot_;
  std::vector<std::vector<Access>> places_;
};

/// Where the receiving sweep puts the message, if that is all it does.
std::optional<Slice> plain_target(const FusedSchedule& receiver, const Sweep& sweep) {
  const auto targets = targets_of(receiver, sweep);
  const bool plain = sweep.source_count == 1 && targets.size() == 1 && !targets[0].is_channel();
  return plain ? std::optional(targets[0].slice) : std::nullopt;
}

/// All as the owner's base sees it.
bool is_free(std::span<const Access> accesses, TurnedSweep sender, TurnedSweep receiver,
             const Causality& causality) {
  for (const Access& access : accesses) {
    const TurnedSweep sweep{access.sweep, 0};
    if (sweep == receiver || causality.happens_before(receiver, sweep)) continue;
    if (!causality.happens_before(sweep, sender)) return false;
    for (const Rank peer : access.sent_to) {
      const TurnedSweep consumer = causality.receiver(sweep, peer);
      if (consumer != sender && !causality.happens_before(consumer, sender)) return false;
    }
  }
  return true;
}

class Marker {
 public:
  Marker(std::span<FusedSchedule> bases, const Causality& causality)
      : bases_(bases), causality_(causality) {
    for (const FusedSchedule& own : bases) {
      tables_.emplace_back(own, causality);
      for (const auto& lane : own.lanes) {
        for (const Sweep& sweep : lane) sweeps_.push_back(&sweep);
      }
    }
  }

  void run() {
    for (FusedSchedule& own : bases_) {
      for (std::size_t lane = 0; lane < own.lanes.size(); ++lane) {
        for (std::size_t index = 0; index < own.lanes[lane].size(); ++index) {
          mark(own, own.lanes[lane][index], causality_.id(own.request.rank, lane, index));
        }
      }
    }
  }

 private:
  void mark(FusedSchedule& own, const Sweep& sweep, SweepId sender) {
    for (Port& port : std::span(own.ports).subspan(sweep.first_target, sweep.target_count)) {
      if (!port.is_channel() || !causality_.has_started(port.peer, sender)) continue;
      const Rotation& rotation = causality_.rotation();
      const std::size_t base = at(rotation.base(port.peer));
      const int turn = rotation.turn(port.peer);
      const TurnedSweep receiver = causality_.receiver({sender, 0}, port.peer);
      const auto slice = plain_target(bases_[base], *sweeps_[receiver.id]);
      if (!slice) continue;
      if (!is_free(tables_[base].of(*slice), causality_.turned({sender, 0}, -turn),
                   causality_.turned(receiver, -turn), causality_)) {
        continue;
      }
      port.direct = true;
      port.slice = rotation.turned(*slice, turn);
    }
  }

  std::span<FusedSchedule> bases_;
  const Causality& causality_;
  std::vector<AccessTable> tables_;
  std::vector<const Sweep*> sweeps_;  ///< by SweepId
};

}  // namespace

void mark_direct_stores(std::span<FusedSchedule> bases, const Causality& causality) {
  if (!causality.has_clocks() || bases[0].request.collective == Collective::kBarrier) return;
  Marker(bases, causality).run();
}

}  // namespace rondo::schedule
