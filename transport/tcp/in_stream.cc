#include "transport/tcp/in_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "core/copy_bytes.h"

namespace rondo::transport {

Result<bool> InStream::take_header() {
  auto bytes = std::span<const std::byte>(ahead_).subspan(ahead_begin_, ahead_end_ - ahead_begin_);
  RONDO_ASSIGN(const bool complete, reader_.step(bytes));
  ahead_begin_ = ahead_end_ - bytes.size();
  return complete;
}

void InStream::place(const Place& place) {
  placed_ = true;
  place_ = place;
}

bool InStream::copy_buffered() {
  const std::size_t bytes =
      std::min(ahead_end_ - ahead_begin_, static_cast<std::size_t>(reader_.payload_left()));
  if (bytes == 0) return false;
  copy_bytes(place_.target, ahead_.data() + ahead_begin_, bytes);
  ahead_begin_ += bytes;
  place_.target += bytes;
  reader_.took_payload(bytes);
  return true;
}

void InStream::next_message() {
  placed_ = false;
  parted_since_ = 0;
  reader_.next_frame();
}

bool InStream::fill(int socket) {
  const auto payload_bytes = placed_ ? static_cast<std::size_t>(reader_.payload_left()) : 0;
  std::array<iovec, 2> targets{{{place_.target, payload_bytes}, {ahead_.data(), ahead_.size()}}};
  const auto used = std::span<const iovec>(targets).subspan(payload_bytes > 0 ? 0 : 1);
  const IoResult result = read_some(socket, used);
  if (result.ended) {
    ended_ = true;
    end_error_ = result.error;
  }
  const std::size_t direct_bytes = std::min(result.bytes, payload_bytes);
  place_.target += direct_bytes;
  reader_.took_payload(direct_bytes);
  ahead_begin_ = 0;
  ahead_end_ = result.bytes - direct_bytes;
  return result.bytes == payload_bytes + ahead_.size();
}

std::string InStream::describe_end() const {
  std::string text;
  if (has_header()) {
    const std::uint64_t bytes = header().payload_bytes;
    text = fmt::format(" in the middle of a message ({} of {} bytes had come)",
                       bytes - reader_.payload_left(), bytes);
  } else if (!reader_.at_boundary()) {
    text = " in the middle of a message's header";
  }
  if (end_error_ != 0) text += fmt::format(": {}", std::strerror(end_error_));
  return text;
}

}  // namespace rondo::transport
