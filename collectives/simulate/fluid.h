#pragma once

// Activities that share resources: work on cores, bytes on links. At every moment each runs as fast
// as max-min fairness allows: all are raised alike until a resource of theirs is used up, then the
// others go on (the fluid model of flow-level simulators: Velho, Schnorr, Casanova, Legrand, On the
// Validity of Flow-level TCP Network Models, ACM TOMACS 23 (2013)).
//
// Only the activities that are joined by resources to what has changed are shared out anew. What
// comes out of a sharing depends on numbers of activities alone, not on their order: ranks that are
// alike get the same bits, which is what lets them be simulated once. What is joined changes as a
// whole, so the queue of ends has one entry for all of it, not one for each activity. One thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "collectives/simulate/trace_hash.h"

namespace rondo::simulate {

using ResourceId = std::uint32_t;
using ActivityId = std::uint32_t;

/// An activity at speed 1 takes `weight` of the resource's capacity. With a weight of 0 it gets the
/// share that others have there.
struct Use {
  ResourceId resource = 0;
  double weight = 1;
};

/// To the next multiple of 2^-20 us, about a picosecond: what happens at one instant is not drawn
/// apart by the rounding of one more sum.
double on_grid(double time_us);

/// Times are on the grid.
class Fluid {
 public:
  /// `capacity` > 0.
  ResourceId add_resource(double capacity);

  /// Begins at the time now. `most_speed`: 0 for what only its resources limit; then there is at
  /// least one. At most kMostUses. An activity's number is used again once it has ended.
  ActivityId start(double amount, double most_speed, std::span<const Use> uses);

  /// When the next activity ends, if nothing else is started before; none: nothing runs.
  std::optional<double> next_end();
  /// Moves the time on to `time`, which is not after next_end(), and gives those that end then.
  void advance(double time, std::vector<ActivityId>& ended);

  /// What stands for when the activity had which speeds. Of one that has ended: until another is
  /// started.
  std::uint64_t trace(ActivityId id) const { return activities_[id].trace.bits(); }
  /// How many shares have been worked out: the time goes by that, too.
  std::uint64_t work() const { return work_; }

  static constexpr std::size_t kMostUses = 5;

 private:
  struct Activity {
    double remaining = 0;  ///< at the time `since`
    double since = 0;
    double speed = 0;
    double most_speed = 0;
    std::array<Use, kMostUses> uses{};
    std::array<std::uint32_t, kMostUses> places{};  ///< in each resource's users
    std::uint8_t use_count = 0;
    bool shared_out = false;  ///< in the sharing under way
    bool gathered = false;
    double end = 0;  ///< with this speed
    TraceHash trace{};
  };
  struct User {
    ActivityId activity;
    std::uint8_t use;
  };
  struct Resource {
    double capacity = 0;
    std::vector<User> users{};
    double left = 0;       ///< in the sharing under way
    double weight = 0;     ///< of the users not yet shared out,
    std::size_t open = 0;  ///< and their number
    bool gathered = false;
    bool changed = false;
    std::uint32_t sharing = 0;  ///< its number; older ends in the queue are void
    double share() const;       ///< what its users can be raised to
  };
  /// The first of the activities that are joined by `resource`; of one that uses none: its own.
  struct End {
    double time;
    bool is_alone;
    std::uint32_t of;  ///< resource or activity
    std::uint32_t sharing;
    friend bool operator>(const End& a, const End& b) { return a.time > b.time; }
  };

  std::span<Use> uses_of(Activity& activity) { return {activity.uses.data(), activity.use_count}; }
  void mark_changed(const Activity& activity);
  void leave_resources(ActivityId id);
  void share_out();
  void gather(ResourceId first);
  void queue_first_end();
  bool is_void(const End& end) const;
  void end_joined(ResourceId first, std::vector<ActivityId>& ended);
  void end(ActivityId id, std::vector<ActivityId>& ended);
  double least_share();
  void share_out_upto(double share);
  void set_speed(ActivityId id, double speed);

  double now_ = 0;
  std::uint64_t work_ = 0;
  std::vector<Activity> activities_;
  std::vector<ActivityId> free_;
  std::vector<Resource> resources_;
  std::vector<ResourceId> changed_;
  std::vector<ResourceId> component_;  ///< of the sharing under way
  std::vector<ActivityId> members_;    ///< likewise
  std::vector<ActivityId> open_;       ///< those not yet shared out
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace rondo::simulate
