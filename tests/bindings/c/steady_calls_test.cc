// What calls through C's interface cost whose like were made before: no allocation and no lock,
// whether they block, are structs, have parts of their own sizes, or are started.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "tests/bindings/c/out_of_band.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/steady_cost.h"

namespace rondo::testing {
namespace {

void check(rondo_status status) { ASSERT_EQ(status, RONDO_OK) << rondo_last_error()->message; }

/// All that a rank calls in one round.
class CRound {
 public:
  explicit CRound(Communicator& rank)
      : rank_(rank.rank()), counts_(static_cast<std::size_t>(rank.size()), 2) {
    check(rondo_create_by_all_gather(gather, &rank, rank.rank(), rank.size(), nullptr, &handle_));
    all_.resize(2 * counts_.size());
    sum_.kind = RONDO_ALL_REDUCE;
    sum_.type = RONDO_F32;
    sum_.op = RONDO_SUM;
    sum_.input = sum_.output = part_.data();
    sum_.input_count = sum_.output_count = part_.size();
    parts_ = sum_;
    parts_.kind = RONDO_ALL_GATHER;
    parts_.output = all_.data();
    parts_.output_count = all_.size();
    parts_.output_counts = counts_.data();
    message_.type = RONDO_F32;
    message_.input = message_.output = part_.data();
    message_.input_count = message_.output_count = part_.size();
  }
  ~CRound() { rondo_destroy(handle_); }
  CRound(const CRound&) = delete;
  CRound& operator=(const CRound&) = delete;

  void blocking() {
    part_ = {0.25F + static_cast<float>(rank_), 1.5F};
    check(
        rondo_all_reduce(handle_, part_.data(), part_.data(), part_.size(), RONDO_F32, RONDO_SUM));
    EXPECT_EQ(part_[0], 0.75F + 3);
    check(rondo_barrier(handle_));
    check(rondo_run(handle_, &sum_));
  }
  void of_parts() {
    part_ = {0.25F + static_cast<float>(rank_), 1.5F};
    check(rondo_run(handle_, &parts_));
    for (std::size_t peer = 0; peer < counts_.size(); ++peer) {
      EXPECT_EQ(all_[2 * peer], 0.25F + static_cast<float>(peer));
    }
    exchange();
    check(rondo_run(handle_, &parts_));
  }
  void started() {
    std::array<rondo_work*, 3> works{};
    check(rondo_start(handle_, &sum_, &works[0]));
    check(rondo_start(handle_, &parts_, &works[1]));
    check(rondo_start(handle_, &sum_, &works[2]));
    for (rondo_work* work : works) {
      check(rondo_work_wait(work));
      check(rondo_work_release(work));
    }
  }

 private:
  /// Rank 0's to rank 1.
  void exchange() {
    if (rank_ > 1) return;
    message_.kind = rank_ == 0 ? RONDO_SEND : RONDO_RECEIVE;
    message_.root = 1 - rank_;
    check(rondo_run(handle_, &message_));
  }

  rondo_communicator* handle_ = nullptr;
  int rank_;
  std::vector<std::size_t> counts_;
  std::array<float, 2> part_{};
  std::vector<float> all_;
  rondo_call sum_ = RONDO_CALL_INIT;
  rondo_call parts_ = RONDO_CALL_INIT;
  rondo_call message_ = RONDO_CALL_INIT;
};

void expect_nothing(void (CRound::*calls)()) {
  const Cost cost = cost_of<CRound>({.size = 3}, [calls](CRound& round) { (round.*calls)(); });
  EXPECT_EQ(cost.allocations, 0U);
  EXPECT_EQ(cost.locks, 0U);
}

TEST(CSteadyState, BlockingCalls_AllocateAndLockNothing) { expect_nothing(&CRound::blocking); }

TEST(CSteadyState, CallsOfPartsAndMessages_AllocateAndLockNothing) {
  expect_nothing(&CRound::of_parts);
}

TEST(CSteadyState, StartedCalls_AllocateAndLockNothing) { expect_nothing(&CRound::started); }

TEST(CSteadyState, WorkThatWasGivenBack_IsToldUntilItIsAnother) {
  spawn({.size = 1}, [](Communicator& rank) {
    rondo_communicator* handle = nullptr;
    check(rondo_create_by_all_gather(gather, &rank, 0, 1, nullptr, &handle));
    const rondo_call barrier = RONDO_CALL_INIT;
    rondo_work* work = nullptr;
    check(rondo_start(handle, &barrier, &work));
    check(rondo_work_wait(work));
    check(rondo_work_release(work));
    EXPECT_EQ(rondo_work_wait(work), RONDO_INVALID_ARGUMENT);
    EXPECT_EQ(rondo_work_release(work), RONDO_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(rondo_last_error()->message, "given back"), nullptr);
    check(rondo_destroy(handle));
  });
}

}  // namespace
}  // namespace rondo::testing
