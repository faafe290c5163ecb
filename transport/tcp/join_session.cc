#include "transport/tcp/join_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>

#include "core/process_limits.h"
#include "transport/tcp/connection_options.h"

namespace rondo::transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Kind = HandshakeAction::Kind;

constexpr std::chrono::milliseconds kLongestPause(200);

Status connection_error(const char* what, const error_code& error) {
  return Status(ErrorCode::kSystem, std::string(what) + ": " + error.message());
}

/// A host that isn't there and a firewall that drops what comes are alike from here.
Status no_answer(std::chrono::milliseconds attempt) {
  return Status(ErrorCode::kTimeout,
                fmt::format("no answer within {:g} s: a firewall, or an address that this host "
                            "can't reach (RONDO_IFACE)",
                            std::chrono::duration<double>(attempt).count()));
}

}  // namespace

void JoinSession::read(std::size_t bytes) {
  const auto target = asio::buffer(input_.data(), std::min(bytes, input_.size()));
  socket_.async_read_some(target, [self = shared_from_this()](error_code error, std::size_t got) {
    if (error == asio::error::operation_aborted) return;
    if (error) return self->on_event(StreamEnded{});
    self->on_event(BytesArrived{std::span<const std::byte>(self->input_).first(got)});
  });
}

void JoinSession::write(std::vector<std::byte> bytes, std::function<void(Status)> then) {
  output_ = std::move(bytes);
  asio::async_write(
      socket_, asio::buffer(output_),
      [self = shared_from_this(), then = std::move(then)](error_code error, std::size_t) {
        if (error == asio::error::operation_aborted) return;
        then(error ? connection_error("write", error) : Status());
      });
}

void AcceptSession::start(std::chrono::milliseconds patience) {
  timer_.expires_after(patience);
  timer_.async_wait([self = shared_from_this(), this](error_code error) {
    if (!error && !over_) on_event(DeadlinePassed{});
  });
  read(AcceptHandshake::start().read_bytes);
}

void AcceptSession::evict() {
  if (!over_) drop(Status(ErrorCode::kTimeout, "too many connections wait to say hello"));
}

void AcceptSession::on_event(const HandshakeEvent& event) {
  if (over_) return;
  HandshakeAction action = handshake_.step(event);
  if (action.kind == Kind::kRead) return read(action.read_bytes);
  if (action.kind == Kind::kDrop) return drop(action.why);
  if (action.kind == Kind::kWelcome) {
    if (Status status = board_.may_join(action.peer); !status.ok())
      action = refuse(std::move(status));
  }
  answer(std::move(action));
}

void AcceptSession::answer(HandshakeAction action) {
  const bool welcome = action.kind == Kind::kWelcome;
  write(std::move(action.send),
        [this, welcome, peer = action.peer, why = action.why](const Status& status) {
          if (over_) return;
          if (!welcome || !status.ok()) return drop(welcome ? status : why);
          over_ = true;
          timer_.cancel();
          board_.joined(peer, std::move(socket_));
        });
}

void AcceptSession::drop(const Status& why) {
  over_ = true;
  timer_.cancel();
  error_code ignored;
  // A refusal must arrive: no more is written, and what came is left to the kernel to discard.
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  socket_.close(ignored);
  board_.dropped(why);
}

void DialSession::start() {
  error_code not_opened;
  socket_.open(target_.protocol(), not_opened);
  if (not_opened) {
    const Status why =
        descriptor_error(fmt::format("dialling rank {}", own_.to), not_opened.value());
    if (not_opened == asio::error::no_descriptors) board_.no_descriptor(why);
    return try_again(why);
  }
  leave_pacing(socket_.native_handle());
  connecting_ = true;
  timer_.expires_after(attempt_);
  timer_.async_wait([self = shared_from_this(), this](error_code error) {
    error_code ignored;
    if (!error && connecting_) socket_.close(ignored);
  });
  socket_.async_connect(target_, [self = shared_from_this(), this](error_code error) {
    connecting_ = false;
    timer_.cancel();
    // Only the timer above closes the socket while it connects.
    if (error == asio::error::operation_aborted) return try_again(no_answer(attempt_));
    if (error) return try_again(connection_error("connect", error));
    greet();
  });
}

void DialSession::greet() {
  handshake_ = DialHandshake(own_);
  HandshakeAction action = handshake_.start();
  write(std::move(action.send), [this, answer_bytes = action.read_bytes](const Status& status) {
    if (!status.ok()) return try_again(status);
    read(answer_bytes);
  });
}

void DialSession::on_event(const HandshakeEvent& event) {
  const HandshakeAction action = handshake_.step(event);
  switch (action.kind) {
    case Kind::kRead: return read(action.read_bytes);
    case Kind::kWelcome: return board_.joined(action.peer, std::move(socket_));
    case Kind::kRefuse: return board_.dial_failed(own_.to, action.why, true);
    case Kind::kDrop: return try_again(action.why);
  }
}

void DialSession::try_again(const Status& why) {
  board_.dial_failed(own_.to, why, false);
  error_code ignored;
  socket_.close(ignored);
  timer_.expires_after(pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  timer_.async_wait([self = shared_from_this(), this](error_code error) {
    if (!error) start();
  });
}

}  // namespace rondo::transport
