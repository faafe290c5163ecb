#include "collectives/execute/device/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace rondo::execute {
namespace {

std::string still_open(const DevicePlace& place, int peer) {
  return fmt::format(
      "rank {} has freed memory that this process had open, and other memory lies at its address "
      "now, which {} can't open: the old one is closed when no stream or kernel of this process "
      "waits for a call any more. Expected: buffers of calls in streams (Call::on) that are kept "
      "from call to call, or no stream",
      peer, device::name_of(place.device()));
}

}  // namespace

Result<bool> Opening::look(DevicePlace& place, std::span<const Region> regions, int peer) {
  const auto waits = [&](const Region& region) {
    return region.address != 0 && place.opening_waits(region.handle);
  };
  done_ = std::ranges::none_of(regions, waits);
  if (done_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (!since_.has_value()) since_ = now;
  if (now - *since_ < kPatience) return false;
  return Status(ErrorCode::kDevice, still_open(place, peer), peer);
}

Status Opening::explained(Status timeout, const DevicePlace& place, int peer) const {
  const bool has_waited = !done_ && since_.has_value();
  const bool is_known = timeout.culprit() != kNoCulprit;
  if (timeout.code() != ErrorCode::kTimeout || is_known || !has_waited) return timeout;
  return Status(timeout.code(), fmt::format("{}; {}", timeout.message(), still_open(place, peer)),
                peer, timeout.where());
}

}  // namespace rondo::execute
