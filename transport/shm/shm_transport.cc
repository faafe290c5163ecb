#include "transport/shm/shm_transport.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <time.h>

#include <array>
#include <cerrno>

#include "core/process_limits.h"
#include "core/random_bits.h"
#include "transport/shm/shm_connector.h"

namespace rondo::transport {
namespace {

// An event's tag: the peer's rank, and whether it is about the peer's process or its socket.
constexpr std::uint64_t kProcessBit = std::uint64_t{1} << 32;

// The coarse clock is read without a system call, in a few nanoseconds.
std::int64_t coarse_clock_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

Status watch(int epoll, int fd, std::uint64_t tag) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = tag}};
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
    return system_error("watching a Unix socket", errno);
  return {};
}

}  // namespace

Result<std::unique_ptr<ShmTransport>> ShmTransport::create(const Identity& identity,
                                                           const ShmOptions& options) {
  if (identity.world < 1 || identity.rank < 0 || identity.rank >= identity.world)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} in a world of {}", identity.rank, identity.world));
  HostRanks host_ranks(options.host_ranks, identity.world);
  if (!host_ranks.index_of(identity.rank))
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} isn't among the {} ranks of its host", identity.rank,
                              host_ranks.count()));
  RONDO_TRY(ForkGuard::prepare());
  RONDO_ASSIGN(const RegisteredPool* pool, RegisteredPool::instance());
  RONDO_ASSIGN(SlotFile slots, SlotFile::create(host_ranks.count(), {.count = options.slot_count,
                                                                     .bytes = options.slot_bytes}));
  RONDO_ASSIGN(ControlPage page, ControlPage::create(host_ranks.count(), slots.shape()));
  std::unique_ptr<ShmTransport> transport(new ShmTransport(
      identity, options, std::move(host_ranks), std::move(slots), std::move(page), pool));
  RONDO_ASSIGN(transport->listener_, listen_abstract(transport->name_));
  transport->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!transport->epoll_.valid()) return descriptor_error("creating an epoll descriptor", errno);
  transport->fork_guard_.emplace(std::vector<int>{transport->epoll_.get()});
  return transport;
}

ShmTransport::ShmTransport(const Identity& identity, const ShmOptions& options,
                           HostRanks host_ranks, SlotFile slots, ControlPage page,
                           const RegisteredPool* pool)
    : slots_(std::move(slots)),
      page_(std::move(page)),
      place_{.identity = identity,
             .host_ranks = std::move(host_ranks),
             .page = &page_,
             .slots = &slots_,
             .pool = pool,
             .private_read_bytes = options.private_read_bytes},
      name_(fmt::format("rondo-{:016x}{:016x}-{}", random_bits(), random_bits(), identity.rank)),
      endpoints_(static_cast<std::size_t>(identity.world)) {}

Status ShmTransport::connect(std::span<const PeerAddress> peers, Deadline deadline) {
  ShmConnector connector(place_, listener_.get());
  RONDO_ASSIGN(auto connected, connector.connect(peers, deadline, look()));
  for (ShmPeer& peer : connected) {
    auto& endpoint = endpoints_[static_cast<std::size_t>(peer.rank)];
    endpoint = std::make_unique<ShmEndpoint>(place_, std::move(peer));
    connected_.push_back(endpoint.get());
  }
  listener_ = UniqueFd();
  return watch_all();
}

Status ShmTransport::watch_all() {
  for (const ShmEndpoint* endpoint : connected_) {
    const auto rank = static_cast<std::uint64_t>(endpoint->peer());
    RONDO_TRY(watch(epoll_.get(), endpoint->socket(), rank));
    if (endpoint->process_fd() >= 0)
      RONDO_TRY(watch(epoll_.get(), endpoint->process_fd(), rank | kProcessBit));
  }
  return {};
}

Endpoint* ShmTransport::endpoint(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return index < endpoints_.size() ? endpoints_[index].get() : nullptr;
}

Status ShmTransport::progress() {
  if (look_is_due()) look_at_sockets();
  Status first;
  for (ShmEndpoint* endpoint : connected_)
    if (Status status = endpoint->progress(); !status.ok() && first.ok()) first = std::move(status);
  return first;
}

bool ShmTransport::look_is_due() {
  const std::int64_t now_ms = coarse_clock_ms();
  if (now_ms == last_look_ms_) return false;
  last_look_ms_ = now_ms;
  return true;
}

void ShmTransport::look_at_sockets() {
  std::array<epoll_event, 16> events;
  int count = 0;
  do {
    count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) handle_event(events[static_cast<std::size_t>(i)].data.u64);
  } while (count == static_cast<int>(events.size()));
}

void ShmTransport::handle_event(std::uint64_t tag) {
  const bool is_process = (tag & kProcessBit) != 0;
  ShmEndpoint& endpoint = *endpoints_[tag & (kProcessBit - 1)];
  if (is_process)
    endpoint.process_ended();
  else if (endpoint.read_socket())
    return;
  // It stays readable for ever and would keep this place awake.
  const int fd = is_process ? endpoint.process_fd() : endpoint.socket();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

bool ShmTransport::arm() {
  announce_sleep(page_.head().place.sleep);
  for (ShmEndpoint* endpoint : connected_)
    if (endpoint->can_progress() || endpoint->copy_lent()) return true;
  return false;
}

void ShmTransport::disarm() {
  announce_wake(page_.head().place.sleep);
  look_at_sockets();
}

void ShmTransport::read_private_from(std::size_t bytes) {
  for (ShmEndpoint* endpoint : connected_) endpoint->read_private_from(bytes);
}

bool ShmTransport::may_read_private() const {
  return std::ranges::any_of(connected_, &ShmEndpoint::may_read_private);
}

void ShmTransport::say_goodbye() {
  for (ShmEndpoint* endpoint : connected_) endpoint->say_goodbye();
}

}  // namespace rondo::transport
