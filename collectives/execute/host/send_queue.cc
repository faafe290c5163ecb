#include "collectives/execute/host/send_queue.h"

#include <algorithm>

#include "collectives/kernels/error_feedback.h"

namespace rondo::execute {

SendQueue::SendQueue(const Channel& channel, const Plan& plan)
    : endpoint_(channel.endpoint),
      lane_(channel.lane),
      plan_(plan),
      staging_(channel.encoded ? plan.wire_bytes(plan.segment_bytes()) * channel.endpoint->window()
                               : 0),
      jobs_(channel.sweeps),
      tokens_(channel.endpoint->window()) {}

void SendQueue::reset() {
  job_count_ = posting_job_ = consumed_jobs_ = 0;
  consumed_segments_ = 0;
  token_head_ = token_tail_ = 0;
}

SendJob& SendQueue::add(const SendJob& job) { return jobs_[job_count_++] = job; }

Result<bool> SendQueue::pump() {
  if (idle()) return false;
  RONDO_ASSIGN(const bool polled, poll_pending());
  RONDO_ASSIGN(const bool posted, post_ready());
  return polled || posted;
}

Result<bool> SendQueue::post_ready() {
  bool posted = false;
  while (posting_job_ < job_count_) {
    SendJob& job = jobs_[posting_job_];
    while (job.posted < job.ready && token_head_ - token_tail_ < tokens_.size()) {
      RONDO_ASSIGN(tokens_[token_head_ % tokens_.size()], post_segment(job));
      ++token_head_;
      ++job.posted;
      posted = true;
    }
    if (job.posted < job.segments) break;
    ++posting_job_;
  }
  return posted;
}

Result<transport::Token> SendQueue::post_segment(const SendJob& job) {
  const std::size_t offset = job.posted * plan_.segment_bytes();
  const std::size_t bytes = std::min(plan_.segment_bytes(), job.bytes - offset);
  transport::Transfer transfer;
  if (staging_.empty()) {
    transfer.kind = job.stored ? transport::TransferKind::kStored : transport::TransferKind::kSend;
    transfer.bytes = bytes;
    // Sends only read; Transfer has one pointer for both directions.
    transfer.data = job.stored ? nullptr : const_cast<std::byte*>(job.data) + offset;
  } else {
    transfer = encode(job, offset, bytes);
  }
  transfer.lane = lane_;
  return endpoint_->post({&transfer, 1});
}

transport::Transfer SendQueue::encode(const SendJob& job, std::size_t offset, std::size_t bytes) {
  const std::size_t slot = token_head_ % tokens_.size();
  std::byte* const target = staging_.data() + slot * plan_.wire_bytes(plan_.segment_bytes());
  const std::size_t first = offset / sizeof(float);
  kernels::encode_to_wire(plan_.wire(), reinterpret_cast<const float*>(job.data) + first,
                          bytes / sizeof(float),
                          job.residual == nullptr ? nullptr : job.residual + first, target);
  return {.data = target, .bytes = plan_.wire_bytes(bytes)};
}

Result<bool> SendQueue::poll_pending() {
  bool moved = false;
  while (token_tail_ < token_head_) {
    RONDO_ASSIGN(const bool done, endpoint_->poll(tokens_[token_tail_ % tokens_.size()]));
    if (!done) break;
    ++token_tail_;
    moved = true;
    if (++consumed_segments_ == jobs_[consumed_jobs_].segments) {
      consumed_segments_ = 0;
      ++consumed_jobs_;
    }
  }
  return moved;
}

bool SendQueue::consumed_through(std::uint32_t sweep) const {
  return consumed_jobs_ == job_count_ || jobs_[consumed_jobs_].sweep > sweep;
}

}  // namespace rondo::execute
