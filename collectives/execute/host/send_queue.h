#pragma once

// What one channel still has to send, in schedule order. A send never blocks its lane: the lane
// hands over a job and goes on; the pump posts segments as they become ready and as the endpoint's
// window allows, and counts those that the peer has not consumed yet. To peers that take a wire
// format, a segment is encoded as it is posted, into staging that it has until it is consumed.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/execute/host/plan.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

struct SendJob {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint32_t segments = 1;
  std::uint32_t ready = 0;  ///< segments whose bytes are final
  std::uint32_t posted = 0;
  std::uint32_t sweep = 0;  ///< of the channel's lane, for waits
  /// Segments, the first ones, whose bytes the peer has already when they are ready.
  std::uint32_t stored = 0;
  bool lent = false;  ///< the endpoint lends them: several segments may be one message
  /// Encoded channels: where the losses of encoding are kept, or null.
  float* residual = nullptr;
  /// Encoded channels: `data` becomes what the peer decodes, segment by segment as it is posted.
  bool rounds = false;
};

class SendQueue {
 public:
  /// Of the plan's sender `channel`.
  SendQueue(const Plan& plan, std::size_t channel);

  /// Forgets the last run.
  void reset();
  /// A job for the lane's sweep `sweep`; fill in what is known and raise `ready` as it gets ready.
  SendJob& add(const SendJob& job);
  SendJob& job(std::size_t index) { return jobs_[index]; }
  std::size_t size() const { return job_count_; }

  /// Posts and polls what it can. True if anything moved.
  Result<bool> pump();
  /// Before its lane takes what has come, which may be long copies: the peer shouldn't wait for
  /// what is ready until they are done, and then copy while this rank waits. Only where nothing is
  /// to go out together.
  Status pump_ahead();
  /// Nothing is left to post or pending.
  bool idle() const { return consumed_jobs_ == job_count_; }
  /// True if all jobs of sweeps up to and including `sweep` have been consumed.
  bool consumed_through(std::uint32_t sweep) const;
  int peer() const { return endpoint_->peer(); }

 private:
  Result<bool> post_ready();
  struct Posted {
    transport::Token token = 0;
    std::uint32_t segments = 0;
    std::uint32_t messages = 0;
  };
  // A socket gets no more by one call.
  static constexpr std::uint32_t kMostGathered = 8;

  bool has_ready() const {
    return posting_job_ < job_count_ && jobs_[posting_job_].posted < jobs_[posting_job_].ready;
  }
  Result<Posted> post_next();
  Result<Posted> post_gathered();
  void count_posted(std::uint32_t segments);
  std::uint32_t segments_of_next(const SendJob& job) const;
  transport::Transfer transfer_of(const SendJob& job, std::uint32_t segments);
  transport::Transfer encode(const SendJob& job, std::size_t offset, std::size_t bytes);
  Result<bool> poll_pending();

  transport::Endpoint* endpoint_;
  std::uint16_t lane_;
  const Plan& plan_;
  std::byte* encoded_;  // where messages are encoded, a segment for each posting; or null
  bool gathers_;        // what is ready goes out together
  /// Whatever jobs it is of. Where lanes wait for jobs, what is behind one mustn't hold it up.
  bool gathers_jobs_;
  std::vector<SendJob> jobs_;   // capacity fixed: one per sweep that sends here
  std::vector<Posted> posted_;  // ring
  std::size_t job_count_ = 0;
  std::size_t posting_job_ = 0;          // first job with segments to post
  std::size_t consumed_jobs_ = 0;        // jobs wholly consumed
  std::uint32_t consumed_segments_ = 0;  // of job consumed_jobs_
  std::uint64_t head_ = 0;               // of the ring: postings so far
  std::uint64_t tail_ = 0;
  std::size_t messages_ = 0;  // posted and not consumed
};

}  // namespace rondo::execute
