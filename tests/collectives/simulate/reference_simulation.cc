#include "tests/collectives/simulate/reference_simulation.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "collectives/simulate/sweep_cost.h"

namespace rondo::simulate {
namespace {

using schedule::Rank;
constexpr double kForever = std::numeric_limits<double>::infinity();

struct Message {
  std::size_t bytes = 0;
  bool stored = false;
  bool follows = false;
};
struct Channel {
  std::deque<Message> waiting;  // for the wire
  std::deque<Message> arrived;  // and not read
  std::deque<std::pair<double, Message>> flying;
  double last_arrival = 0;
  bool busy = false;
};
using ChannelKey = std::tuple<Rank, Rank, std::size_t>;

struct Activity {
  double left = 0;
  double most = 0;
  std::vector<std::pair<int, double>> uses{};
  bool is_message = false;
  Rank rank = 0;
  std::size_t lane = 0;
  ChannelKey channel{};
};

struct RankState {
  std::vector<std::size_t> sweep;
  std::vector<std::size_t> piece;
  std::size_t next_lane = 0;
  bool busy = false;
  double done = 0;
};

class Reference {
 public:
  Reference(const std::vector<schedule::FusedSchedule>& world, const schedule::ChunkTable& table,
            const Network& network, const Options& options)
      : world_(world), table_(table), network_(network), options_(options) {
    int host = 0;
    for (const HostGroup& group : network.groups) {
      for (int i = 0; i < group.hosts; ++i, ++host) {
        hosts_.push_back(group);
        for (int rank = 0; rank < group.ranks; ++rank) host_of_.push_back(host);
      }
    }
    for (const HostGroup& group : hosts_) {
      capacities_.insert(capacities_.end(), {group.up_bytes_per_us, group.down_bytes_per_us,
                                             double(group.cores), group.memory_bytes_per_us});
    }
    for (const Switch& entry : network.switches)
      capacities_.insert(capacities_.end(), {entry.up_bytes_per_us, entry.down_bytes_per_us});
    for (const auto& schedule : world) {
      ranks_.push_back({});
      ranks_.back().sweep.resize(schedule.lanes.size());
      ranks_.back().piece.resize(schedule.lanes.size());
      ranks_.back().done = network.work.call_us;
    }
    now_ = network.work.call_us;
  }

  std::vector<double> run() {
    for (;;) {
      while (start_something() || arrive_something()) {
      }
      const std::vector<double> speeds = this->speeds();
      double step = kForever;
      for (std::size_t i = 0; i < running_.size(); ++i)
        step = std::min(step, running_[i].left == 0 ? 0 : running_[i].left / speeds[i]);
      double next = now_ + step;
      for (const auto& [key, channel] : channels_) {
        if (!channel.flying.empty()) next = std::min(next, channel.flying.front().first);
      }
      if (next == kForever) break;
      move_on(next, speeds);
    }
    std::vector<double> done;
    for (const RankState& rank : ranks_) done.push_back(rank.done);
    return done;
  }

 private:
  int host(Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  const HostGroup& group(Rank rank) const { return hosts_[static_cast<std::size_t>(host(rank))]; }
  const Link& link(Rank from, Rank to) const {
    return host(from) == host(to) ? network_.inside : network_.between;
  }
  std::size_t bytes_of(const schedule::Sweep& sweep, std::size_t piece) const {
    const std::size_t bytes = table_.count(sweep.row) * options_.element_bytes;
    const std::size_t most = options_.segment_bytes * options_.segments_each;
    return std::min(most, bytes - piece * most);
  }
  std::size_t pieces_of(const schedule::Sweep& sweep) const {
    const std::size_t bytes = table_.count(sweep.row) * options_.element_bytes;
    const std::size_t most = options_.segment_bytes * options_.segments_each;
    return std::max<std::size_t>(1, (bytes + most - 1) / most);
  }

  /// The rank that a sweep sends a row of its own memory to, and does nothing else.
  static std::optional<Rank> only_sends_to(const schedule::FusedSchedule& own,
                                           const schedule::Sweep& sweep) {
    if (sweep.is_wait || sweep.target_count != 1) return std::nullopt;
    for (const schedule::Port& port : sources_of(own, sweep))
      if (port.is_channel()) return std::nullopt;
    const schedule::Port& target = targets_of(own, sweep)[0];
    return target.is_channel() ? std::optional(target.peer) : std::nullopt;
  }
  /// One in eight is a call of its own.
  static bool follows(const schedule::FusedSchedule& own, const std::vector<schedule::Sweep>& lane,
                      std::size_t index) {
    const std::optional<Rank> to = only_sends_to(own, lane[index]);
    std::size_t before = 0;
    while (to && before < index && only_sends_to(own, lane[index - before - 1]) == to) ++before;
    return before % 8 != 0;
  }

  void move_on(double next, const std::vector<double>& speeds) {
    const double step = next - now_;
    now_ = next;
    std::vector<Activity> ended;
    std::vector<Activity> going;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      running_[i].left -= step * speeds[i];
      const bool over = running_[i].left <= 1e-9 * std::max(1.0, speeds[i]);
      (over ? ended : going).push_back(running_[i]);
    }
    running_ = going;
    for (const Activity& activity : ended) {
      if (activity.is_message) {
        land(activity.channel);
      } else {
        end_work(activity.rank, activity.lane);
      }
    }
  }

  bool arrive_something() {
    bool any = false;
    for (auto& [key, channel] : channels_) {
      while (!channel.flying.empty() && channel.flying.front().first <= now_) {
        channel.arrived.push_back(channel.flying.front().second);
        channel.flying.pop_front();
        any = true;
      }
    }
    return any;
  }

  bool start_something() {
    bool any = false;
    for (std::size_t i = 0; i < ranks_.size(); ++i) any |= start_work(static_cast<Rank>(i));
    for (auto& [key, channel] : channels_) any |= start_wire(key, channel);
    return any;
  }

  bool start_work(Rank rank) {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    const auto& own = world_[static_cast<std::size_t>(rank)];
    if (state.busy) return false;
    for (std::size_t i = 0; i < own.lanes.size(); ++i) {
      const std::size_t lane = (state.next_lane + i) % own.lanes.size();
      if (state.sweep[lane] == own.lanes[lane].size()) continue;
      const schedule::Sweep& sweep = own.lanes[lane][state.sweep[lane]];
      SweepCost cost(network_.work, {bytes_of(sweep, state.piece[lane]), options_.segment_bytes},
                     0);
      bool ready = true;
      for (const schedule::Port& port : sources_of(own, sweep)) {
        if (!port.is_channel()) {
          cost.read_memory();
          continue;
        }
        const Channel& channel = channels_[{port.peer, rank, lane}];
        ready = ready && !channel.arrived.empty();
        if (!ready) continue;
        const Message& message = channel.arrived.front();
        cost.receive(link(port.peer, rank), {message.stored, message.follows});
      }
      if (!ready) continue;
      for (const schedule::Port& port : targets_of(own, sweep)) {
        if (port.is_channel()) {
          cost.send(link(rank, port.peer),
                    {port.direct, follows(own, own.lanes[lane], state.sweep[lane])});
        } else {
          cost.write_memory();
        }
      }
      Activity activity{.left = cost.us(), .most = 1, .rank = rank, .lane = lane};
      if (group(rank).cores > 0 && group(rank).cores < group(rank).ranks)
        activity.uses.emplace_back(4 * host(rank) + 2, 1);
      running_.push_back(activity);
      state.next_lane = (lane + 1) % own.lanes.size();
      state.busy = true;
      return true;
    }
    return false;
  }

  void end_work(Rank rank, std::size_t lane) {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    const auto& own = world_[static_cast<std::size_t>(rank)];
    const schedule::Sweep& sweep = own.lanes[lane][state.sweep[lane]];
    state.busy = false;
    state.done = std::max(state.done, now_);
    for (const schedule::Port& port : sources_of(own, sweep)) {
      if (!port.is_channel()) continue;
      channels_[{port.peer, rank, lane}].arrived.pop_front();
      RankState& sender = ranks_[static_cast<std::size_t>(port.peer)];
      if (link(port.peer, rank).maps) sender.done = std::max(sender.done, now_);
    }
    for (const schedule::Port& port : targets_of(own, sweep)) {
      if (!port.is_channel()) continue;
      channels_[{rank, port.peer, lane}].waiting.push_back(
          {bytes_of(sweep, state.piece[lane]), port.direct && link(rank, port.peer).maps,
           follows(own, own.lanes[lane], state.sweep[lane])});
    }
    if (++state.piece[lane] < pieces_of(sweep)) return;
    state.piece[lane] = 0;
    ++state.sweep[lane];
  }

  bool start_wire(const ChannelKey& key, Channel& channel) {
    if (channel.busy || channel.waiting.empty()) return false;
    const auto [from, to, lane] = key;
    Activity activity{.left = double(channel.waiting.front().bytes),
                      .most = link(from, to).bytes_per_us,
                      .is_message = true,
                      .channel = key};
    if (host(from) != host(to)) {
      const auto use = [&](int resource) {
        if (capacities_[static_cast<std::size_t>(resource)] > 0)
          activity.uses.emplace_back(resource, 1);
      };
      use(4 * host(from));
      use(4 * host(to) + 1);
      const int first_switch = 4 * static_cast<int>(hosts_.size());
      if (group(from).switch_index != group(to).switch_index) {
        if (group(from).switch_index >= 0) use(first_switch + 2 * group(from).switch_index);
        if (group(to).switch_index >= 0) use(first_switch + 2 * group(to).switch_index + 1);
      }
    }
    channel.busy = true;
    if ((activity.uses.empty() && activity.most == 0) || activity.left == 0) {
      land(key);
    } else {
      running_.push_back(activity);
    }
    return true;
  }

  void land(const ChannelKey& key) {
    Channel& channel = channels_[key];
    const auto [from, to, lane] = key;
    const Message message = channel.waiting.front();
    channel.waiting.pop_front();
    channel.busy = false;
    const std::size_t last = std::min(message.bytes, options_.segment_bytes);
    channel.last_arrival =
        std::max(channel.last_arrival, now_ + link(from, to).cost_of(last).latency_us);
    channel.flying.emplace_back(channel.last_arrival, message);
  }

  std::vector<double> speeds() const {
    std::vector<std::vector<std::pair<int, double>>> uses;
    std::vector<double> most;
    for (const Activity& activity : running_) {
      uses.push_back(activity.uses);
      most.push_back(activity.most);
    }
    return reference_speeds(capacities_, uses, most);
  }

  const std::vector<schedule::FusedSchedule>& world_;
  const schedule::ChunkTable& table_;
  const Network& network_;
  const Options& options_;
  std::vector<HostGroup> hosts_;
  std::vector<int> host_of_;
  std::vector<double> capacities_;  // up, down, cores, memory of each host; up, down of switches
  std::vector<RankState> ranks_;
  std::map<ChannelKey, Channel> channels_;
  std::vector<Activity> running_;
  double now_ = 0;
};

}  // namespace

std::vector<double> reference_simulation(const std::vector<schedule::FusedSchedule>& world,
                                         const schedule::ChunkTable& table, const Network& network,
                                         const Options& options) {
  return Reference(world, table, network, options).run();
}

std::vector<double> reference_speeds(const std::vector<double>& capacities,
                                     const std::vector<std::vector<std::pair<int, double>>>& uses,
                                     const std::vector<double>& most) {
  // All are raised together, in steps, until nobody can be.
  std::vector<double> speeds(uses.size(), 0);
  std::vector<char> fixed(uses.size(), 0);
  while (std::find(fixed.begin(), fixed.end(), 0) != fixed.end()) {
    double raise = kForever;
    std::vector<double> left = capacities;
    std::vector<double> weight(capacities.size(), 0);
    for (std::size_t a = 0; a < uses.size(); ++a) {
      for (const auto& [resource, share] : uses[a]) {
        left[static_cast<std::size_t>(resource)] -= share * speeds[a];
        if (fixed[a] == 0) weight[static_cast<std::size_t>(resource)] += share;
      }
      if (fixed[a] == 0 && most[a] > 0) raise = std::min(raise, most[a] - speeds[a]);
    }
    for (std::size_t r = 0; r < capacities.size(); ++r) {
      if (weight[r] > 0) raise = std::min(raise, left[r] / weight[r]);
    }
    for (std::size_t a = 0; a < uses.size(); ++a) {
      if (fixed[a] == 0) speeds[a] += raise;
    }
    for (std::size_t a = 0; a < uses.size(); ++a) {
      if (fixed[a] != 0) continue;
      bool full = most[a] > 0 && speeds[a] >= most[a] * (1 - 1e-9);
      for (const auto& [resource, share] : uses[a]) {
        const auto r = static_cast<std::size_t>(resource);
        full = full || left[r] - weight[r] * raise <= 1e-9 * capacities[r];
      }
      if (full) fixed[a] = 1;
    }
  }
  return speeds;
}

}  // namespace rondo::simulate
