#include "collectives/execute/host/wire_rooms.h"

#include <algorithm>

#include "collectives/execute/host/plan.h"
#include "core/device/memory.h"
#include "rondo/allocator.h"

namespace rondo::execute {
namespace {

std::size_t most_sources(std::span<const BoundSweep> sweeps) {
  std::size_t most = 0;
  for (const BoundSweep& sweep : sweeps) most = std::max(most, sweep.sources.size());
  return most;
}

}  // namespace

Result<WireRooms> WireRooms::make(const Plan& plan) {
  WireRooms rooms;
  for (const Channel& channel : plan.senders()) {
    const std::size_t segments = channel.encoded ? channel.endpoint->window() : 0;
    rooms.senders_.push_back(rooms.take(segments * plan.wire_bytes(plan.segment_bytes())));
  }
  const bool decodes = std::ranges::any_of(plan.receivers(), &Channel::encoded);
  for (const std::vector<BoundSweep>& sweeps : plan.lanes()) {
    rooms.lanes_.push_back(rooms.take(decodes ? most_sources(sweeps) * plan.segment_bytes() : 0));
  }
  RONDO_ASSIGN(rooms.memory_, device::allocate_memory(Device::host(), rooms.bytes_));
  return rooms;
}

std::size_t WireRooms::take(std::size_t bytes) {
  if (bytes == 0) return kNowhere;
  const std::size_t offset = bytes_;
  bytes_ += (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
  return offset;
}

}  // namespace rondo::execute
