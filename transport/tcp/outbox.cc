#include "transport/tcp/outbox.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "transport/tcp/tcp_options.h"

namespace rondo::transport {

bool Outbox::has_credit(const Lane& lane, std::uint16_t index) const {
  return lane.held.empty() && lane.sent - lane.consumed < window_of_lane(window_, index);
}

std::size_t Outbox::send_at_once(FrameHeader header, std::span<const std::byte> payload,
                                 const UniqueFd& first_socket) {
  if (header.lane >= lanes_.size() || payload.size() > kAtOnceBytes) return 0;
  Lane& lane = lanes_[header.lane];
  if (pending() || !has_credit(lane, header.lane) || !streams_[0].copies(payload.size())) return 0;
  header.message = lane.numbered;
  std::array<std::byte, kFrameHeaderBytes + kAtOnceBytes> frame;
  encode_frame_header(header, std::span(frame).first<kFrameHeaderBytes>());
  if (!payload.empty())
    std::memcpy(frame.data() + kFrameHeaderBytes, payload.data(), payload.size());
  const std::size_t bytes = kFrameHeaderBytes + payload.size();
  const std::array<iovec, 1> whole{{{frame.data(), bytes}}};
  const IoResult result = write_some(first_socket.get(), whole, 0);
  if (result.bytes < bytes) return result.bytes;
  ++lane.numbered;
  ++lane.sent;
  sent_bytes_ += payload.size();
  return bytes;
}

bool Outbox::send(FrameHeader header, const std::byte* payload, std::uint32_t group,
                  std::size_t begun_bytes) {
  if (header.lane >= lanes_.size()) lanes_.resize(header.lane + std::size_t{1});
  Lane& lane = lanes_[header.lane];
  header.message = lane.numbered++;
  OutFrame frame{.payload = payload,
                 .payload_bytes = static_cast<std::size_t>(header.payload_bytes),
                 .written_bytes = begun_bytes,
                 .group = group};
  encode_frame_header(header, frame.header);
  if (!has_credit(lane, header.lane)) {
    ++held_;
    lane.held.push(frame);
    return false;
  }
  ++lane.sent;
  if (begun_bytes > 0) {
    streams_[0].go_on_with(frame);
  } else {
    queue_.push(frame);
  }
  return true;
}

void Outbox::send_goodbye(const Call& last_call) {
  OutFrame frame;
  encode_frame_header({.kind = FrameKind::kGoodbye, .call = last_call}, frame.header);
  Fifo<OutFrame> last(1);
  for (OutStream& stream : streams_) {
    last.push(frame);
    stream.take(last, frame.bytes());
  }
}

void Outbox::credit(std::uint16_t lane_index, std::uint64_t consumed) {
  if (lane_index >= lanes_.size()) return;
  Lane& lane = lanes_[lane_index];
  // Never more than was sent, whatever the peer says: the window must not grow.
  lane.consumed = std::clamp(consumed, lane.consumed, lane.sent);
  const std::size_t window = window_of_lane(window_, lane_index);
  while (!lane.held.empty() && lane.sent - lane.consumed < window) {
    ++lane.sent;
    --held_;
    queue_.push(lane.held.front());
    lane.held.pop();
  }
}

void Outbox::credit_modulo(std::uint16_t lane_index, std::uint32_t consumed) {
  if (lane_index >= lanes_.size()) return;
  const std::uint64_t known = lanes_[lane_index].consumed;
  const auto more = static_cast<std::int32_t>(consumed - static_cast<std::uint32_t>(known));
  if (more > 0) credit(lane_index, known + static_cast<std::uint64_t>(more));
}

bool Outbox::flush(std::span<const UniqueFd> sockets) {
  const std::size_t share =
      streams_.size() == 1 ? std::numeric_limits<std::size_t>::max() : kShareBytes;
  std::uint32_t full = 0;  // bit i: socket i takes no more
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      OutStream& stream = streams_[i];
      if (stream.empty()) stream.take(queue_, share);
      if (stream.empty() || ((full >> i) & 1) != 0) continue;
      const IoResult result = stream.write(sockets[i].get(), groups_, sent_bytes_);
      if (result.ended) return false;
      if (result.would_block) full |= 1U << i;
      moved |= !result.would_block;
    }
  }
  return true;
}

void Outbox::collect(std::span<const UniqueFd> sockets) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].lends()) streams_[i].collect(sockets[i].get(), groups_);
}

bool Outbox::lends() const { return std::ranges::any_of(streams_, &OutStream::lends); }

bool Outbox::pending() const {
  return !queue_.empty() ||
         std::ranges::any_of(streams_, [](const OutStream& stream) { return !stream.empty(); });
}

}  // namespace rondo::transport
