#include "transport/rendezvous/tcp_store_link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "core/log.h"
#include "core/process_limits.h"

namespace rondo::rendezvous {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kFirstPause{5};
constexpr milliseconds kLongestPause{250};

Status lost(const error_code& error) {
  const bool late = error == asio::error::timed_out;
  return Status(late ? ErrorCode::kTimeout : ErrorCode::kPeerLost,
                late ? "no answer" : error.message());
}

/// What can't be mended by trying again.
Status cannot_dial(const StoreAddress& address, const error_code& error) {
  const std::string what = "cannot dial the store at " + to_string(address);
  if (error != asio::error::try_again) return descriptor_error(what, error.value());
  return Status(ErrorCode::kSystem,
                fmt::format("{}: to resolve an address takes a thread, and the system makes no "
                            "more ({}); raise its limit (ulimit -u, the container's)",
                            what, error.message()));
}

/// What the attempts met. The deadline cuts the last one short, which is no reason by itself: what
/// the one before it met is said too.
std::string reason_of(const Status& previous, const Status& last) {
  if (previous.ok() || last.code() != ErrorCode::kTimeout) return last.message();
  return fmt::format("{}, then {}", previous.message(), last.message());
}

}  // namespace

/// Asio's operations made blocking, with a deadline.
class TcpStoreLink::Socket {
 public:
  error_code connect(const StoreAddress& address, Deadline deadline) {
    tcp::resolver resolver(context_);
    tcp::resolver::results_type endpoints;
    const error_code resolved = finish(deadline, [&](error_code& result) {
      resolver.async_resolve(address.host, std::to_string(address.port),
                             [&](error_code error, const tcp::resolver::results_type& found) {
                               result = error;
                               endpoints = found;
                             });
    });
    if (resolved) return resolved;
    error_code error = asio::error::host_not_found;
    for (const auto& entry : endpoints) {
      error = connect_to(entry.endpoint(), deadline);
      // An address that doesn't answer may be one of several.
      if (!error || steady_clock::now() >= deadline) break;
    }
    if (error) return error;
    if (is_its_own_peer()) return hang_up();
    fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
    socket_.set_option(tcp::no_delay(true), error);
    return error;
  }

  error_code write(const std::string& bytes, Deadline deadline) {
    return finish(deadline, [&](error_code& result) {
      asio::async_write(socket_, asio::buffer(bytes),
                        [&](error_code error, std::size_t) { result = error; });
    });
  }

  error_code read(std::string& bytes, Deadline deadline) {
    return finish(deadline, [&](error_code& result) {
      asio::async_read(socket_, asio::buffer(bytes),
                       [&](error_code error, std::size_t) { result = error; });
    });
  }

 private:
  /// asio::async_connect would take a socket that can't be opened for one that was closed.
  error_code connect_to(const tcp::endpoint& endpoint, Deadline deadline) {
    error_code error;
    socket_.close(error);
    socket_.open(endpoint.protocol(), error);
    if (error) return error;
    return finish(deadline, [&](error_code& result) {
      socket_.async_connect(endpoint, [&](error_code failure) { result = failure; });
    });
  }

  /// Where nobody listens and the kernel gives the dialling socket the very port it dials, TCP
  /// connects it to itself (simultaneous open).
  bool is_its_own_peer() const {
    error_code ignored;
    return socket_.local_endpoint(ignored) == socket_.remote_endpoint(ignored);
  }

  /// Gives the port back at once, for the server that is to come may need it. Returns what the
  /// kernel says where nobody listens.
  error_code hang_up() {
    error_code ignored;
    socket_.set_option(tcp::socket::linger(true, 0), ignored);
    socket_.close(ignored);
    return asio::error::connection_refused;
  }

  /// Starts an operation that leaves its outcome in the error it is given, and waits for it.
  template <typename Start>
  error_code finish(Deadline deadline, Start start) {
    error_code outcome;
    start(outcome);
    context_.restart();
    context_.run_until(deadline);
    if (context_.stopped()) return outcome;
    error_code ignored;
    socket_.close(ignored);
    context_.run();  // the operation's handler refers to this frame
    return asio::error::timed_out;
  }

  asio::io_context context_{1};
  tcp::socket socket_{context_};
};

TcpStoreLink::TcpStoreLink(StoreAddress address) : address_(std::move(address)) {}

TcpStoreLink::~TcpStoreLink() = default;

Status TcpStoreLink::connect(std::uint64_t job, Deadline deadline) {
  const auto start = steady_clock::now();
  milliseconds pause = kFirstPause;
  Status previous;
  while (true) {
    bool worth_a_retry = false;
    Status status = try_connect(job, deadline, worth_a_retry);
    if (status.ok() || !worth_a_retry) return status;
    const bool is_anothers = status.code() == ErrorCode::kMismatch;
    if (is_anothers && previous.code() != ErrorCode::kMismatch) {
      log(LogLevel::kWarn,
          [&] { return status.message() + "; waiting for this job's to take its place"; });
    }
    if (steady_clock::now() + pause >= deadline) {
      if (is_anothers) return status;
      const std::chrono::duration<double> waited = steady_clock::now() - start;
      return Status(ErrorCode::kTimeout,
                    fmt::format("no store at {} within {:.1f} s ({}): is the process with index 0 "
                                "running, and is that its address?",
                                to_string(address_), waited.count(), reason_of(previous, status)));
    }
    previous = std::move(status);
    ::poll(nullptr, 0, static_cast<int>(pause.count()));  // nothing tells when the server starts
    pause = std::min(2 * pause, kLongestPause);
  }
}

Status TcpStoreLink::try_connect(std::uint64_t job, Deadline deadline, bool& worth_a_retry) {
  const Status dialled = dial(deadline);
  worth_a_retry = dialled.code() != ErrorCode::kSystem;
  RONDO_TRY(dialled);
  if (const error_code unsaid = socket_->write(encode_hello(job), deadline)) return lost(unsaid);
  const auto reply = read_reply(deadline);
  if (!reply.ok()) {
    worth_a_retry = reply.status().code() != ErrorCode::kDataLoss;
    return reply.status();
  }
  if (reply->code == ErrorCode::kOk) return {};
  // Process 0 may be about to begin this job where it still serves the one before.
  worth_a_retry = reply->code == ErrorCode::kMismatch;
  return Status(reply->code, "the store at " + to_string(address_) + " refused: " + reply->message);
}

Status TcpStoreLink::dial(Deadline deadline) {
  error_code error;
  try {
    socket_ = std::make_unique<Socket>();
    error = socket_->connect(address_, deadline);
  } catch (const boost::system::system_error& failure) {
    // Asio's event loop needs descriptors of its own, and its resolver a thread.
    return cannot_dial(address_, failure.code());
  }
  if (error == asio::error::no_descriptors) return cannot_dial(address_, error);
  return error ? lost(error) : Status();
}

Result<Reply> TcpStoreLink::exchange(const Request& request, Deadline deadline) {
  RONDO_TRY(broken_);
  const error_code error = socket_->write(encode_request(request), deadline);
  auto reply = error ? lost(error) : read_reply(deadline);
  if (reply.ok()) return reply;
  broken_ = Status(reply.status().code(),
                   fmt::format("lost the store at {} (in the process with index 0): {}",
                               to_string(address_), reply.status().message()),
                   0);
  return broken_;
}

Result<Reply> TcpStoreLink::read_reply(Deadline deadline) {
  std::string header(kFrameHeaderBytes, '\0');
  if (const error_code error = socket_->read(header, deadline)) return lost(error);
  const auto bytes = decode_frame_header(header, kMaxReplyBytes);
  std::string body;
  if (bytes.ok()) {
    body.resize(*bytes);
    if (const error_code error = socket_->read(body, deadline)) return lost(error);
  }
  auto reply = bytes.ok() ? decode_reply(body) : bytes.status();
  if (reply.ok()) return reply;
  return Status(ErrorCode::kDataLoss, "what listens at " + to_string(address_) +
                                          " is no Rondo store: " + reply.status().message());
}

}  // namespace rondo::rendezvous
