// A call that is taken out from among others of a queue leaves those in their order.

#include "collectives/communicator/call_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "collectives/communicator/pending_call.h"

namespace rondo::communicator {
namespace {

constexpr std::size_t kCalls = 5;

/// Of kCalls that begin at this place of the ring, which of them are left without `taken`.
std::vector<std::size_t> left_without(std::size_t taken, std::size_t begin) {
  CallQueue queue;
  std::array<PendingCall, kCalls> calls;
  for (std::size_t i = 0; i < begin; ++i) {
    queue.push(calls[0]);
    queue.pop();
  }
  for (PendingCall& call : calls) queue.push(call);
  EXPECT_TRUE(queue.take_out(calls[taken]));
  EXPECT_FALSE(queue.take_out(calls[taken]));
  std::vector<std::size_t> left;
  for (; !queue.empty(); queue.pop())
    left.push_back(static_cast<std::size_t>(&queue.front() - calls.data()));
  return left;
}

TEST(CallQueueTest, TakenOut_LeavesTheOthersInOrder) {
  for (const std::size_t begin : {std::size_t{0}, CallQueue::kCapacity - 2}) {
    for (std::size_t taken = 0; taken < kCalls; ++taken) {
      std::vector<std::size_t> others;
      for (std::size_t i = 0; i < kCalls; ++i)
        if (i != taken) others.push_back(i);
      EXPECT_EQ(left_without(taken, begin), others) << taken << " from " << begin;
    }
  }
}

TEST(CallQueueTest, WhatIsNotThere_IsNotTakenOut) {
  CallQueue queue;
  PendingCall there, other;
  EXPECT_FALSE(queue.take_out(there));
  queue.push(there);
  EXPECT_FALSE(queue.take_out(other));
  EXPECT_EQ(&queue.front(), &there);
}

}  // namespace
}  // namespace rondo::communicator
