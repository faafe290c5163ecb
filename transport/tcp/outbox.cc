#include "transport/tcp/outbox.h"

#include <algorithm>

namespace rondo::transport {

void Outbox::send(const FrameHeader& header, const std::byte* payload, std::uint32_t group) {
  Frame frame{.header = {},
              .payload = payload,
              .payload_bytes = static_cast<std::size_t>(header.payload_bytes),
              .written_bytes = 0,
              .group = group};
  encode_frame_header(header, frame.header);
  if (header.lane >= lanes_.size()) lanes_.resize(header.lane + std::size_t{1});
  Lane& lane = lanes_[header.lane];
  if (lane.held.empty() && lane.sent - lane.consumed < window_) {
    ++lane.sent;
    queue_.push(frame);
  } else {
    ++held_;
    lane.held.push(frame);
  }
}

void Outbox::send_goodbye(const Call& last_call) {
  Frame frame;
  encode_frame_header(
      {.kind = FrameKind::kGoodbye, .lane = 0, .payload_bytes = 0, .call = last_call},
      frame.header);
  queue_.push(frame);
}

void Outbox::credit(std::uint16_t lane_index, std::uint64_t consumed) {
  if (lane_index >= lanes_.size()) return;
  Lane& lane = lanes_[lane_index];
  // Never more than was sent, whatever the peer says: the window must not grow.
  lane.consumed = std::clamp(consumed, lane.consumed, lane.sent);
  while (!lane.held.empty() && lane.sent - lane.consumed < window_) {
    ++lane.sent;
    --held_;
    queue_.push(lane.held.front());
    lane.held.pop();
  }
}

IoResult Outbox::flush(int socket) {
  while (!queue_.empty()) {
    std::array<iovec, 2 * kFramesPerWrite> pieces;
    const std::size_t count = gather(pieces);
    const IoResult result = write_some(socket, std::span(pieces).first(count));
    if (result.bytes == 0) return result;
    advance(result.bytes);
  }
  return {};
}

std::size_t Outbox::gather(std::array<iovec, 2 * kFramesPerWrite>& pieces) {
  std::size_t count = 0;
  const std::size_t frames = std::min(queue_.size(), kFramesPerWrite);
  for (std::size_t i = 0; i < frames; ++i) {
    Frame& frame = queue_[i];
    const std::size_t header_done = std::min(frame.written_bytes, kFrameHeaderBytes);
    const std::size_t payload_done = frame.written_bytes - header_done;
    if (header_done < kFrameHeaderBytes)
      pieces[count++] = {frame.header.data() + header_done, kFrameHeaderBytes - header_done};
    if (payload_done < frame.payload_bytes)
      pieces[count++] = {const_cast<std::byte*>(frame.payload) + payload_done,
                         frame.payload_bytes - payload_done};
  }
  return count;
}

void Outbox::advance(std::size_t written_bytes) {
  while (!queue_.empty()) {
    Frame& frame = queue_.front();
    const std::size_t frame_bytes = kFrameHeaderBytes + frame.payload_bytes;
    const std::size_t step_bytes = std::min(written_bytes, frame_bytes - frame.written_bytes);
    frame.written_bytes += step_bytes;
    written_bytes -= step_bytes;
    if (frame.written_bytes < frame_bytes) return;
    sent_bytes_ += frame.payload_bytes;
    if (frame.group != kNoGroup) --groups_[frame.group].remaining;
    queue_.pop();
  }
}

}  // namespace rondo::transport
