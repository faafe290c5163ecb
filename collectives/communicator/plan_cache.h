#pragma once

// Plans of one communicator by what they depend on, with the last one used at hand.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/device/moved_bytes.h"
#include "collectives/execute/host/plan.h"
#include "collectives/execute/host/plan_runner.h"
#include "core/cache_line.h"
#include "core/trace/call_record.h"
#include "core/trace/series.h"
#include "transport/endpoint/call.h"

namespace rondo::algorithms {
struct Algorithm;
}

namespace rondo::communicator {

/// A plan with the state of its runs. Calls that were started share it with the cache.
struct PreparedPlan : std::enable_shared_from_this<PreparedPlan> {
  std::unique_ptr<execute::Plan> plan;  ///< null where the runner needs none
  std::unique_ptr<execute::Runner> runner;
  /// Which runner of a built-in algorithm that is, on the host.
  enum class RunBy : std::uint8_t {
    kOther,
    kBulletins,
    kOneShot,
    kMoves,
    kEagerCopied,
    kEagerLent,
    kPlan
  };
  RunBy run_by = RunBy::kOther;
  std::string_view algorithm;
  const algorithms::Algorithm* built_in = nullptr;  ///< null: a user's schedule, or a library
  std::string_view wire_format = "none";
  double predicted_us = 0;   ///< 0: unknown
  double registered_us = 0;  ///< on registered memory, where that is told apart; else 0
  bool on_device = false;    ///< runs where the buffers lie
  execute::HeadStart head_start = execute::HeadStart::kNone;  ///< the runner's
  /// Of one pair of buffers.
  std::size_t residual_bytes() const {
    return plan == nullptr ? 0 : plan->residual_count() * sizeof(float);
  }
  transport::Fingerprint key;
  std::size_t scratch_bytes = 0;  ///< that it keeps
  std::uint64_t used = 0;         ///< larger: later; what is kept of many goes by it
  std::uint32_t era = 0;          ///< Place::era of its making
  std::string range;              ///< the call's name in profilers of devices, where there are any
  trace::Series* series = nullptr;  ///< that its calls are counted in
  /// What the records of its calls have alike.
  alignas(kCacheLineBytes) trace::CallRecord record;
  /// By each call, between devices; empty where endpoints count it all, or nobody can.
  std::vector<execute::MovedBytes> moved;
};

/// Whether `plan`, which its cache alone has, is one of calls that differ from `key` in nothing but
/// their counts.
bool is_free_for(const std::shared_ptr<PreparedPlan>& plan, const transport::Fingerprint& key);

/// The fingerprint holds all that a plan depends on: in place or not, the plan is the same. Ranks
/// that make the same calls keep and forget the same plans, as each call counts as a use, however
/// its plan was found. With a plan goes its scratch, and what its wire format has carried over
/// (residuals).
class PlanCache {
 public:
  static constexpr std::size_t kMost = 256;
  /// Of scratch that they keep, but that of a single one.
  static constexpr std::size_t kMostBytes = std::size_t{2} << 30;

  /// Null where there is none (any more).
  PreparedPlan* find(const transport::Fingerprint& key);
  /// Takes out the plan that was used least recently, where there is no room for one more and it
  /// may be made one of calls like `key`; otherwise null.
  std::shared_ptr<PreparedPlan> take_one_like(const transport::Fingerprint& key);
  /// Takes out the plan that was used least recently, where there is no room for `next` beside what
  /// there is; null: there is room.
  std::shared_ptr<PreparedPlan> make_room_for(const PreparedPlan& next);
  /// By its own key, once there is room.
  PreparedPlan& insert(std::shared_ptr<PreparedPlan> plan);

 private:
  /// Of a plan, when it was looked at: it may have been used since.
  struct Seen {
    std::uint64_t used = 0;
    const PreparedPlan* plan = nullptr;
  };

  struct Hash {
    std::size_t operator()(const transport::Fingerprint& key) const;
  };
  bool is_full_for(const PreparedPlan& plan) const {
    return plans_.size() >= kMost ||
           (!plans_.empty() && scratch_bytes_ + plan.scratch_bytes > kMostBytes);
  }
  using Plans = std::unordered_map<transport::Fingerprint, std::shared_ptr<PreparedPlan>, Hash>;
  void note(const PreparedPlan& plan);
  const PreparedPlan& least_recently_used();
  std::shared_ptr<PreparedPlan> take(Plans::iterator entry);

  Plans plans_;
  /// A heap of all of them, first whoever had been used least recently: calls themselves only stamp
  /// their plans, and a program of new counts each time forgets one with each call.
  std::vector<Seen> seen_;
  std::size_t scratch_bytes_ = 0;
  transport::Fingerprint last_key_;
  PreparedPlan* last_ = nullptr;
};

/// The plans of calls whose parts have sizes of their own, by all counts: the last few, since many
/// programs have others each time. Of those whose losses are made up for in the next call as many
/// as of equal parts, where all of that takes no more memory than one plan's may (residuals.h).
class UnevenPlans {
 public:
  static constexpr std::size_t kMost = 8;
  static constexpr std::size_t kMostWithResiduals = PlanCache::kMost;
  static constexpr std::size_t kMostBytes = std::size_t{2} << 30;

  /// Null where there is none (any more).
  PreparedPlan* find(const transport::Fingerprint& key, const CallArguments& arguments);
  /// Takes out, where there is no room for one more, the one that was used least recently of those
  /// that may be made one of calls like `key`; otherwise null. None that makes up for losses.
  std::shared_ptr<PreparedPlan> take_one_like(const transport::Fingerprint& key);
  /// Takes out the plan of its kind that was used least recently, where there is no room for `next`
  /// beside what there is; null: there is room.
  std::shared_ptr<PreparedPlan> make_room_for(const PreparedPlan& next);
  /// Once there is room.
  PreparedPlan& insert(const transport::Fingerprint& key, const CallArguments& arguments,
                       std::shared_ptr<PreparedPlan> plan);

 private:
  /// One that has no plan keeps its memory for the next.
  struct Entry {
    transport::Fingerprint key;
    std::size_t residual_bytes = 0;
    std::size_t input_count = 0;
    std::size_t output_count = 0;
    std::vector<std::size_t> input_counts;
    std::vector<std::size_t> output_counts;
    std::shared_ptr<PreparedPlan> plan;
  };
  static bool is_like(const Entry& entry, bool has_residuals) {
    return entry.plan != nullptr && (entry.residual_bytes != 0) == has_residuals;
  }
  bool is_full_for(const PreparedPlan& plan) const;
  /// Of the entries that are `of` it; null: none is.
  template <class Predicate>
  Entry* least_recently_used(Predicate of);

  std::vector<Entry> entries_;
};

}  // namespace rondo::communicator
