#include "collectives/execute/device/region.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace rondo::execute {

Result<Region> region_of(DevicePlace& place, const void* memory, std::size_t bytes, bool exported) {
  Region region;
  if (bytes == 0 || memory == nullptr) return region;
  region.address = reinterpret_cast<std::uint64_t>(memory);
  region.handle.index = static_cast<std::int16_t>(place.device().index);
  region.handle.bytes = bytes;
  // Not all memory has handles: what comes from a pool of CUDA's is good inside a process alone.
  if (!exported) return region;
  RONDO_ASSIGN(region.handle, place.driver().export_memory(memory));
  if (region.handle.bytes >= bytes) return region;
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("a buffer of {} bytes was given, but {} are left of its allocation "
                            "on {}",
                            bytes, region.handle.bytes, device::name_of(place.device())));
}

Result<std::byte*> open_region(DevicePlace& place, const Region& region, const RegionOf& of) {
  if (region.address == 0) return nullptr;
  if (of.in_this_process) {
    auto* const there = reinterpret_cast<std::byte*>(region.address);
    RONDO_TRY(place.driver().reach(place.device().index, there));
    return there;
  }
  auto opened = place.open_memory(region.handle, of.for_good);
  if (!opened.ok()) return std::move(opened).status().with_culprit(of.peer);
  return opened;
}

}  // namespace rondo::execute
