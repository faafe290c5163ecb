#include "collectives/execute/device/device_peer.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "collectives/execute/device/region.h"

namespace rondo::execute {
namespace {

using transport::Transfer;
using transport::TransferKind;

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
  told_ = heard_ = false;
  const Transfer hear{.kind = TransferKind::kRecv,
                      .data = reinterpret_cast<std::byte*>(&theirs_),
                      .bytes = sizeof(theirs_)};
  RONDO_ASSIGN(hear_, endpoint_->post({&hear, 1}));
  // Nothing is written through it: a send only reads.
  auto* const bytes = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&own));
  const Transfer tell{.kind = TransferKind::kSend, .data = bytes, .bytes = sizeof(own)};
  RONDO_ASSIGN(tell_, endpoint_->post({&tell, 1}));
  return {};
}

Result<bool> DevicePeer::meet() {
  const bool had_met = told_ || heard_;
  if (!told_) {
    RONDO_ASSIGN(told_, endpoint_->poll(tell_));
  }
  if (!heard_) {
    RONDO_ASSIGN(heard_, endpoint_->poll(hear_));
  }
  return (told_ || heard_) && !had_met;
}

Result<std::byte*> DevicePeer::memory(schedule::BufferRole role, std::size_t offset,
                                      std::size_t bytes) {
  const auto index = static_cast<std::size_t>(role);
  const Region none;
  const Region& region = index < theirs_.size() ? theirs_[index] : none;
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
  const detail::EventImpl* event = reinterpret_cast<const detail::EventImpl*>(notice.event);
  if (!in_this_process()) {
    auto opened = place_->open_event(notice.handle);
    if (!opened.ok()) return std::move(opened).status().with_culprit(rank());
    event = *opened;
  }
  return stream.wait(PeerEvent(*event, rank()));
}

}  // namespace rondo::execute
