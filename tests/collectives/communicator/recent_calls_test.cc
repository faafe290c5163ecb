#include "collectives/communicator/recent_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace rondo::communicator {
namespace {

using schedule::Collective;

class RecentCallsTest : public testing::Test {
 protected:
  RecentCallsTest() { recent_.remember(call_, call_, &plan_); }

  static inline const std::vector<std::size_t> kCounts{1, 3};
  std::vector<float> data_ = std::vector<float>(8);
  PreparedPlan plan_;
  CallArguments call_{.collective = Collective::kAllReduce,
                      .input = {data_.data(), 4},
                      .output = {data_.data() + 4, 4}};
  RecentCalls recent_;

  static GivenCall given(const CallArguments& call) {
    return {.collective = call.collective,
            .input = &call.input,
            .output = call.output,
            .reduction = call.reduction,
            .root = call.root,
            .uneven = call.uneven,
            .input_counts = call.input_counts,
            .output_counts = call.output_counts};
  }
};

TEST_F(RecentCallsTest, TheVerySameCall_IsKnown) {
  const CallArguments again = call_;
  EXPECT_EQ(recent_.find(again), &plan_);
}

// Its fingerprint is another one.
TEST_F(RecentCallsTest, OneOfASplit_IsNeitherKnownNorTakenForAnother) {
  CallArguments of_split = call_;
  of_split.of_split = true;
  EXPECT_EQ(recent_.find(of_split), nullptr);
  PreparedPlan other;
  recent_.remember(of_split, of_split, &other);
  EXPECT_EQ(recent_.find(call_), &plan_);
}

TEST_F(RecentCallsTest, AsItIsGiven_IsKnownWithWhatItUses) {
  CallArguments used = call_;
  used.output = {};
  recent_.remember(call_, used, &plan_);
  const RecentCalls::Known* const known = recent_.find(given(call_));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->plan, &plan_);
  EXPECT_EQ(known->used.output.pointer, nullptr);
  EXPECT_EQ(recent_.find(given(used)), nullptr);
  EXPECT_EQ(recent_.find(used), &plan_);
}

TEST_F(RecentCallsTest, InPlace_NeedsNoInput) {
  GivenCall in_place = given(call_);
  in_place.input = nullptr;
  EXPECT_EQ(recent_.find(in_place), nullptr);
  CallArguments call = call_;
  call.input = call.output;
  recent_.remember(call, call, &plan_);
  EXPECT_NE(recent_.find(in_place), nullptr);
  EXPECT_NE(recent_.find(given(call)), nullptr);
}

TEST_F(RecentCallsTest, ACallThatDiffersInAnything_IsNot) {
  const std::vector<std::function<void(CallArguments&)>> changes{
      [](CallArguments& call) { call.collective = Collective::kReduce; },
      [this](CallArguments& call) { call.input.pointer = data_.data() + 1; },
      [](CallArguments& call) { call.input.pointer = nullptr; },
      [](CallArguments& call) { call.input.count = 3; },
      [](CallArguments& call) { call.input.dtype = DataType::kI32; },
      [](CallArguments& call) {
        call.input.place = Device{DeviceKind::kEmulated, 0};
      },
      [this](CallArguments& call) { call.output.pointer = data_.data(); },
      [](CallArguments& call) { call.output.count = 5; },
      [](CallArguments& call) { call.output.dtype = DataType::kU32; },
      [](CallArguments& call) {
        call.output.place = Device{DeviceKind::kEmulated, 0};
      },
      [](CallArguments& call) { call.reduction = ReduceOp::kMax; },
      [](CallArguments& call) { call.reduction = Reduction::premultiplied_sum(0.5); },
      [](CallArguments& call) { call.reduction = Reduction::custom({}); },
      [](CallArguments& call) { call.root = 1; },
      [](CallArguments& call) { call.uneven = true; },
      [](CallArguments& call) { call.output_counts = kCounts; },
      [](CallArguments& call) { call.timeout_ms = -1; },
      [](CallArguments& call) { call.exchange = Exchange::kSend; },
      [](CallArguments& call) { call.collective = static_cast<Collective>(200); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CallArguments other = call_;
    changes[i](other);
    EXPECT_EQ(recent_.find(other), nullptr) << "change " << i;
    const bool can_be_given = (other.uneven || other.output_counts.empty()) &&
                              other.exchange == Exchange::kNone && other.timeout_ms == 0;
    if (!can_be_given) continue;
    EXPECT_EQ(recent_.find(given(other)), nullptr) << "change " << i;
  }
}

TEST_F(RecentCallsTest, OneOfEachCollective_IsKept) {
  CallArguments other = call_;
  other.collective = Collective::kBarrier;
  PreparedPlan barrier;
  recent_.remember(other, other, &barrier);
  EXPECT_EQ(recent_.find(other), &barrier);
  EXPECT_EQ(recent_.find(call_), &plan_);
  CallArguments later = call_;
  later.input.count = later.output.count = 2;
  PreparedPlan shorter;
  recent_.remember(later, later, &shorter);
  EXPECT_EQ(recent_.find(later), &shorter);
  EXPECT_EQ(recent_.find(call_), nullptr);
}

TEST_F(RecentCallsTest, OfAPlanThatIsForgotten_AreForgotten) {
  CallArguments other = call_;
  other.collective = Collective::kBarrier;
  PreparedPlan barrier;
  recent_.remember(other, other, &barrier);
  recent_.forget(plan_);
  EXPECT_EQ(recent_.find(call_), nullptr);
  EXPECT_EQ(recent_.find(given(call_)), nullptr);
  EXPECT_EQ(recent_.find(other), &barrier) << "that of another plan";
}

TEST_F(RecentCallsTest, OfUnevenParts_IsKnownByItsCounts_ThoughTheirListIsGone) {
  CallArguments uneven = call_;
  uneven.collective = Collective::kAllToAll;
  uneven.uneven = true;
  PreparedPlan plan;
  {
    const std::vector<std::size_t> sent{1, 3};
    const std::vector<std::size_t> received{2, 2};
    uneven.input_counts = sent;
    uneven.output_counts = received;
    recent_.remember(uneven, uneven, &plan);
  }
  const std::vector<std::size_t> sent{1, 3};
  const std::vector<std::size_t> received{2, 2};
  const std::vector<std::size_t> others{3, 1};
  const std::vector<std::size_t> more{2, 2, 0};
  uneven.input_counts = sent;
  uneven.output_counts = received;
  EXPECT_EQ(recent_.find(uneven), &plan);
  CallArguments even = uneven;
  even.uneven = false;
  even.input_counts = even.output_counts = {};
  EXPECT_EQ(recent_.find(even), nullptr);
  recent_.remember(even, even, &plan_);
  EXPECT_EQ(recent_.find(even), &plan_) << "the two are kept apart";
  EXPECT_EQ(recent_.find(uneven), &plan);
  uneven.input_counts = others;
  EXPECT_EQ(recent_.find(uneven), nullptr);
  uneven.input_counts = sent;
  uneven.output_counts = more;
  EXPECT_EQ(recent_.find(uneven), nullptr);
  uneven.output_counts = received;
  uneven.output.pointer = data_.data();
  EXPECT_EQ(recent_.find(uneven), nullptr);
}

TEST_F(RecentCallsTest, OfUnevenParts_IsKnownAsItIsGiven) {
  const std::vector<std::size_t> counts{1, 3};
  const std::vector<std::size_t> others{3, 1};
  CallArguments call = call_;
  call.collective = Collective::kAllGather;
  call.uneven = true;
  call.output_counts = counts;
  recent_.remember(call, call, &plan_);
  const RecentCalls::Known* const known = recent_.find(given(call));
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(std::ranges::equal(known->used.output_counts, counts));
  call.input_counts = counts;
  EXPECT_EQ(recent_.find(given(call)), nullptr) << "counts that it doesn't have";
  EXPECT_EQ(recent_.find(call), nullptr);
  call.input_counts = {};
  call.output_counts = others;
  EXPECT_EQ(recent_.find(given(call)), nullptr);
}

// The counts of a gather are its root's to give, so nobody else's are even looked at.
TEST_F(RecentCallsTest, CountsThatAreNotUsedHere_MayBeAnything) {
  const std::vector<std::size_t> counts{1, 3};
  CallArguments call = call_;
  call.collective = Collective::kGather;
  call.root = 1;
  call.uneven = true;
  call.output_counts = counts;
  CallArguments used = call;
  used.output = {};
  used.output_counts = {};
  recent_.remember(call, used, &plan_);
  call.output_counts = {reinterpret_cast<const std::size_t*>(64), 77};
  const RecentCalls::Known* const known = recent_.find(given(call));
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(known->used.output_counts.empty());
  EXPECT_EQ(recent_.find(used), &plan_);
}

TEST_F(RecentCallsTest, DeadlineOfACall_IsNotThatOfTheNext) {
  CallArguments impatient = call_;
  impatient.timeout_ms = 10;
  recent_.remember(impatient, impatient, &plan_);
  const RecentCalls::Known* const known = recent_.find(given(call_));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->used.timeout_ms, 0);
}

TEST_F(RecentCallsTest, WhatIsForgotten_IsNotKnown) {
  recent_.forget();
  EXPECT_EQ(recent_.find(call_), nullptr);
  EXPECT_EQ(recent_.find(given(call_)), nullptr);
}

TEST_F(RecentCallsTest, WhatCanNotBeCompared_IsNotKept) {
  RecentCalls recent;
  CallArguments custom = call_;
  custom.reduction = Reduction::custom({});
  CallArguments unknown = call_;
  unknown.collective = static_cast<Collective>(200);
  for (const CallArguments& call : {custom, unknown}) {
    recent.remember(call, call, &plan_);
    EXPECT_EQ(recent.find(call), nullptr);
  }
}

}  // namespace
}  // namespace rondo::communicator
