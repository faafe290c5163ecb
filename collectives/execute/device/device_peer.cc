#include "collectives/execute/device/device_peer.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "collectives/execute/device/region.h"

namespace rondo::execute {
namespace {

/// What came of waiting for a peer's device, with its name; unless it is another's fault.
Status blamed_on(int rank, Status status) {
  const bool known = status.culprit() != kNoCulprit || status.code() == ErrorCode::kCancelled;
  if (status.ok() || known) return status;
  return Status(status.code(), fmt::format("on rank {}: {}", rank, status.message()), rank,
                status.where());
}

/// An event of a peer's: what comes of waiting for it names that peer.
class PeerEvent final : public detail::EventImpl {
 public:
  PeerEvent(const detail::EventImpl& event, int rank) : event_(event), rank_(rank) {}

  bool done() const override { return event_.done(); }
  Result<bool> reached() const override { return event_.reached(); }
  const detail::EventImpl& native() const override { return event_.native(); }
  detail::EventWaiter waiter() const override {
    return [waiter = event_.waiter(), rank = rank_](const detail::Abandoned& abandoned) {
      return blamed_on(rank, waiter(abandoned));
    };
  }

 private:
  const detail::EventImpl& event_;
  int rank_;
};

}  // namespace

DevicePeer::DevicePeer(DevicePlace& place, transport::Endpoint& endpoint)
    : goodbye(endpoint, 0, kGoodbyes),
      their_goodbye(endpoint, 0, kGoodbyes),
      place_(&place),
      endpoint_(&endpoint) {}

Status DevicePeer::begin(const Regions& own) {
  goodbye.reset();
  their_goodbye.reset();
  addresses_ = {};
  meeting_ = {};
  mine_ = own;
  opening_.begin(in_this_process());
  if (in_this_process()) {
    closing_.begin_with_neighbour();
  } else {
    for (const Region& region : own.list) place_->given()->give(rank(), region.handle);
    const Closing::Told told = closing_.begin(*place_, rank());
    mine_.gone = told.gone;
    mine_.closed = told.closed;
  }
  RONDO_TRY(meeting_.hear(*endpoint_, &theirs_, sizeof(theirs_)));
  return meeting_.tell(*endpoint_, &mine_, sizeof(mine_));
}

Result<bool> DevicePeer::meet() {
  RONDO_ASSIGN(const bool moved, meeting_.poll(*endpoint_));
  RONDO_ASSIGN(const bool closed, closing_.step(*place_, *endpoint_, meeting_,
                                                {.gone = theirs_.gone, .closed = theirs_.closed}));
  if (!has_told() || opening_.done()) return moved || closed;
  RONDO_ASSIGN(const bool can_open, opening_.look(*place_, theirs_.list, rank()));
  return moved || closed || can_open;
}

Result<std::byte*> DevicePeer::memory(schedule::BufferRole role, std::size_t offset,
                                      std::size_t bytes) {
  const auto index = static_cast<std::size_t>(role);
  const Region none;
  const Region& region = index < theirs_.list.size() ? theirs_.list[index] : none;
  // What a peer says is looked at before it is used.
  if (offset > region.handle.bytes || bytes > region.handle.bytes - offset) {
    return Status(ErrorCode::kDataLoss,
                  fmt::format("rank {} tells of {} bytes at {} of a buffer of {}", rank(), bytes,
                              offset, region.handle.bytes),
                  rank());
  }
  std::byte*& address = addresses_[index];
  if (address == nullptr) {
    RONDO_ASSIGN(address, open_region(*place_, region,
                                      {.peer = rank(), .in_this_process = in_this_process()}));
  }
  return address + offset;
}

Status DevicePeer::wait(detail::StreamImpl& stream, const Notice& notice) {
  if (!notice.has_event) return {};
  const detail::EventImpl* event = reinterpret_cast<const detail::EventImpl*>(notice.event);
  if (!in_this_process()) {
    auto opened = place_->open_event(notice.handle);
    if (!opened.ok()) return std::move(opened).status().with_culprit(rank());
    event = *opened;
  }
  return stream.wait(PeerEvent(*event, rank()));
}

}  // namespace rondo::execute
