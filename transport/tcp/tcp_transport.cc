#include "transport/tcp/tcp_transport.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>

#include <cerrno>

#include "core/process_limits.h"
#include "transport/tcp/joiner.h"
#include "transport/tcp/tcp_endpoint.h"

namespace rondo::transport {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often connections are read that nothing is expected from (aborts, lost peers).
constexpr double kLookPeriodNs = 1e6;
// How often a wait is looked at as to whether the peers' hosts are still there.
constexpr double kCheckPeriodNs = 1e9;

}  // namespace

struct TcpTransport::Place {
  std::unique_ptr<TcpEndpoint> endpoint;
  std::vector<std::uint32_t> data_events;  ///< what epoll has been told to look for, by socket
  std::uint32_t control_events = 0;
};

Result<std::unique_ptr<TcpTransport>> TcpTransport::create(const Identity& own,
                                                           const TcpOptions& options) {
  if (options.window == 0 || options.window > UINT32_MAX)
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("a tcp window of {} messages; it must be at least 1", options.window));
  if (options.sockets == 0 || options.sockets > kMostTcpSockets)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} tcp sockets to each peer; there may be 1 to {}", options.sockets,
                              kMostTcpSockets));
  RONDO_TRY(ForkGuard::prepare());
  RONDO_ASSIGN(std::unique_ptr<Joiner> joiner, Joiner::listen(own, options));
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return descriptor_error("creating an epoll descriptor", errno);
  return std::unique_ptr<TcpTransport>(
      new TcpTransport(own, options, std::move(joiner), std::move(epoll)));
}

TcpTransport::TcpTransport(const Identity& own, const TcpOptions& options,
                           std::unique_ptr<Joiner> joiner, UniqueFd epoll)
    : own_(own),
      options_(options),
      address_(joiner->address()),
      joiner_(std::move(joiner)),
      epoll_(std::move(epoll)),
      fork_guard_({epoll_.get()}),
      by_rank_(static_cast<std::size_t>(own.world)),
      look_period_(static_cast<Ticks>(kLookPeriodNs / ns_per_tick())),
      check_period_(static_cast<Ticks>(kCheckPeriodNs / ns_per_tick())) {}

TcpTransport::~TcpTransport() {
  const Deadline deadline = Clock::now() + milliseconds(options_.linger_ms);
  while (!leave() && Clock::now() < deadline) wait_for_sockets(10);
  for (Place& place : places_) place.endpoint->close();
}

bool TcpTransport::leave() {
  bool all_done = true;
  for (Place& place : places_) all_done = place.endpoint->leave() && all_done;
  return all_done;
}

// Leaving waits for room in the sockets, and for credit.
void TcpTransport::wait_for_sockets(int timeout_ms) const {
  std::vector<pollfd> sockets;
  for (const Place& place : places_) {
    for (std::size_t i = 0; i < place.endpoint->data_sockets(); ++i) {
      const bool wants_write = (place.endpoint->data_interest(i) & EPOLLOUT) != 0;
      sockets.push_back({place.endpoint->data_socket(i),
                         static_cast<short>(POLLIN | (wants_write ? POLLOUT : 0)), 0});
    }
    sockets.push_back({place.endpoint->control_socket(), POLLIN, 0});
  }
  ::poll(sockets.data(), sockets.size(), timeout_ms);
}

Status TcpTransport::connect(std::span<const PeerAddress> peers, Deadline deadline) {
  if (joiner_ == nullptr)
    return Status(ErrorCode::kInvalidArgument, "a tcp transport connects only once");
  RONDO_ASSIGN(std::vector<JoinedPeer> joined, joiner_->join(peers, deadline, look()));
  joiner_.reset();
  for (JoinedPeer& peer : joined) {
    const auto rank = static_cast<std::size_t>(peer.rank);
    std::vector<std::uint32_t> no_events(peer.data.size());
    places_.push_back({std::make_unique<TcpEndpoint>(own_, std::move(peer), options_, own_calls_),
                       std::move(no_events)});
    by_rank_[rank] = places_.back().endpoint.get();
  }
  return {};
}

Endpoint* TcpTransport::endpoint(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return rank >= 0 && index < by_rank_.size() ? by_rank_[index] : nullptr;
}

Status TcpTransport::progress() {
  const Ticks now = ticks_now();
  // Also where the counter goes back, as it may between processors.
  const bool look_everywhere = look_everywhere_ || now - last_look_ >= look_period_;
  if (look_everywhere) last_look_ = now;
  look_everywhere_ = false;
  const bool check_hosts = look_everywhere && now - last_check_ >= check_period_;
  if (check_hosts) last_check_ = now;
  Status first;
  for (Place& place : places_) {
    Status status = place.endpoint->progress(look_everywhere);
    if (check_hosts && status.ok()) status = place.endpoint->check_host();
    if (first.ok() && !status.ok()) first = std::move(status);
  }
  return first;
}

bool TcpTransport::arm() {
  bool restless = false;
  for (Place& place : places_) {
    const TcpEndpoint& endpoint = *place.endpoint;
    restless = restless || endpoint.restless();
    for (std::size_t i = 0; i < endpoint.data_sockets(); ++i)
      watch(endpoint.data_socket(i), endpoint.data_interest(i), place.data_events[i]);
    watch(endpoint.control_socket(), endpoint.control_interest(), place.control_events);
  }
  epoll_event event{};
  const bool ready = restless || epoll_wait(epoll_.get(), &event, 1, 0) > 0;
  // What is ready may be on a connection that nothing is expected from.
  look_everywhere_ = look_everywhere_ || ready;
  return ready;
}

void TcpTransport::watch(int socket, std::uint32_t events, std::uint32_t& known_events) {
  if (events == known_events) return;
  const int change = known_events == 0 ? EPOLL_CTL_ADD
                     : events == 0     ? EPOLL_CTL_DEL
                                       : EPOLL_CTL_MOD;
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  // It fails only for lack of memory; the place then sleeps until its timeout instead.
  if (epoll_ctl(epoll_.get(), change, socket, &event) == 0) known_events = events;
}

}  // namespace rondo::transport
