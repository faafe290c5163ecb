#pragma once

// What a done kRecvView of an endpoint over shared lines refers to.

#include <cstddef>
#include <cstdint>

#include "transport/endpoint/group_table.h"
#include "transport/endpoint/staging.h"

namespace rondo::transport {

/// The bytes, and what has to be given back for them.
struct LentView {
  const std::byte* data = nullptr;
  std::uint64_t line = 0;
  std::uint16_t lane = 0;
  bool holds_line = false;
  std::uint32_t staging = Staging::kNone;
};

using RingGroup = Group<LentView>;
using RingGroups = GroupTable<LentView>;

}  // namespace rondo::transport
