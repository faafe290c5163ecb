#pragma once

// What a done kRecvView of an endpoint over shared lines refers to.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/endpoint/group_table.h"
#include "transport/endpoint/staging.h"

namespace rondo::transport {

/// The bytes, and what has to be given back for them.
struct LentView {
  static constexpr std::uint16_t kNoSlot = 0xFFFF;

  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t line = 0;
  std::uint16_t lane = 0;
  std::uint16_t slot = kNoSlot;  ///< where they lie in one
  bool holds_line = false;
  std::uint32_t staging = Staging::kNone;
  std::optional<std::uint64_t> place{};  ///< where the peer is to put what is in the slot then
};

using RingGroup = Group<LentView>;
using RingGroups = GroupTable<LentView>;

}  // namespace rondo::transport
