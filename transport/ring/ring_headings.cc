// Messages that belong to no call and say in their own line what they are.

#include <utility>

#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {

Result<bool> RingEndpoint::send_headed(const Heading& heading, std::span<const std::byte> message) {
  if (!failure_.ok()) return failure_;
  SendLane& lane = send_lanes_[kBufferedLane];
  if (!lane.idle()) return false;
  auto sent = lane.send_headed(heading, message);
  if (!sent.ok()) return fail_of(std::move(sent).status());
  if (*sent) wake_peer();
  return sent;
}

Result<const Heading*> RingEndpoint::next_heading() {
  awaits_heading_ = false;
  if (!failure_.ok()) return failure_;
  auto came = recv_lanes_[kBufferedLane].look_at_heading(heading_);
  if (!came.ok()) return fail_of(std::move(came).status());
  if (*came) return &heading_;
  if (!left_.ok()) return left_;
  awaits_heading_ = true;
  return nullptr;
}

Result<bool> RingEndpoint::take_headed(std::span<std::byte> target) {
  auto taken = recv_lanes_[kBufferedLane].take_headed(target);
  if (!taken.ok()) return fail_of(std::move(taken).status());
  if (*taken) wake_peer();
  return taken;
}

bool RingEndpoint::has_unexpected() {
  const RecvLane& lane = recv_lanes_[kBufferedLane];
  if (!failure_.ok() || !lane.idle()) return false;
  const bool came = lane.has_message();
  awaits_heading_ = !came && left_.ok();
  return came;
}

}  // namespace rondo::transport
