#include "transport/rendezvous/pmi_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <limits>
#include <utility>

#include "core/process_limits.h"
#include "transport/rendezvous/pmi_message.h"
#include "transport/rendezvous/store_address.h"

namespace rondo::rendezvous {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

Status timed_out() { return Status(ErrorCode::kTimeout, "it does not answer"); }

Status closed() {
  return Status(ErrorCode::kSystem, "it has closed the connection: was it killed?");
}

Status failed(int errno_value) {
  const bool gone = errno_value == EPIPE || errno_value == ECONNRESET;
  return gone ? closed() : system_error("its socket fails", errno_value);
}

error_code connect(const StoreAddress& address, Deadline deadline, UniqueFd& connected) {
  asio::io_context context(1);
  tcp::resolver resolver(context);
  tcp::resolver::results_type endpoints;
  error_code outcome = asio::error::timed_out;
  resolver.async_resolve(address.host, std::to_string(address.port),
                         [&](error_code unknown, const tcp::resolver::results_type& found) {
                           outcome = unknown;
                           endpoints = found;
                         });
  context.run_until(deadline);
  for (const auto& entry : endpoints) {
    tcp::socket connecting(context);
    connecting.open(entry.endpoint().protocol(), outcome);
    if (outcome) continue;
    outcome = asio::error::timed_out;
    connecting.async_connect(entry.endpoint(), [&](error_code error) { outcome = error; });
    context.restart();
    context.run_until(deadline);
    if (!outcome) connected = UniqueFd(connecting.release());
    // An address that doesn't answer may be one of several.
    if (!outcome || steady_clock::now() >= deadline) break;
  }
  return outcome;
}

Result<UniqueFd> dial(const StoreAddress& address, Deadline deadline) {
  UniqueFd connected;
  error_code outcome;
  try {
    outcome = connect(address, deadline, connected);
  } catch (const boost::system::system_error& error) {
    outcome = error.code();  // Asio's event loop needs descriptors of its own
  }
  if (outcome == asio::error::timed_out) return timed_out();
  if (outcome == asio::error::no_descriptors)
    return descriptor_error("cannot connect", outcome.value());
  if (outcome) return Status(ErrorCode::kSystem, "cannot connect: " + outcome.message());
  return connected;
}

}  // namespace

PmiSocket::PmiSocket(int fd) : fd_(fd) {
  // Programs that this one starts are no ranks, and would hide its end from the launcher.
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  struct stat file {};
  fstat(fd, &file);
  device_ = file.st_dev;
  inode_ = file.st_ino;
}

Result<PmiSocket> PmiSocket::open(const PmiEndpoint& endpoint, Deadline deadline) {
  if (endpoint.fd >= 0) return borrow(endpoint.fd);
  return connect(endpoint.address, deadline);
}

Result<PmiSocket> PmiSocket::borrow(int fd) {
  struct stat file {};
  if (fstat(fd, &file) != 0 || !S_ISSOCK(file.st_mode)) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("descriptor {} is no socket of a launcher: was this process started "
                              "by a rank, or by a program that closes descriptors? Start it by the "
                              "launcher itself, or without PMI_FD, PMI_RANK and PMI_SIZE to be "
                              "alone",
                              fd));
  }
  return PmiSocket(fd);
}

Result<PmiSocket> PmiSocket::connect(const std::string& address, Deadline deadline) {
  RONDO_ASSIGN(const StoreAddress parsed, parse_address(address));
  RONDO_ASSIGN(UniqueFd connected, dial(parsed, deadline));
  PmiSocket socket(connected.get());
  socket.owned_ = std::move(connected);
  return socket;
}

bool PmiSocket::is_unchanged() const {
  struct stat file {};
  return fstat(fd_, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

Status PmiSocket::wait_until(short ready, Deadline deadline) const {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return timed_out();
    pollfd wanted{fd_, ready, 0};
    const auto most = std::min<milliseconds::rep>(left, std::numeric_limits<int>::max());
    const int found = poll(&wanted, 1, static_cast<int>(most));
    if (found > 0) return {};
    if (found < 0 && errno != EINTR) return failed(errno);
  }
}

Status PmiSocket::send(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      RONDO_TRY(wait_until(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return failed(errno);
    }
  }
  return {};
}

Result<std::string> PmiSocket::receive(Deadline deadline) {
  std::array<char, kPmiLineBytes> bytes{};
  while (true) {
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got == 0) return closed();
    if (got > 0) return std::string(bytes.data(), static_cast<std::size_t>(got));
    if (errno == EAGAIN) {
      RONDO_TRY(wait_until(POLLIN, deadline));
    } else if (errno != EINTR) {
      return failed(errno);
    }
  }
}

}  // namespace rondo::rendezvous
