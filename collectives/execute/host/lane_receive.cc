// How a LaneRunner comes by what others send: receives ahead, as many as the endpoints' windows
// hold.

#include <algorithm>

#include "collectives/execute/host/lane_runner.h"

namespace rondo::execute {

using transport::Transfer;
using transport::TransferKind;

bool LaneRunner::receives_into_place() const {
  const BoundSweep& sweep = current();
  return sweep.sources.size() == 1 && sweep.sources.front().is_channel &&
         !receiver(sweep.sources.front()).encoded;
}

Result<bool> LaneRunner::post_receives() {
  const BoundSweep& sweep = current();
  const bool into_place = receives_into_place();
  bool moved = false;
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    if (!sweep.sources[i].is_channel) continue;
    transport::Endpoint* endpoint = plan_.receivers()[sweep.sources[i].channel].endpoint;
    Incoming& incoming = incoming_[i];
    while (incoming.posted < sweep.segments && incoming.posted - segment_ < endpoint->window()) {
      Transfer transfer{.kind = into_place ? TransferKind::kRecv : TransferKind::kRecvView,
                        .lane = lane_,
                        .bytes = segment_bytes(incoming.posted)};
      if (receiver(sweep.sources[i]).encoded) transfer.bytes = plan_.wire_bytes(transfer.bytes);
      if (into_place) {
        const std::size_t begin = incoming.posted * plan_.segment_bytes();
        transfer.data = const_cast<std::byte*>(first_memory()) + begin;
        if (plan_.is_helped()) transfer.room = sweep.bytes - begin;
      }
      RONDO_ASSIGN(incoming.tokens[incoming.posted % incoming.tokens.size()],
                   endpoint->post({&transfer, 1}));
      ++incoming.posted;
      moved = true;
    }
  }
  return moved;
}

Result<bool> LaneRunner::poll_receives() {
  const BoundSweep& sweep = current();
  bool moved = false;
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    if (!sweep.sources[i].is_channel) continue;
    transport::Endpoint* endpoint = plan_.receivers()[sweep.sources[i].channel].endpoint;
    Incoming& incoming = incoming_[i];
    while (incoming.done < incoming.posted) {
      RONDO_ASSIGN(const bool done,
                   endpoint->poll(incoming.tokens[incoming.done % incoming.tokens.size()]));
      if (!done) break;
      if (timer_ != nullptr && timer_->is_idle())
        timer_->moved_since(endpoint->copying_since(lane_));
      ++incoming.done;
      moved = true;
    }
  }
  return moved;
}

std::uint32_t LaneRunner::segments_arrived() const {
  const BoundSweep& sweep = current();
  std::uint32_t arrived = sweep.segments;
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    if (sweep.sources[i].is_channel) arrived = std::min(arrived, incoming_[i].done);
  }
  return arrived;
}

/// How many segments from `segment` on lie behind each other in every source, so that one pass
/// takes them: those of a plain sweep whose sources lend them. A slot that is to be replaced is the
/// sooner back the sooner it is done.
std::uint32_t LaneRunner::contiguous(std::uint32_t segment, std::uint32_t end) {
  const BoundSweep& sweep = current();
  if (sweep.rounds || decodes_into_place() || writes_back()) return 1;
  std::uint32_t count = end - segment;
  for (std::size_t i = 0; i < sweep.sources.size() && !receives_into_place(); ++i) {
    if (!sweep.sources[i].is_channel) continue;
    if (receiver(sweep.sources[i]).encoded) return 1;
    const std::byte* const first = received(i, segment);
    std::uint32_t alike = 1;
    while (alike < count && received(i, segment + alike) == first + alike * plan_.segment_bytes())
      ++alike;
    count = alike;
  }
  return count;
}

void LaneRunner::release_segment(std::uint32_t segment) {
  const BoundSweep& sweep = current();
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    const BoundPort& port = sweep.sources[i];
    if (!port.is_channel) continue;
    plan_.receivers()[port.channel].endpoint->release(
        incoming_[i].tokens[segment % incoming_[i].tokens.size()]);
  }
}

}  // namespace rondo::execute
