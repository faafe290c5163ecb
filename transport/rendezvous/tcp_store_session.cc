#include "transport/rendezvous/tcp_store_session.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

#include "transport/rendezvous/tcp_store_server.h"
#include "transport/wire/hello.h"

namespace rondo::rendezvous {

namespace asio = boost::asio;
using boost::system::error_code;

TcpStoreSession::TcpStoreSession(TcpStoreRoom& room, ClientId id, asio::ip::tcp::socket socket)
    : room_(room), id_(id), socket_(std::move(socket)), timer_(socket_.get_executor()) {}

asio::awaitable<void> TcpStoreSession::run() {
  ++room_.strangers;
  const bool welcome = co_await greet();
  --room_.strangers;
  if (!welcome) co_return;
  room_.clients[id_] = this;
  while (co_await serve_request()) {
  }
  room_.clients.erase(id_);
  room_.service.drop(id_);
  room_.gathering_changed();
}

asio::awaitable<bool> TcpStoreSession::greet() {
  timer_.expires_after(TcpStoreServer::kHelloDeadline);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    error_code ignored;
    if (!error && !self->greeted_) self->socket_.close(ignored);
  });
  std::array<char, kHelloBytes> hello{};
  error_code error;
  co_await asio::async_read(socket_, asio::buffer(hello),
                            asio::redirect_error(asio::use_awaitable, error));
  greeted_ = true;
  timer_.cancel();
  if (error) co_return false;
  const std::string_view bytes(hello.data(), hello.size());
  if (decode_hello(bytes).status().code() == ErrorCode::kDataLoss) co_return false;
  const Reply reply = reply_to_hello(bytes);
  const bool written = co_await write(encode_reply(reply));
  co_return written&& reply.code == ErrorCode::kOk;
}

Reply TcpStoreSession::reply_to_hello(std::string_view hello) const {
  const auto job = decode_hello(hello);
  if (!job.ok()) return {.code = job.status().code(), .message = job.status().message()};
  if (*job != room_.job) {
    return {.code = ErrorCode::kMismatch,
            .message = fmt::format("this store serves job {}, the client belongs to job {}: it has "
                                   "the address of another job's store",
                                   transport::short_job(room_.job), transport::short_job(*job))};
  }
  if (room_.clients.size() >= TcpStoreServer::kMaxClients) {
    return {.code = ErrorCode::kUnsupported,
            .message = fmt::format("this store serves at most {} clients at a time",
                                   TcpStoreServer::kMaxClients)};
  }
  return {};
}

asio::awaitable<bool> TcpStoreSession::serve_request() {
  error_code error;
  std::string header(kFrameHeaderBytes, '\0');
  co_await asio::async_read(socket_, asio::buffer(header),
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return false;
  const auto bytes = decode_frame_header(header, kMaxRequestBytes);
  if (!bytes.ok()) co_return false;
  std::string body(*bytes, '\0');
  co_await asio::async_read(socket_, asio::buffer(body),
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return false;
  const auto request = decode_request(body);
  if (!request.ok()) co_return false;

  std::optional<Reply> reply = room_.service.handle(id_, *request);
  room_.gathering_changed();
  wake_answered();
  if (!reply) reply = co_await wait_for_reply(request->timeout_ms);
  if (!reply) co_return false;
  const bool written = co_await write(encode_reply(*reply));
  co_return written;
}

asio::awaitable<std::optional<Reply>> TcpStoreSession::wait_for_reply(std::uint32_t timeout_ms) {
  gone_ = false;
  // A waiting client has nothing to say: what makes its socket readable is its end.
  socket_.async_wait(asio::socket_base::wait_read, [self = shared_from_this()](error_code error) {
    if (error) return;
    self->gone_ = true;
    self->timer_.cancel();
  });
  timer_.expires_after(std::chrono::milliseconds(timeout_ms));
  error_code ignored;
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  socket_.cancel(ignored);
  if (delivered_) co_return std::exchange(delivered_, std::nullopt);
  if (gone_) co_return std::nullopt;
  co_return room_.service.expire(id_);
}

void TcpStoreSession::wake_answered() {
  for (auto& [id, reply] : room_.service.take_ready()) {
    TcpStoreSession& session = *room_.clients.at(id);
    session.delivered_ = std::move(reply);
    session.timer_.cancel();
  }
}

asio::awaitable<bool> TcpStoreSession::write(std::string frame) {
  error_code error;
  co_await asio::async_write(socket_, asio::buffer(frame),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

}  // namespace rondo::rendezvous
