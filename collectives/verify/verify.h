#pragma once

// Proves a world of schedules right, or says where it is wrong: right values, the same expression
// on every rank, no deadlock, nothing left over, no race for memory, direct stores only where the
// target is free. Pure; threads: any.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation.h"
#include "collectives/verify/machine.h"
#include "collectives/verify/rank_order.h"
#include "core/status.h"

namespace rondo::verify {

struct Report {
  std::uint32_t least_credits = 1;  ///< messages per channel that the world needs
  std::uint64_t sweeps = 0;
  std::uint64_t messages = 0;
};

/// One channel model, in place or not. `model.credits` is the most that is tried.
/// Errors: InvalidArgument, naming rank, sweep and row.
Result<Report> verify(std::span<const schedule::FusedSchedule> world, const Model& model,
                      Order order = Order::kAny);

/// The models that a world must be right in: eager and direct channels, with and without direct
/// stores if it has any, each in place and out of place. Real channels are a mix of these, pair by
/// pair. Without waits a mix allows nothing that all of them refuse; with waits it may (what one
/// channel lends, and another one's consumer would have told), and so there is one more model,
/// which lends everything and in which waits teach as little as where everything is copied.
std::vector<Model> models_for(std::span<const schedule::FusedSchedule> world,
                              std::uint32_t credits);

/// All of these models; `least_credits` is the most that one needs.
Result<Report> verify(std::span<const schedule::FusedSchedule> world, Order order = Order::kAny);

/// The same verdict from one run or two where those are enough to accept, else from all models.
/// `least_credits` is the same too; the counts are of what was run.
///
/// A run with direct channels in place that lends all messages and does the direct stores as well
/// forbids what any model forbids, if no sweep waits:
/// - Stores or not, the sweeps are the same network with the same clocks. What a store into peer
///   memory must come after, the owner's recv, which comes after the store, comes after too.
/// - Eager channels forbid what direct ones do, but for what pending messages are read from. (Waits
///   are different: an eager message is consumed at once, and teaches less.)
/// - Out of place a cell is touched by some of the sweeps that touch it in place. If there any two
///   of those of which one writes are ordered, so are they out of place.
/// What is left is what memory holds out of place. Without races it doesn't depend on the order, so
/// a run without clocks tells; and not even that is needed where everything that was read as output
/// had been written as output before, and what was read as input hadn't.
Result<Report> verify_at_once(std::span<const schedule::FusedSchedule> world,
                              Order order = Order::kAny);

/// What these runs of the bases alone count (machine.h), if these are enough to accept the world.
/// They are sufficient, and so a no is none yet: nothing without a rotation, or where a wait, a
/// by_rank sweep or a row that stays hides what verify would see.
std::optional<Report> accept_folded(const schedule::FoldedWorld& world, Order order = Order::kAny);

/// Values, order and the end of every call, with messages that are copied, in place and out of
/// place; not who may touch which memory when: that takes a clock for each pair of ranks. For
/// worlds that are too large for these.
Result<Report> verify_values(const schedule::FoldedWorld& world, Order order = Order::kAny);

/// The same verdict as of the unfolded world, which is looked at where accept_folded doesn't
/// accept.
Result<Report> verify_at_once(const schedule::FoldedWorld& world, Order order = Order::kAny);

}  // namespace rondo::verify
