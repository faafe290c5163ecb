#include "collectives/schedule/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace rondo::schedule {
namespace {

/// One lane of one rank: where it stands.
struct LaneState {
  Rank rank = 0;
  std::uint16_t lane = 0;
  std::uint32_t sweep = 0;
  std::vector<char> here{};         ///< by source of the sweep: it needs nothing more
  std::vector<RoundSweep> taken{};  ///< of those, whose messages: lane and sweep of the sender
  std::vector<Rank> taken_from{};   ///< and which rank
  std::vector<std::uint32_t> unread = {};  ///< by sweep: messages that it has sent
};

class WorldRun {
 public:
  WorldRun(std::span<const FusedSchedule> world, Rank own);
  Result<std::vector<Round>> run();

 private:
  using ChannelKey = std::tuple<Rank, Rank, std::uint16_t>;  ///< from, to, lane

  const FusedSchedule& schedule_of(const LaneState& lane) const {
    return world_[static_cast<std::size_t>(lane.rank)];
  }
  const std::vector<Sweep>& sweeps_of(const LaneState& lane) const {
    return schedule_of(lane).lanes[lane.lane];
  }
  bool done(const LaneState& lane) const { return lane.sweep == sweeps_of(lane).size(); }
  LaneState& lane_of(Rank rank, std::uint16_t lane) {
    return lanes_[first_lane_[static_cast<std::size_t>(rank)] + lane];
  }

  void open(LaneState& lane);
  bool goes_on(const LaneState& lane);
  void finish_sweep(LaneState& lane);
  void go_on();
  bool exchange();
  bool receive(LaneState& to, std::uint32_t port);
  Status check_end() const;

  std::span<const FusedSchedule> world_;
  Rank own_;
  std::vector<LaneState> lanes_;  ///< by rank, then lane
  std::vector<std::size_t> first_lane_;
  std::map<ChannelKey, std::deque<RoundMessage>> sent_;
  Round round_;
};

WorldRun::WorldRun(std::span<const FusedSchedule> world, Rank own) : world_(world), own_(own) {
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    first_lane_.push_back(lanes_.size());
    for (std::size_t lane = 0; lane < world[rank].lanes.size(); ++lane) {
      lanes_.push_back({.rank = static_cast<Rank>(rank), .lane = static_cast<std::uint16_t>(lane)});
      lanes_.back().unread.resize(world[rank].lanes[lane].size());
    }
  }
  for (LaneState& lane : lanes_) open(lane);
}

Result<std::vector<Round>> WorldRun::run() {
  std::vector<Round> rounds;
  bool exchanged = true;
  while (exchanged) {
    go_on();
    exchanged = exchange();
    const bool is_empty = round_.sweeps.empty() && round_.sends.empty() && round_.receives.empty();
    // A rank that is left out of a round has none: groups are each communicator's own.
    if (!is_empty) rounds.push_back(std::move(round_));
    round_ = {};
  }
  RONDO_TRY(check_end());
  return rounds;
}

/// The lane has come to a sweep.
void WorldRun::open(LaneState& lane) {
  lane.here.clear();
  if (done(lane)) return;
  for (const Port& source : sources_of(schedule_of(lane), sweeps_of(lane)[lane.sweep]))
    lane.here.push_back(source.is_channel() ? 0 : 1);
}

bool WorldRun::goes_on(const LaneState& lane) {
  if (done(lane)) return false;
  const Sweep& sweep = sweeps_of(lane)[lane.sweep];
  if (!sweep.is_wait) return std::ranges::find(lane.here, 0) == lane.here.end();
  const LaneState& other = lane_of(lane.rank, static_cast<std::uint16_t>(sweep.wait_lane));
  return other.sweep > sweep.wait_sweep && other.unread[sweep.wait_sweep] == 0;
}

/// What it has taken is consumed by the sweep that combines it, as the verifier has it: who waits
/// for that knows all that the sweep's other sources came after, too.
void WorldRun::finish_sweep(LaneState& lane) {
  for (std::size_t i = 0; i < lane.taken.size(); ++i)
    --lane_of(lane.taken_from[i], lane.taken[i].lane).unread[lane.taken[i].sweep];
  lane.taken.clear();
  lane.taken_from.clear();
  const Sweep& sweep = sweeps_of(lane)[lane.sweep];
  if (!sweep.is_wait) {
    if (lane.rank == own_) round_.sweeps.push_back({lane.lane, lane.sweep});
    const auto targets = targets_of(schedule_of(lane), sweep);
    for (std::uint32_t port = 0; port < targets.size(); ++port) {
      if (!targets[port].is_channel()) continue;
      ++lane.unread[lane.sweep];
      sent_[{lane.rank, targets[port].peer, lane.lane}].push_back(
          {lane.lane, lane.sweep, port, targets[port].peer});
    }
  }
  ++lane.sweep;
  open(lane);
}

/// All lanes, as far as they come without another message. Lanes of a rank may wait for each other.
void WorldRun::go_on() {
  for (bool moved = true; moved;) {
    moved = false;
    for (LaneState& lane : lanes_) {
      while (goes_on(lane)) {
        finish_sweep(lane);
        moved = true;
      }
    }
  }
}

/// Whatever is sent and wanted; false if there is nothing.
bool WorldRun::exchange() {
  bool exchanged = false;
  for (LaneState& lane : lanes_) {
    for (std::uint32_t port = 0; port < lane.here.size(); ++port)
      exchanged |= lane.here[port] == 0 && receive(lane, port);
  }
  return exchanged;
}

bool WorldRun::receive(LaneState& to, std::uint32_t port) {
  const Sweep& sweep = sweeps_of(to)[to.sweep];
  const Rank from = sources_of(schedule_of(to), sweep)[port].peer;
  const auto channel = sent_.find({from, to.rank, to.lane});
  if (channel == sent_.end() || channel->second.empty()) return false;
  const RoundMessage message = channel->second.front();
  channel->second.pop_front();
  to.here[port] = 1;
  to.taken.push_back({message.lane, message.sweep});
  to.taken_from.push_back(from);
  if (from == own_) round_.sends.push_back(message);
  if (to.rank == own_) round_.receives.push_back({to.lane, to.sweep, port, from});
  return true;
}

Status WorldRun::check_end() const {
  for (const LaneState& lane : lanes_) {
    if (done(lane)) continue;
    return Status(
        ErrorCode::kInternal,
        fmt::format("lane {} of rank {} stands still at sweep {}: its message never comes",
                    lane.lane, lane.rank, lane.sweep));
  }
  for (const auto& [channel, messages] : sent_) {
    if (messages.empty()) continue;
    return Status(ErrorCode::kInternal,
                  fmt::format("{} messages from rank {} to rank {} are never read", messages.size(),
                              std::get<0>(channel), std::get<1>(channel)));
  }
  return {};
}

}  // namespace

Result<std::vector<Round>> rounds_of(std::span<const FusedSchedule> world, Rank rank) {
  return WorldRun(world, rank).run();
}

}  // namespace rondo::schedule
