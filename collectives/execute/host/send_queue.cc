#include "collectives/execute/host/send_queue.h"

#include <algorithm>

namespace rondo::execute {

SendQueue::SendQueue(const Channel& channel, std::size_t segment_bytes)
    : endpoint_(channel.endpoint),
      lane_(channel.lane),
      segment_bytes_(segment_bytes),
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
      const std::size_t offset = job.posted * segment_bytes_;
      transport::Transfer transfer;
      transfer.kind =
          job.stored ? transport::TransferKind::kStored : transport::TransferKind::kSend;
      transfer.lane = lane_;
      transfer.bytes = std::min(segment_bytes_, job.bytes - offset);
      // Sends only read; Transfer has one pointer for both directions.
      transfer.data = job.stored ? nullptr : const_cast<std::byte*>(job.data) + offset;
      RONDO_ASSIGN(tokens_[token_head_ % tokens_.size()], endpoint_->post({&transfer, 1}));
      ++token_head_;
      ++job.posted;
      posted = true;
    }
    if (job.posted < job.segments) break;
    ++posting_job_;
  }
  return posted;
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
