#pragma once

// The state of one simulation and the events that change it. All that happens at one instant is
// taken in before anything new begins, and a rank's choice depends on its own lanes alone, so the
// outcome doesn't depend on the order of simultaneous events.
//
// Beside its time each message carries its steps: how many messages had to follow each other for
// it to be sent, by the order of lanes and by what was waited for, whatever they took.

#include <queue>
#include <vector>

#include "collectives/simulate/bound_world.h"
#include "collectives/simulate/fluid.h"
#include "collectives/simulate/simulate.h"
#include "collectives/simulate/sweep_cost.h"
#include "collectives/simulate/trace_hash.h"
#include "collectives/simulate/wires.h"

namespace rondo::simulate {

/// Of a row that is moved in pieces: at least one.
std::uint64_t pieces_of(std::size_t row_bytes, std::size_t piece_bytes);
/// There is more of it than Options::most_work.
Status too_much_work(const Options& options);

class Simulation {
 public:
  /// Borrows all of them.
  Simulation(const BoundWorld& world, const Quotient& quotient, const schedule::ChunkTable& table,
             const Network& network, const Options& options);

  Status run();
  Prediction result() &&;
  std::uint64_t events() const { return events_; }
  /// A share of a link takes an eighth of the time that an event does.
  std::uint64_t work() const { return events_ + fluid_.work() / 8; }
  /// Of kinds: how each exchange went.
  std::vector<std::uint64_t> traces(std::size_t exchanges) const;

 private:
  /// Those of a piece.
  struct Message {
    std::size_t bytes = 0;
    double begin_us = 0;      ///< on its way since
    std::uint32_t sweep = 0;  ///< of the sender's lane
    std::uint32_t steps = 0;  ///< this one among them
    bool stored = false;      ///< in the receiver's memory already
    bool follows = false;     ///< another, by the same call
  };
  /// Messages of one channel, in order: read, arrived, on the wire, waiting for it.
  struct Line {
    std::vector<Message> messages;  ///< those that haven't been read
    std::uint32_t first = 0;        ///< of `messages`: the next to be read
    std::uint32_t arrived = 0;      ///< likewise: the first that has not arrived
    std::uint32_t landing = 0;      ///< likewise: the first that hasn't passed the wire
    bool busy = false;              ///< the wire
    std::uint8_t use_count = 0;     ///< what it takes, in paths_
    std::uint32_t first_use = 0;
    const Link* link = nullptr;
    double last_arrival_us = 0;
    TraceHash trace;         ///< of kinds: how all went
    std::uint64_t sent = 0;  ///< messages, however many are a piece's
    std::uint64_t bytes = 0;
  };
  struct Lane {
    std::uint32_t sweep = 0;  ///< of all ranks' sweeps
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t piece = 0;
    std::uint32_t steps = 0;  ///< so far
  };
  struct RankState {
    std::uint32_t first_lane = 0;
    std::uint32_t lanes = 0;
    std::uint32_t next_lane = 0;  ///< whose turn it is
    bool busy = false;
    bool touched = false;
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
  void pass_waits(int rank);
  bool pass_waits(int rank, std::uint32_t lane);
  bool is_ready(int rank, std::uint32_t lane);
  bool wait_is_over(const Lane& lane, std::uint32_t sweep) const;
  std::uint32_t steps_before(const Lane& lane, std::uint32_t sweep) const;
  void start_work(int rank, std::uint32_t lane);
  SweepCost cost_of(int rank, const BoundSweep& sweep, std::size_t bytes);
  void end_work(int rank, std::uint32_t lane);
  void next_piece(Lane& lane) const;
  void read_message(ChannelId channel, std::uint32_t steps);
  void tell_sender(ChannelId channel, std::uint32_t steps);
  void note_steps(std::uint32_t sweep, std::uint32_t steps);
  void send_message(ChannelId channel, const Message& message);
  void put_in_line(ChannelId channel, const Message& message);
  void start_wire(ChannelId channel);
  void land(ChannelId channel);
  void arrive(ChannelId channel);
  void take_in(double time);
  std::optional<double> next_time();
  Status stuck() const;
  void record_work(int rank, std::uint32_t lane, std::uint32_t sweep, std::size_t bytes);
  void record_message(ChannelId channel, const Message& message, double end_us);

  /// Where lanes wait for others, each message is a call of its own.
  bool follows(const BoundSweep& sweep) const { return sweep.follows && !world_.has_waits(); }
  std::size_t row_bytes(const BoundSweep& sweep) const;
  std::size_t piece_bytes(const BoundSweep& sweep, std::uint32_t piece) const;
  Piece piece_of(std::size_t bytes) const {
    return {.bytes = bytes, .message_bytes = options_.segment_bytes};
  }
  RankState& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  Lane& lane_of(int rank, std::uint32_t lane) { return lanes_[state(rank).first_lane + lane]; }
  std::span<const Use> path(const Line& line) const {
    return {paths_.data() + line.first_use, line.use_count};
  }
  std::size_t rank_bytes() const;
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
  std::vector<Lane> lanes_;  ///< of all ranks
  std::vector<Line> lines_;
  std::vector<Use> paths_;
  std::vector<std::uint32_t> steps_;  ///< by sweep, with waits: until its messages were read
  std::vector<Owner> owners_;         ///< by activity
  std::vector<int> touched_;
  std::vector<ActivityId> ended_;
  std::vector<Owner> over_;  ///< those of ended_
  std::vector<Use> uses_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<Span> spans_;
  std::uint64_t events_ = 0;
};

}  // namespace rondo::simulate
