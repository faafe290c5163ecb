#include "transport/tcp/control_channel.h"

#include "transport/tcp/socket_io.h"

namespace rondo::transport {

bool ControlChannel::send(const ControlMessage& message) {
  if (!flush()) return false;
  const std::size_t bytes = encode_control(message, epoch_, output_);
  unwritten_ = std::span<const std::byte>(output_).first(bytes);
  flush();
  // A message of which a part went out has to be finished; one that didn't start is dropped.
  const bool started = unwritten_.size() < bytes;
  if (!started) unwritten_ = {};
  return started;
}

bool ControlChannel::flush() {
  while (!unwritten_.empty()) {
    const std::array<iovec, 1> piece{
        {{const_cast<std::byte*>(unwritten_.data()), unwritten_.size()}}};
    const IoResult result = write_some(socket_.get(), piece);
    if (result.bytes == 0) {
      wants_write_ = !result.ended;
      return false;
    }
    unwritten_ = unwritten_.subspan(result.bytes);
  }
  wants_write_ = false;
  return true;
}

Result<std::optional<ControlMessage>> ControlChannel::next() {
  while (true) {
    if (unread_.empty()) {
      if (ended_) return std::optional<ControlMessage>();
      const std::array<iovec, 1> target{{{input_.data(), input_.size()}}};
      const IoResult result = read_some(socket_.get(), target);
      ended_ = result.ended;
      if (result.bytes == 0) return std::optional<ControlMessage>();
      unread_ = std::span<const std::byte>(input_).first(result.bytes);
    }
    RONDO_ASSIGN(std::optional<ControlMessage> message, reader_.step(unread_));
    if (message) return message;
  }
}

}  // namespace rondo::transport
