#include "transport/tcp/out_stream.h"

#include <sys/socket.h>

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
  OutFrame& first = frames_.front();
  const bool header_is_out = first.written_bytes >= kFrameHeaderBytes;
  const IoResult result = header_is_out && lender_.is_for(first.payload_bytes)
                              ? lend(socket, first)
                              : write_gathered(socket);
  advance(result.bytes, groups, sent_bytes);
  return result;
}

IoResult OutStream::lend(int socket, OutFrame& frame) {
  const std::size_t done = frame.written_bytes - kFrameHeaderBytes;
  const iovec rest{const_cast<std::byte*>(frame.payload) + done, frame.payload_bytes - done};
  const std::uint64_t before = lender_.sends();
  IoResult result = lender_.send(socket, rest);
  if (lender_.sends() > before) frame.lent_until = lender_.sends();
  result.would_block |= result.bytes < std::min(rest.iov_len, ZeroCopy::kMostLentBytes);
  return result;
}

IoResult OutStream::write_gathered(int socket) {
  Pieces pieces;
  auto [count, lent_next] = gather(pieces);
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
  IoResult result = write_some(socket, std::span(pieces).first(count), lent_next ? MSG_MORE : 0);
  result.would_block |= result.bytes < bytes;
  return result;
}

// Up to the first payload that is to be lent: that takes a send of its own.
OutStream::Gathered OutStream::gather(Pieces& pieces) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    OutFrame& frame = frames_[i];
    const std::size_t header_done = std::min(frame.written_bytes, kFrameHeaderBytes);
    const std::size_t payload_done = frame.written_bytes - header_done;
    if (header_done < kFrameHeaderBytes)
      pieces[count++] = {frame.header.data() + header_done, kFrameHeaderBytes - header_done};
    if (lender_.is_for(frame.payload_bytes)) return {count, true};
    if (payload_done < frame.payload_bytes)
      pieces[count++] = {const_cast<std::byte*>(frame.payload) + payload_done,
                         frame.payload_bytes - payload_done};
  }
  return {count, false};
}

void OutStream::advance(std::size_t written_bytes, TcpGroups& groups, std::uint64_t& sent_bytes) {
  while (!frames_.empty()) {
    OutFrame& frame = frames_.front();
    const std::size_t step_bytes = std::min(written_bytes, frame.bytes() - frame.written_bytes);
    frame.written_bytes += step_bytes;
    written_bytes -= step_bytes;
    if (frame.written_bytes < frame.bytes()) return;
    sent_bytes += frame.payload_bytes;
    if (lender_.has_read(frame.lent_until)) {
      complete(frame.group, groups);
    } else {
      lent_.push({frame.group, frame.lent_until});
    }
    frames_.pop();
  }
}

void OutStream::collect(int socket, TcpGroups& groups) {
  lender_.collect(socket);
  while (!lent_.empty() && lender_.has_read(lent_.front().until)) {
    complete(lent_.front().group, groups);
    lent_.pop();
  }
}

void OutStream::complete(std::uint32_t group, TcpGroups& groups) {
  if (group != OutFrame::kNoGroup) --groups[group].remaining;
}

}  // namespace rondo::transport
