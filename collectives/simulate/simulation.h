#pragma once

// The state of one simulation and the events that change it. All that happens at one instant is
// taken in before anything new begins, and a rank's choice depends on its own lanes alone, so the
// outcome doesn't depend on the order of simultaneous events.

#include <queue>
#include <vector>

#include "collectives/simulate/bound_world.h"
#include "collectives/simulate/fluid.h"
#include "collectives/simulate/simulate.h"
#include "collectives/simulate/sweep_cost.h"
#include "collectives/simulate/trace_hash.h"
#include "collectives/simulate/wires.h"

namespace rondo::simulate {

/// Of a row that is moved in segments; a wait has one.
std::uint64_t segments_of(const schedule::Sweep& sweep, const schedule::ChunkTable& table,
                          std::size_t element_bytes, std::size_t segment_bytes);
/// There is more of it than Options::most_work.
Status too_much_work(const Options& options);

class Simulation {
 public:
  /// Borrows all of them.
  Simulation(const BoundWorld& world, const Quotient& quotient, const schedule::ChunkTable& table,
             const Network& network, const Options& options);

  Status run();
  Prediction result() &&;
  std::uint64_t work() const { return events_ + fluid_.work(); }
  /// Of kinds: how each exchange went.
  std::vector<std::uint64_t> traces(std::size_t exchanges) const;

 private:
  struct Message {
    std::size_t bytes = 0;
    bool stored = false;      ///< in the receiver's memory already
    double begin_us = 0;      ///< on its way since
    std::uint32_t sweep = 0;  ///< of the sender's lane
  };
  /// Messages of one channel, in order: read, arrived, on the wire, waiting for it.
  struct Line {
    std::vector<Message> messages;  ///< those that haven't been read
    std::size_t first = 0;          ///< of `messages`: the next to be read
    std::size_t arrived = 0;        ///< likewise: the first that has not arrived
    std::size_t landing = 0;        ///< likewise: the first that hasn't passed the wire
    std::uint64_t sent = 0;
    std::uint64_t read = 0;
    std::uint64_t bytes = 0;
    double last_arrival_us = 0;
    bool busy = false;  ///< the wire
    std::vector<Use> path;
    TraceHash trace;  ///< of kinds: how all went
  };
  struct Lane {
    std::uint32_t sweep = 0;
    std::uint32_t segment = 0;
  };
  struct RankState {
    std::vector<Lane> lanes;
    std::uint32_t next_lane = 0;  ///< whose turn it is
    bool busy = false;
    bool touched = false;
    std::uint32_t lanes_left = 0;
    double begin_us = 0;  ///< of what it is busy with
    double busy_us = 0;
    double done_us = 0;
  };
  struct Owner {
    bool is_message = false;
    std::uint32_t index = 0;  ///< rank or channel
    std::uint32_t lane = 0;
  };
  struct Arrival {
    double time;
    ChannelId channel;
    friend bool operator>(const Arrival& a, const Arrival& b) { return a.time > b.time; }
  };

  void begin();
  void touch(int rank);
  void start_what_is_ready();
  void start_next(int rank);
  bool is_ready(int rank, std::uint32_t lane);
  bool wait_is_over(int rank, const schedule::Sweep& sweep) const;
  void start_work(int rank, std::uint32_t lane);
  SweepCost cost_of(int rank, const schedule::Sweep& sweep, std::size_t bytes);
  void end_work(int rank, std::uint32_t lane);
  void next_segment(int rank, std::uint32_t lane);
  void read_message(ChannelId channel);
  void tell_sender(ChannelId channel);
  void send_message(ChannelId channel, const Message& message);
  void put_in_line(ChannelId channel, const Message& message);
  void start_wire(ChannelId channel);
  void land(ChannelId channel);
  void arrive(ChannelId channel);
  void take_in(double time);
  std::optional<double> next_time();
  Status stuck() const;
  void record_work(int rank, std::uint32_t lane, std::size_t bytes);
  void record_message(ChannelId channel, const Message& message, double end_us);

  const schedule::Sweep& sweep_of(int rank, std::uint32_t lane) const;
  std::size_t segment_bytes(const schedule::Sweep& sweep, std::uint32_t segment) const;
  const BoundRank& bound(int rank) const { return world_.ranks()[static_cast<std::size_t>(rank)]; }
  RankState& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  double beyond_cache(int rank) const;

  const BoundWorld& world_;
  const Quotient& quotient_;
  const schedule::ChunkTable& table_;
  const Network& network_;
  const Options& options_;
  Fluid fluid_;
  Wires wires_;
  double now_ = 0;
  std::vector<RankState> ranks_;
  std::vector<Line> lines_;
  std::vector<Owner> owners_;  ///< by activity
  std::vector<int> touched_;
  std::vector<ActivityId> ended_;
  std::vector<Owner> over_;  ///< those of ended_
  std::vector<Use> uses_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<Span> spans_;
  std::uint64_t events_ = 0;
};

}  // namespace rondo::simulate
