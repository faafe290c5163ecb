#include "collectives/communicator/pending_call.h"

#include <utility>

namespace rondo::communicator {

void PendingCall::set_arguments(const CallArguments& given) {
  arguments = given;
  input_counts.assign(given.input_counts.begin(), given.input_counts.end());
  output_counts.assign(given.output_counts.begin(), given.output_counts.end());
  arguments.input_counts = input_counts;
  arguments.output_counts = output_counts;
}

void PendingCall::rethrow() const {
  throw_if_error(status);
  if (thrown) std::rethrow_exception(thrown);
}

PendingCall& CallPool::take() {
  if (at_hand_ == nullptr) at_hand_ = given_back_.exchange(nullptr, std::memory_order_acquire);
  if (at_hand_ == nullptr) {
    all_.push_back(std::make_unique<PendingCall>());
    at_hand_ = all_.back().get();
  }
  PendingCall& call = *std::exchange(at_hand_, at_hand_->next_free);
  call.next_free = nullptr;
  call.stage.store(PendingCall::Stage::kPending, std::memory_order_relaxed);
  call.holders.store(2, std::memory_order_relaxed);
  call.status = {};
  call.thrown = nullptr;
  return call;
}

void CallPool::release(PendingCall& call) {
  if (call.holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  call.plan.reset();
  call.order.reset();
  call.capture = nullptr;
  call.continuation = nullptr;
  call.next_free = given_back_.load(std::memory_order_relaxed);
  while (!given_back_.compare_exchange_weak(call.next_free, &call, std::memory_order_release,
                                            std::memory_order_relaxed)) {
  }
}

}  // namespace rondo::communicator
