#include "collectives/schedule/causality.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rondo::schedule {
namespace {

constexpr std::size_t kMostClockEntries = std::size_t{1} << 25;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

}  // namespace

/// The run itself: one token per message, no data.
class CausalityRun {
 public:
  explicit CausalityRun(std::span<const FusedSchedule> world) : world_(world) { number(); }

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

  Channel& channel(Rank from, Rank to, std::uint32_t lane) {
    return channels_[(at(from) * world_.size() + at(to)) * most_lanes_ + lane];
  }
  Causality::SweepId current(std::uint32_t lane) const {
    return result_.first_sweep_[lane] + static_cast<Causality::SweepId>(lanes_[lane].next);
  }
  std::uint32_t* clock(Causality::SweepId sweep) {
    return &result_.clocks_[std::size_t{sweep} * lanes_.size()];
  }

  void number() {
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
    channels_.assign(world_.size() * world_.size() * most_lanes_, {});
    const std::size_t entries = result_.lane_of_.size() * lanes_.size();
    if (entries <= kMostClockEntries) result_.clocks_.resize(entries);
  }

  void number_messages(std::uint32_t lane, const Sweep& sweep) {
    const auto id = static_cast<Causality::SweepId>(result_.first_message_.size());
    result_.first_message_.push_back(static_cast<std::uint32_t>(result_.messages_.size()));
    for (const Port& port : targets(lane, sweep)) {
      if (port.is_channel()) result_.messages_.push_back({id, port.peer, kNone});
    }
  }

  bool is_ready(std::uint32_t lane) {
    const Lane& own = lanes_[lane];
    const Sweep& sweep = sweeps(lane)[own.next];
    if (sweep.is_wait) return wait_is_over(own, sweep);
    for (const Port& port : sources(lane, sweep)) {
      if (!port.is_channel()) continue;
      if (channel(port.peer, own.rank, own.lane).count == 0) return false;
    }
    for (const Port& port : targets(lane, sweep)) {
      if (!port.is_channel()) continue;
      if (channel(own.rank, port.peer, own.lane).count == kMessagesPerChannel) return false;
    }
    return true;
  }

  bool wait_is_over(const Lane& own, const Sweep& sweep) const {
    const std::uint32_t target = result_.first_lane_[at(own.rank)] + sweep.wait_lane;
    if (lanes_[target].next <= sweep.wait_sweep) return false;
    const Causality::SweepId id = result_.first_sweep_[target] + sweep.wait_sweep;
    for (std::uint32_t i = result_.first_message_[id];
         i < result_.messages_.size() && result_.messages_[i].sender == id; ++i) {
      if (result_.messages_[i].receiver == kNone) return false;
    }
    return true;
  }

  void execute(std::uint32_t lane, std::vector<std::uint32_t>& ready) {
    const Lane own = lanes_[lane];
    const Sweep& sweep = sweeps(lane)[own.next];
    const Causality::SweepId id = current(lane);
    if (own.next > 0) join(id, id - 1);
    if (sweep.is_wait) {
      const std::uint32_t target = result_.first_lane_[at(own.rank)] + sweep.wait_lane;
      join(id, result_.first_sweep_[target] + sweep.wait_sweep);
    } else {
      for (const Port& port : sources(lane, sweep)) {
        if (!port.is_channel()) continue;
        const std::uint32_t message = channel(port.peer, own.rank, own.lane).take();
        result_.messages_[message].receiver = id;
        join(id, result_.messages_[message].sender);
        wake(port.peer, ready);
      }
      std::uint32_t message = result_.first_message_[id];
      for (const Port& port : targets(lane, sweep)) {
        if (!port.is_channel()) continue;
        Channel& target = channel(own.rank, port.peer, own.lane);
        target.messages[target.count++] = message++;
        wake(port.peer, ready);
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

  void join(Causality::SweepId id, Causality::SweepId other) {
    if (result_.clocks_.empty()) return;
    std::uint32_t* const own = clock(id);
    const std::uint32_t* const known = clock(other);
    for (std::size_t i = 0; i < lanes_.size(); ++i) own[i] = std::max(own[i], known[i]);
  }

  /// Entries count a lane's start as 1, its first sweep as 2, and so on.
  void stamp(Causality::SweepId id, std::uint32_t lane) {
    if (result_.clocks_.empty()) return;
    const Rank rank = lanes_[lane].rank;
    for (std::uint32_t i = result_.first_lane_[at(rank)]; i < result_.first_lane_[at(rank) + 1];
         ++i) {
      clock(id)[i] = std::max(clock(id)[i], 1U);
    }
    clock(id)[lane] = static_cast<std::uint32_t>(lanes_[lane].next) + 2;
  }

  std::span<const FusedSchedule> world_;
  Causality result_;
  std::vector<Lane> lanes_;
  std::vector<Channel> channels_;
  std::size_t most_lanes_ = 1;
};

std::optional<Causality> Causality::of(std::span<const FusedSchedule> world) {
  return CausalityRun(world).run();
}

Causality::SweepId Causality::id(Rank rank, std::size_t lane, std::size_t sweep) const {
  return first_sweep_[first_lane_[at(rank)] + lane] + static_cast<SweepId>(sweep);
}

Causality::SweepId Causality::receiver(SweepId sender, Rank peer) const {
  std::uint32_t message = first_message_[sender];
  while (messages_[message].peer != peer) ++message;
  return messages_[message].receiver;
}

bool Causality::happens_before(SweepId earlier, SweepId later) const {
  const std::uint32_t lane = lane_of_[earlier];
  const std::size_t lanes = first_sweep_.size() - 1;
  return earlier != later && clocks_[later * lanes + lane] >= earlier - first_sweep_[lane] + 2;
}

bool Causality::has_started(Rank rank, SweepId sweep) const {
  const std::size_t lanes = first_sweep_.size() - 1;
  return clocks_[sweep * lanes + first_lane_[at(rank)]] > 0;
}

}  // namespace rondo::schedule
