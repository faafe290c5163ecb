#pragma once

// Runs one lane of a plan: sweep after sweep, segment by segment, never waiting. A step does what
// can be done now and says whether anything moved; the run decides how to wait.
//
// A sweep with one source moves bytes (received straight into its first memory target); a sweep
// with several reduces, reading peers' bytes where their endpoint lends them and storing to every
// target at once, also into the peer's memory where the plan allows it and the endpoint can: by its
// address, or in place of what the peer sent (Endpoint::write_back).
// Where the plan has a wire format, what is computed is rounded to it where it is stored, and what
// a peer sent encoded is decoded first (wire_points.h).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/execute/host/drive.h"
#include "collectives/execute/host/plan.h"
#include "collectives/execute/host/send_queue.h"
#include "collectives/kernels/custom.h"

namespace rondo::execute {

/// Where the buffers of one call lie, by schedule::BufferRole.
using Bases = std::array<std::byte*, 3>;

class LaneRunner {
 public:
  LaneRunner(const Plan& plan, std::size_t lane);

  /// `operands`: of the call; `residuals`: those of this run's buffers, or null.
  void reset(const Bases& bases, const Operands& operands, float* residuals);
  /// Does what can be done now; true if anything moved.
  Result<bool> step(std::span<LaneRunner> lanes, std::span<SendQueue> senders);
  bool done() const { return sweep_ == sweeps_.size(); }
  std::uint32_t sweep() const { return sweep_; }
  /// For errors, which may be about one of many messages: the size of the current sweep's row.
  std::string size_text() const;
  /// The rank whose message the current sweep still lacks, or kNoCulprit.
  int waits_for() const;

 private:
  static constexpr std::size_t kNoSource = static_cast<std::size_t>(-1);

  /// Posted receives of one source port of the current sweep.
  struct Incoming {
    std::vector<transport::Token> tokens;  // ring, as long as the endpoint's window
    std::uint32_t posted = 0;
    std::uint32_t done = 0;
  };

  bool wait_is_over(std::span<LaneRunner> lanes, std::span<SendQueue> senders) const;
  void begin_sweep(std::span<SendQueue> senders);
  Result<bool> move_segments(std::span<SendQueue> senders);
  Result<bool> post_receives();
  Result<bool> poll_receives();
  std::uint32_t segments_arrived() const;
  std::uint32_t contiguous(std::uint32_t segment, std::uint32_t end);
  Status finish_segments(std::uint32_t first, std::uint32_t count, std::span<SendQueue> senders);
  void copy_segments(std::uint32_t first, std::size_t bytes);
  Status reduce_segments(std::uint32_t first, std::uint32_t count, std::size_t bytes);
  void release_segment(std::uint32_t segment);
  Status combine_pieces(std::size_t bytes, std::size_t target_count);
  void decode_segment(std::uint32_t segment);
  void round_segment(std::uint32_t segment);
  const std::byte* received(std::size_t source, std::uint32_t segment);
  void find_targets();
  bool stores_into_peer(std::size_t target) const;
  bool stores_into_peers() const;
  Status begin_stores() const;
  void end_stores() const;
  transport::Endpoint& target_peer(std::size_t target) const;
  std::size_t replaceable_source(std::size_t target) const;
  bool writes_back() const;
  std::byte* write_back(std::size_t target, std::uint32_t segment);

  const BoundSweep& current() const { return sweeps_[sweep_]; }
  bool receives_into_place() const;
  bool decodes_into_place() const;
  const Channel& receiver(const BoundPort& port) const { return plan_.receivers()[port.channel]; }
  float* residual(const BoundSweep& sweep, std::uint32_t segment) const;
  std::byte* memory(const BoundSlice& slice, std::uint32_t segment) const;
  std::size_t segment_bytes(std::uint32_t segment) const;
  const std::byte* first_memory() const;
  bool sends_before_copy(const transport::Endpoint& peer) const;

  const Plan& plan_;
  std::span<const BoundSweep> sweeps_;
  std::uint16_t lane_;
  std::byte* decoded_;  // by source port: a segment that came encoded; null: none does
  Bases bases_{};
  kernels::CustomKernel custom_;
  trace::CallTimer* timer_ = nullptr;
  float* residuals_ = nullptr;
  std::uint32_t sweep_ = 0;
  std::uint32_t segment_ = 0;  // next segment of the current sweep to finish
  bool begun_ = false;
  std::vector<Incoming> incoming_;  // by source port
  std::vector<std::byte*> stores_;  // by target port: where to store; null: nowhere (sent)
  std::vector<std::size_t> backs_;  // by target port: the source port to replace, or kNoSource
  std::vector<std::size_t> jobs_;   // by target port: index of its send job
  std::vector<const void*> source_list_;  // arguments of the kernel, reused
  std::vector<void*> target_list_;
};

}  // namespace rondo::execute
