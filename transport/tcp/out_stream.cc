#include "transport/tcp/out_stream.h"

#include <algorithm>
#include <cstring>

namespace rondo::transport {
namespace {

std::size_t total_bytes(std::span<const iovec> pieces) {
  std::size_t bytes = 0;
  for (const iovec& piece : pieces) bytes += piece.iov_len;
  return bytes;
}

}  // namespace

void OutStream::take(Fifo<OutFrame>& queue, std::size_t most_bytes) {
  std::size_t bytes = 0;
  while (!queue.empty() && frames_.size() < kMostFrames && bytes < most_bytes) {
    bytes += queue.front().bytes();
    frames_.push(queue.front());
    queue.pop();
  }
}

IoResult OutStream::write(int socket, TcpGroups& groups, std::uint64_t& sent_bytes) {
  Pieces pieces;
  std::size_t count = gather(pieces);
  std::array<std::byte, kMostCopiedBytes> copy;
  const std::size_t bytes = total_bytes(std::span(pieces).first(count));
  if (count > 1 && bytes <= copy.size()) {
    std::byte* end = copy.data();
    for (const iovec& piece : std::span(pieces).first(count)) {
      std::memcpy(end, piece.iov_base, piece.iov_len);
      end += piece.iov_len;
    }
    pieces[0] = {copy.data(), bytes};
    count = 1;
  }
  IoResult result = write_some(socket, std::span(pieces).first(count));
  advance(result.bytes, groups, sent_bytes);
  result.would_block |= result.bytes < bytes;
  return result;
}

std::size_t OutStream::gather(Pieces& pieces) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    OutFrame& frame = frames_[i];
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

void OutStream::advance(std::size_t written_bytes, TcpGroups& groups, std::uint64_t& sent_bytes) {
  while (!frames_.empty()) {
    OutFrame& frame = frames_.front();
    const std::size_t step_bytes = std::min(written_bytes, frame.bytes() - frame.written_bytes);
    frame.written_bytes += step_bytes;
    written_bytes -= step_bytes;
    if (frame.written_bytes < frame.bytes()) return;
    sent_bytes += frame.payload_bytes;
    if (frame.group != OutFrame::kNoGroup) --groups[frame.group].remaining;
    frames_.pop();
  }
}

}  // namespace rondo::transport
