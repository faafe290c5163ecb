#include "collectives/execute/device/closing.h"

#include <fmt/format.h>

namespace rondo::execute {

Closing::Told Closing::begin(DevicePlace& place, int peer) {
  place.given()->next_for(peer, mine_);
  theirs_.clear();
  exchange_ = {};
  tells_ = hears_ = false;
  return {.gone = mine_.size(), .closed = place.closed(peer)};
}

void Closing::begin_with_neighbour() { tells_ = hears_ = true; }

Result<bool> Closing::step(DevicePlace& place, transport::Endpoint& endpoint,
                           const Exchange& meeting, const Told& theirs) {
  // One message at a time each way, as an endpoint has room for.
  if (meeting.told() && !tells_) {
    tells_ = true;
    if (!mine_.empty())
      RONDO_TRY(exchange_.tell(endpoint, mine_.data(), mine_.size() * sizeof(GoneHandle)));
  }
  if (meeting.heard() && !hears_) {
    hears_ = true;
    place.given()->confirm(endpoint.peer(), theirs.closed);
    RONDO_TRY(hear(endpoint, theirs.gone));
  }
  RONDO_ASSIGN(const bool moved, exchange_.poll(endpoint));
  if (exchange_.heard()) {
    for (const GoneHandle& gone : theirs_) place.close(gone, endpoint.peer());
    theirs_.clear();
  }
  return moved;
}

Status Closing::hear(transport::Endpoint& endpoint, std::uint64_t count) {
  if (count > GivenHandles::kMostAtOnce) {
    return Status(ErrorCode::kDataLoss,
                  fmt::format("rank {} tells of {} handles that are gone, {} are told at most",
                              endpoint.peer(), count, GivenHandles::kMostAtOnce),
                  endpoint.peer());
  }
  theirs_.resize(count);
  if (count == 0) return {};
  return exchange_.hear(endpoint, theirs_.data(), count * sizeof(GoneHandle));
}

}  // namespace rondo::execute
