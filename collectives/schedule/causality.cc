#include "collectives/schedule/causality.h"

#include <algorithm>
#include <array>
#include <utility>

#include "collectives/schedule/channels.h"

namespace rondo::schedule {
namespace {

constexpr std::size_t kMostClockEntries = std::size_t{1} << 25;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

}  // namespace

/// The run itself: one token per message, no data.
class CausalityRun {
 public:
  CausalityRun(std::span<const FusedSchedule> bases, const Rotation& rotation)
      : world_(bases), rotation_(rotation), numbers_(bases, rotation), channels_(numbers_.size()) {
    number();
  }

  std::optional<Causality> run() {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) ready.push_back(lane);
    std::size_t done = 0;
    while (!ready.empty()) {
      const std::uint32_t lane = ready.back();
      ready.pop_back();
      while (lanes_[lane].next < sweeps(lane).size() && is_ready(lane)) {
        execute(lane, ready);
        ++lanes_[lane].next;
        ++done;
      }
    }
    if (done != result_.lane_of_.size()) return std::nullopt;
    return std::move(result_);
  }

 private:
  struct Lane {
    Rank rank = 0;
    std::uint32_t lane = 0;
    std::size_t next = 0;
  };

  // Bases are numbered like their ranks.
  const std::vector<Sweep>& sweeps(std::uint32_t lane) const {
    return world_[at(lanes_[lane].rank)].lanes[lanes_[lane].lane];
  }
  std::span<const Port> sources(std::uint32_t lane, const Sweep& sweep) const {
    return sources_of(world_[at(lanes_[lane].rank)], sweep);
  }
  std::span<const Port> targets(std::uint32_t lane, const Sweep& sweep) const {
    return targets_of(world_[at(lanes_[lane].rank)], sweep);
  }
  /// The messages in a channel, the oldest first.
  struct Channel {
    std::array<std::uint32_t, kMessagesPerChannel> messages{};
    std::size_t count = 0;

    std::uint32_t take() {
      const std::uint32_t oldest = messages[0];
      std::copy(messages.begin() + 1, messages.end(), messages.begin());
      --count;
      return oldest;
    }
  };

  Channel& channel_to(const Lane& own, Rank peer) {
    return channels_[numbers_.to(own.rank, peer, own.lane)];
  }
  Channel& channel_from(const Lane& own, Rank peer) {
    return channels_[numbers_.from(own.rank, peer, own.lane)];
  }
  Causality::SweepId current(std::uint32_t lane) const {
    return result_.first_sweep_[lane] + static_cast<Causality::SweepId>(lanes_[lane].next);
  }
  std::uint32_t* clock(Causality::SweepId sweep) {
    return &result_.clocks_[sweep * result_.clock_entries()];
  }

  void number() {
    result_.rotation_ = &rotation_;
    result_.first_lane_.push_back(0);
    result_.first_sweep_.push_back(0);
    for (std::size_t rank = 0; rank < world_.size(); ++rank) {
      const auto& lanes = world_[rank].lanes;
      most_lanes_ = std::max(most_lanes_, lanes.size());
      for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        const auto id = static_cast<std::uint32_t>(lanes_.size());
        lanes_.push_back({static_cast<Rank>(rank), lane, 0});
        result_.lane_of_.insert(result_.lane_of_.end(), lanes[lane].size(), id);
        for (const Sweep& sweep : lanes[lane]) number_messages(id, sweep);
        result_.first_sweep_.push_back(static_cast<Causality::SweepId>(result_.lane_of_.size()));
      }
      result_.first_lane_.push_back(static_cast<std::uint32_t>(lanes_.size()));
    }
    const std::size_t entries = result_.lane_of_.size() * result_.clock_entries();
    if (entries <= kMostClockEntries) result_.clocks_.resize(entries);
  }

  void number_messages(std::uint32_t lane, const Sweep& sweep) {
    const auto id = static_cast<Causality::SweepId>(result_.first_message_.size());
    result_.first_message_.push_back(static_cast<std::uint32_t>(result_.messages_.size()));
    for (const Port& port : targets(lane, sweep)) {
      if (port.is_channel()) result_.messages_.push_back({id, port.peer, {kNone, 0}});
    }
  }

  bool is_ready(std::uint32_t lane) {
    const Lane& own = lanes_[lane];
    const Sweep& sweep = sweeps(lane)[own.next];
    if (sweep.is_wait) return wait_is_over(own, sweep);
    for (const Port& port : sources(lane, sweep)) {
      if (!port.is_channel()) continue;
      if (channel_from(own, port.peer).count == 0) return false;
    }
    for (const Port& port : targets(lane, sweep)) {
      if (!port.is_channel()) continue;
      if (channel_to(own, port.peer).count == kMessagesPerChannel) return false;
    }
    return true;
  }

  bool wait_is_over(const Lane& own, const Sweep& sweep) const {
    const std::uint32_t target = result_.first_lane_[at(own.rank)] + sweep.wait_lane;
    if (lanes_[target].next <= sweep.wait_sweep) return false;
    const Causality::SweepId id = result_.first_sweep_[target] + sweep.wait_sweep;
    for (std::uint32_t i = result_.first_message_[id];
         i < result_.messages_.size() && result_.messages_[i].sender == id; ++i) {
      if (result_.messages_[i].receiver.id == kNone) return false;
    }
    return true;
  }

  void execute(std::uint32_t lane, std::vector<std::uint32_t>& ready) {
    const Lane own = lanes_[lane];
    const Sweep& sweep = sweeps(lane)[own.next];
    const Causality::SweepId id = current(lane);
    if (own.next > 0) join(id, {id - 1, 0});
    if (sweep.is_wait) {
      const std::uint32_t target = result_.first_lane_[at(own.rank)] + sweep.wait_lane;
      join(id, {result_.first_sweep_[target] + sweep.wait_sweep, 0});
    } else {
      for (const Port& port : sources(lane, sweep)) {
        if (!port.is_channel()) continue;
        Causality::Message& message = result_.messages_[channel_from(own, port.peer).take()];
        const int turn = rotation_.turn(port.peer);
        message.receiver = result_.turned({id, 0}, -turn);
        join(id, {message.sender, turn});
        wake(rotation_.base(port.peer), ready);
      }
      std::uint32_t message = result_.first_message_[id];
      for (const Port& port : targets(lane, sweep)) {
        if (!port.is_channel()) continue;
        Channel& target = channel_to(own, port.peer);
        target.messages[target.count++] = message++;
        wake(rotation_.base(port.peer), ready);
      }
    }
    stamp(id, lane);
    if (most_lanes_ > 1) wake(own.rank, ready);
  }

  void wake(Rank rank, std::vector<std::uint32_t>& ready) const {
    for (std::uint32_t lane = result_.first_lane_[at(rank)];
         lane < result_.first_lane_[at(rank) + 1]; ++lane) {
      ready.push_back(lane);
    }
  }

  void join(Causality::SweepId id, Causality::TurnedSweep other) {
    if (result_.clocks_.empty()) return;
    const std::size_t order = result_.order();
    const auto turn = static_cast<std::size_t>(other.turn);
    if (turn == 0) return raise_to(clock(id), clock(other.id), result_.clock_entries());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      std::uint32_t* const own = clock(id) + lane * order;
      const std::uint32_t* const known = clock(other.id) + lane * order;
      raise_to(own + turn, known, order - turn);
      raise_to(own, known + (order - turn), turn);
    }
  }

  static void raise_to(std::uint32_t* own, const std::uint32_t* known, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) own[i] = std::max(own[i], known[i]);
  }

  /// Entries count a lane's start as 1, its first sweep as 2, and so on.
  void stamp(Causality::SweepId id, std::uint32_t lane) {
    if (result_.clocks_.empty()) return;
    const Rank rank = lanes_[lane].rank;
    for (std::uint32_t i = result_.first_lane_[at(rank)]; i < result_.first_lane_[at(rank) + 1];
         ++i) {
      std::uint32_t& entry = clock(id)[i * result_.order()];
      entry = std::max(entry, 1U);
    }
    clock(id)[lane * result_.order()] = static_cast<std::uint32_t>(lanes_[lane].next) + 2;
  }

  std::span<const FusedSchedule> world_;
  const Rotation& rotation_;
  Causality result_;
  std::vector<Lane> lanes_;
  Channels numbers_;
  std::vector<Channel> channels_;
  std::size_t most_lanes_ = 1;
};

std::optional<Causality> Causality::of(std::span<const FusedSchedule> bases,
                                       const Rotation& rotation) {
  return CausalityRun(bases, rotation).run();
}

Causality::SweepId Causality::id(Rank base, std::size_t lane, std::size_t sweep) const {
  return first_sweep_[first_lane_[at(base)] + lane] + static_cast<SweepId>(sweep);
}

Causality::TurnedSweep Causality::turned(TurnedSweep sweep, int steps) const {
  const int order = rotation_->order();
  return {sweep.id, (sweep.turn + steps + order) % order};
}

Causality::TurnedSweep Causality::receiver(TurnedSweep sender, Rank peer) const {
  const Rank seen_by_base = rotation_->turned(peer, -sender.turn);
  std::uint32_t message = first_message_[sender.id];
  while (messages_[message].peer != seen_by_base) ++message;
  return turned(messages_[message].receiver, sender.turn);
}

bool Causality::happens_before(TurnedSweep earlier, TurnedSweep later) const {
  if (earlier == later) return false;
  const std::uint32_t lane = lane_of_[earlier.id];
  const auto turn = static_cast<std::size_t>(turned(earlier, -later.turn).turn);
  return clocks_[later.id * clock_entries() + lane * order() + turn] >=
         earlier.id - first_sweep_[lane] + 2;
}

bool Causality::has_started(Rank rank, SweepId sweep) const {
  const std::size_t lane = first_lane_[at(rotation_->base(rank))];
  const auto turn = static_cast<std::size_t>(rotation_->turn(rank));
  return clocks_[sweep * clock_entries() + lane * order() + turn] > 0;
}

}  // namespace rondo::schedule
