#pragma once

// The schedule that a communicator's user brings (CommunicatorOptions::schedule): read and proved
// before it runs, on every rank; that all have the same is compared when the world is joined.

#include <cstdint>
#include <memory>
#include <string>

#include "collectives/communicator/call_arguments.h"
#include "collectives/schedule/rotation.h"
#include "core/status.h"

namespace rondo::communicator {

struct UserSchedule {
  std::string name;
  std::string digest;  ///< tells two of them apart
  schedule::FoldedWorld world;
  std::uint32_t least_credits = 1;  ///< messages that each channel has to hold

  const schedule::Request& request() const { return world.bases.front().request; }
  /// Whether it is a schedule for this call in a world of so many ranks: of equal parts, in any
  /// order (a reduction by rank order asks for algorithms that are proved to keep it).
  bool fits(const CallArguments& arguments, int ranks, bool in_rank_order) const;
};

/// `option`: a file's path, or the JSON itself (json::is_object_text). Null where it is empty.
/// Errors: InvalidArgument: no such file; what is wrong with it.
Result<std::shared_ptr<const UserSchedule>> load_schedule(const std::string& option);

}  // namespace rondo::communicator
