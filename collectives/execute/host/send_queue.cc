#include "collectives/execute/host/send_queue.h"

#include <algorithm>

#include "collectives/kernels/error_feedback.h"

namespace rondo::execute {
namespace {

bool has_waits(const Plan& plan) {
  return std::ranges::any_of(plan.lanes(), [](const std::vector<BoundSweep>& lane) {
    return std::ranges::any_of(lane, &BoundSweep::is_wait);
  });
}

}  // namespace

SendQueue::SendQueue(const Plan& plan, std::size_t channel)
    : endpoint_(plan.senders()[channel].endpoint),
      lane_(plan.senders()[channel].lane),
      plan_(plan),
      encoded_(plan.wire_rooms().of_sender(channel)),
      gathers_(endpoint_->gathers() && encoded_ == nullptr),
      gathers_jobs_(!has_waits(plan)),
      jobs_(plan.senders()[channel].sweeps),
      posted_(endpoint_->window()) {}

void SendQueue::reset() {
  job_count_ = posting_job_ = consumed_jobs_ = 0;
  consumed_segments_ = 0;
  head_ = tail_ = 0;
  messages_ = 0;
}

SendJob& SendQueue::add(const SendJob& job) {
  SendJob& added = jobs_[job_count_++] = job;
  added.lent = job.segments > 1 && encoded_ == nullptr && endpoint_->lends(job.data, job.bytes);
  return added;
}

Result<bool> SendQueue::pump() {
  if (idle()) return false;
  RONDO_ASSIGN(const bool polled, poll_pending());
  RONDO_ASSIGN(const bool posted, post_ready());
  return polled || posted;
}

Status SendQueue::pump_ahead() {
  if (!has_ready() || endpoint_->gathers()) return {};
  return pump().status();
}

Result<bool> SendQueue::post_ready() {
  bool posted = false;
  while (has_ready() && messages_ < posted_.size()) {
    RONDO_ASSIGN(const Posted next, gathers_ ? post_gathered() : post_next());
    posted_[head_++ % posted_.size()] = next;
    messages_ += next.messages;
    posted = true;
  }
  return posted;
}

Result<SendQueue::Posted> SendQueue::post_next() {
  const SendJob& job = jobs_[posting_job_];
  const std::uint32_t segments = segments_of_next(job);
  const transport::Transfer transfer = transfer_of(job, segments);
  RONDO_ASSIGN(const transport::Token token, endpoint_->post({&transfer, 1}));
  count_posted(segments);
  return Posted{.token = token, .segments = segments, .messages = 1};
}

/// As messages of their own: a step of rows to one peer takes one call of the system.
Result<SendQueue::Posted> SendQueue::post_gathered() {
  std::array<transport::Transfer, kMostGathered> group;
  const std::size_t room = posted_.size() - messages_;
  const std::size_t first_job = posting_job_;
  std::uint32_t count = 0;
  while (has_ready() && count < std::min<std::size_t>(kMostGathered, room) &&
         (gathers_jobs_ || posting_job_ == first_job)) {
    group[count++] = transfer_of(jobs_[posting_job_], 1);
    count_posted(1);
  }
  RONDO_ASSIGN(const transport::Token token, endpoint_->post(std::span(group).first(count)));
  return Posted{.token = token, .segments = count, .messages = count};
}

void SendQueue::count_posted(std::uint32_t segments) {
  SendJob& job = jobs_[posting_job_];
  job.posted += segments;
  if (job.posted == job.segments) ++posting_job_;
}

/// All that are ready where the peer needn't take each from a message of its own. An empty segment,
/// which ends a row whose size only its two ranks know, always has its own.
std::uint32_t SendQueue::segments_of_next(const SendJob& job) const {
  const bool stored = job.posted < job.stored;
  if (!job.lent && !stored) return 1;
  const std::size_t left = job.bytes - job.posted * plan_.segment_bytes();
  const std::size_t full = (left + plan_.segment_bytes() - 1) / plan_.segment_bytes();
  const std::uint32_t end = stored ? job.stored : job.ready;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(full, 1, end - job.posted));
}

transport::Transfer SendQueue::transfer_of(const SendJob& job, std::uint32_t segments) {
  const std::size_t offset = std::min(job.posted * plan_.segment_bytes(), job.bytes);
  const std::size_t bytes = std::min(segments * plan_.segment_bytes(), job.bytes - offset);
  transport::Transfer transfer;
  if (segments > 1) transfer.unit = plan_.segment_bytes();
  if (encoded_ == nullptr) {
    const bool stored = job.posted < job.stored;
    transfer.kind = stored ? transport::TransferKind::kStored : transport::TransferKind::kSend;
    transfer.bytes = bytes;
    // Sends only read; Transfer has one pointer for both directions.
    transfer.data = stored ? nullptr : const_cast<std::byte*>(job.data) + offset;
  } else {
    transfer = encode(job, offset, bytes);
  }
  transfer.lane = lane_;
  return transfer;
}

transport::Transfer SendQueue::encode(const SendJob& job, std::size_t offset, std::size_t bytes) {
  const std::size_t slot = head_ % posted_.size();
  std::byte* const target = encoded_ + slot * plan_.wire_bytes(plan_.segment_bytes());
  const std::size_t first = offset / sizeof(float);
  const std::size_t count = bytes / sizeof(float);
  float* const residual = job.residual == nullptr ? nullptr : job.residual + first;
  const float* const values = reinterpret_cast<const float*>(job.data) + first;
  if (job.rounds) {
    // This rank's own memory, which its lane has done with.
    kernels::encode_and_round(plan_.wire(), const_cast<float*>(values), count, residual, target);
  } else {
    kernels::encode_to_wire(plan_.wire(), values, count, residual, target);
  }
  return {.data = target, .bytes = plan_.wire_bytes(bytes)};
}

Result<bool> SendQueue::poll_pending() {
  bool moved = false;
  while (tail_ < head_) {
    const Posted& oldest = posted_[tail_ % posted_.size()];
    RONDO_ASSIGN(const bool done, endpoint_->poll(oldest.token));
    if (!done) break;
    ++tail_;
    moved = true;
    messages_ -= oldest.messages;
    consumed_segments_ += oldest.segments;
    while (consumed_jobs_ < posting_job_ && consumed_segments_ >= jobs_[consumed_jobs_].segments) {
      consumed_segments_ -= jobs_[consumed_jobs_++].segments;
    }
  }
  return moved;
}

bool SendQueue::consumed_through(std::uint32_t sweep) const {
  return consumed_jobs_ == job_count_ || jobs_[consumed_jobs_].sweep > sweep;
}

}  // namespace rondo::execute
