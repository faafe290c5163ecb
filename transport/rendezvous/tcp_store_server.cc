#include "transport/rendezvous/tcp_store_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "core/log.h"
#include "core/process_limits.h"
#include "transport/rendezvous/own_name.h"
#include "transport/rendezvous/tcp_store_session.h"

namespace rondo::rendezvous {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Connections that may be open without a hello; each of them has kHelloDeadline.
constexpr std::size_t kMaxStrangers = 1024;
/// How long accept rests when the process has no descriptors left.
constexpr std::chrono::milliseconds kAcceptPause{50};

Status cannot_listen(const StoreAddress& address, int errno_value) {
  const std::string what = "cannot listen at " + to_string(address) + " for the store";
  if (errno_value == EADDRINUSE) {
    return Status(ErrorCode::kSystem,
                  fmt::format("{}: port {} is in use by another program; stop it or give the job "
                              "another port (RONDO_STORE)",
                              what, address.port));
  }
  if (errno_value == EADDRNOTAVAIL) {
    return Status(ErrorCode::kInvalidArgument,
                  what +
                      ": this machine doesn't have that address; the process with index 0 must "
                      "run where RONDO_STORE points");
  }
  return descriptor_error(what, errno_value);
}

/// Asio's event loop needs descriptors of its own.
Status no_event_loop(const boost::system::system_error& error) {
  return descriptor_error("cannot serve the store", error.code().value());
}

Status no_thread(const std::system_error& error) {
  return Status(ErrorCode::kSystem,
                fmt::format("the store is served by a thread, and the system makes no more: {}; "
                            "raise its limit (ulimit -u, the container's)",
                            error.what()));
}

}  // namespace

class TcpStoreServer::Impl {
 public:
  explicit Impl(std::uint64_t job) : acceptor_(context_), pause_(context_) {
    room_.job = job;
    room_.gathering_changed = [this] { note_gathering(); };
  }
  ~Impl();

  Status listen(const StoreAddress& address);
  Status adopt(int listening_fd);
  Status start();
  StoreAddress address() const;

 private:
  error_code listen_at(const tcp::endpoint& endpoint);
  error_code listen_everywhere(std::uint16_t port);
  asio::awaitable<void> accept_all();
  void warn_once(const error_code& not_accepted);
  asio::awaitable<void> serve(tcp::socket socket);
  void note_gathering();

  TcpStoreRoom room_;  // before context_: sessions refer to it until the context is destroyed
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  ClientId next_id_ = 1;
  bool made_listener_ = false;  // else it is a copy of the caller's
  bool warned_ = false;
  std::mutex mutex_;
  std::condition_variable gathering_ended_;
  std::size_t gathering_ = 0;
  std::thread thread_;
};

Status TcpStoreServer::Impl::listen(const StoreAddress& address) {
  error_code error;
  tcp::resolver resolver(context_);
  const auto endpoints =
      resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
  if (error) {
    return Status(ErrorCode::kInvalidArgument,
                  "cannot resolve '" + address.host + "' to listen there: " + error.message());
  }
  const tcp::endpoint resolved = *endpoints.begin();
  const bool name_at_loopback = resolved.address().is_loopback() && is_own_name(address.host);
  error = name_at_loopback ? listen_everywhere(address.port) : listen_at(resolved);
  made_listener_ = true;
  return error ? cannot_listen(address, error.value()) : Status();
}

/// Where /etc/hosts has this host's own name at loopback, as Debian's does, other hosts know it by
/// another address, which may be of IPv4 or of IPv6.
error_code TcpStoreServer::Impl::listen_everywhere(std::uint16_t port) {
  const error_code error = listen_at({tcp::v6(), port});
  const bool lacks_v6 = error && error != asio::error::address_in_use;
  return lacks_v6 ? listen_at({tcp::v4(), port}) : error;
}

error_code TcpStoreServer::Impl::listen_at(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.close(error);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  // All interfaces are those with IPv4, too, whatever this host's settings say.
  if (!error && endpoint.address() == asio::ip::address_v6::any())
    acceptor_.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(static_cast<int>(kMaxClients), error);
  return error;
}

Status TcpStoreServer::Impl::adopt(int listening_fd) {
  int listens = 0;
  socklen_t bytes = sizeof listens;
  if (getsockopt(listening_fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0) {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("descriptor {} is no listening socket (RONDO_STORE_FD)", listening_fd));
  }
  const int copy = fcntl(listening_fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return descriptor_error("cannot copy the store's listening socket", errno);
  sockaddr_storage name{};
  bytes = sizeof name;
  getsockname(copy, reinterpret_cast<sockaddr*>(&name), &bytes);
  error_code error;
  acceptor_.assign(name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), copy, error);
  if (!error) return {};
  close(copy);
  return system_error("cannot use the store's listening socket", error.value());
}

Status TcpStoreServer::Impl::start() {
  asio::co_spawn(context_, accept_all(), asio::detached);
  // Signals belong to the application's threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status status;
  try {
    thread_ = std::thread([this] { context_.run(); });
  } catch (const std::system_error& error) {
    status = no_thread(error);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

TcpStoreServer::Impl::~Impl() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    gathering_ended_.wait_for(lock, kLinger, [this] { return gathering_ == 0; });
  }
  context_.stop();
  thread_.join();
  // Processes that were forked from this one have copies, with which the port would stay taken.
  if (made_listener_) shutdown(acceptor_.native_handle(), SHUT_RDWR);
}

StoreAddress TcpStoreServer::Impl::address() const {
  error_code ignored;
  const tcp::endpoint endpoint = acceptor_.local_endpoint(ignored);
  return {.host = endpoint.address().to_string(), .port = endpoint.port()};
}

asio::awaitable<void> TcpStoreServer::Impl::accept_all() {
  while (true) {
    error_code error;
    tcp::socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::operation_aborted) co_return;
    if (error) {
      warn_once(error);
      pause_.expires_after(kAcceptPause);
      co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    if (room_.strangers >= kMaxStrangers) continue;  // closes it; a client of ours tries again
    // A program started by this process would keep it open behind our back.
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
    socket.set_option(tcp::no_delay(true), error);
    asio::co_spawn(context_, serve(std::move(socket)), asio::detached);
  }
}

/// Those that wait to be accepted are told nothing, and can't say what is amiss.
void TcpStoreServer::Impl::warn_once(const error_code& not_accepted) {
  if (std::exchange(warned_, true)) return;
  log(LogLevel::kWarn, [&] {
    return descriptor_error("the store accepts nobody for now", not_accepted.value()).message();
  });
}

asio::awaitable<void> TcpStoreServer::Impl::serve(tcp::socket socket) {
  const auto session = std::make_shared<TcpStoreSession>(room_, next_id_++, std::move(socket));
  co_await session->run();
}

void TcpStoreServer::Impl::note_gathering() {
  const std::lock_guard lock(mutex_);
  gathering_ = room_.service.gathering();
  if (gathering_ == 0) gathering_ended_.notify_all();
}

TcpStoreServer::TcpStoreServer(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)), owner_(getpid()) {}

TcpStoreServer::~TcpStoreServer() {
  // In a process forked from the owner there is no thread to join, and what closing the sockets
  // would undo is the owner's.
  if (getpid() != owner_) (void)impl_.release();
}

Result<std::unique_ptr<TcpStoreServer>> TcpStoreServer::listen(const std::string& host,
                                                               std::uint16_t port,
                                                               std::uint64_t job) {
  try {
    auto impl = std::make_unique<Impl>(job);
    RONDO_TRY(impl->listen({.host = host, .port = port}));
    RONDO_TRY(impl->start());
    return std::unique_ptr<TcpStoreServer>(new TcpStoreServer(std::move(impl)));
  } catch (const boost::system::system_error& error) {
    return no_event_loop(error);
  }
}

Result<std::unique_ptr<TcpStoreServer>> TcpStoreServer::adopt(int listening_fd, std::uint64_t job) {
  try {
    auto impl = std::make_unique<Impl>(job);
    RONDO_TRY(impl->adopt(listening_fd));
    RONDO_TRY(impl->start());
    return std::unique_ptr<TcpStoreServer>(new TcpStoreServer(std::move(impl)));
  } catch (const boost::system::system_error& error) {
    return no_event_loop(error);
  }
}

StoreAddress TcpStoreServer::address() const { return impl_->address(); }

}  // namespace rondo::rendezvous
