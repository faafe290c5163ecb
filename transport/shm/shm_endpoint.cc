#include "transport/shm/shm_endpoint.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "core/log.h"
#include "transport/shm/registered_pool.h"

namespace rondo::transport {
namespace {

// A packet of one byte; control messages are longer.
constexpr std::array<std::byte, 1> kDoorbell{std::byte{'!'}};

RingLink link_to(const ShmPlace& own, const ShmPeer& peer) {
  const int index = own.host_ranks.index_of(peer.rank).value();
  return {.rank = own.identity.rank,
          .peer = peer.rank,
          .own_head = &own.page->head().place,
          .peer_head = &peer.page->head().place,
          .own_bulletins = &own.slots->bulletins(),
          .peer_bulletins = &peer.slots->bulletins(),
          .own_channel = &own.page->channel(index),
          .peer_channel = &peer.page->channel(),
          .own_slots = own.slots->slots(index),
          .peer_slots = peer.slots->slots(),
          .own_buffer = own.slots->slots(index).of_buffered_lane(),
          .peer_buffer = peer.slots->slots().of_buffered_lane(),
          .memory = peer.memory.get(),
          .asymmetric_fence =
              own.page->head().asymmetric_fence == 1 && peer.page->head().asymmetric_fence == 1};
}

// A socket alone doesn't tell: a child that the peer forked may hold it open.
UniqueFd watch_process(pid_t pid) {
  if (pid <= 0 || pid == ::getpid()) return {};
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

ShmEndpoint::ShmEndpoint(const ShmPlace& own, ShmPeer peer)
    : RingEndpoint(link_to(own, peer)),
      epoch_(own.identity.epoch),
      peer_(std::move(peer)),
      process_fd_(watch_process(peer_.pid)),
      fork_guard_({peer_.socket.get()}),
      reader_(peer_.rank, own.identity.epoch) {}

ShmEndpoint::~ShmEndpoint() { say_goodbye(); }

void ShmEndpoint::say_goodbye() {
  if (!std::exchange(has_said_goodbye_, true)) send(Goodbye{call().sequence});
}

void ShmEndpoint::abort(const Status& cause) { send(abort_notice(cause)); }

// A forked child shares the page in which that is said.
void ShmEndpoint::withdraw() {
  if (!fork_guard_.is_in_child()) RingEndpoint::withdraw();
}

void ShmEndpoint::await_store(std::chrono::steady_clock::time_point until) {
  constexpr int kLookPeriodMs = 1;
  while (peer_stores()) {
    pollfd process{.fd = process_fd(), .events = POLLIN, .revents = 0};
    const bool has_ended = ::poll(&process, 1, kLookPeriodMs) == 1;
    // Where the process can't be watched, its socket ends with it.
    if (process_fd() < 0) read_socket();
    if (has_ended || is_lost_) return;
    if (std::chrono::steady_clock::now() >= until) return abandon_stores();
  }
}

void ShmEndpoint::abandon_stores() {
  auto pool = RegisteredPool::instance();
  if (!pool.ok()) return;
  std::size_t bytes = 0;
  for (const std::span<std::byte> region : stores())
    if (!region.empty()) bytes += (*pool)->abandon(region.data());
  log(LogLevel::kWarn, [&] {
    return fmt::format(
        "rank {} (pid {}) stands still in the middle of a write to this rank's "
        "memory, which may come at any time: {} registered bytes stay taken until "
        "this process ends; don't use the failed call's output again",
        peer(), peer_.pid, bytes);
  });
}

void ShmEndpoint::send(const ControlMessage& message) {
  std::array<std::byte, kMaxControlBytes> block;
  const std::size_t bytes = encode_control(message, epoch_, block);
  send_packet(socket(), std::span<const std::byte>(block).first(bytes));
}

// A full socket is no loss: what fills it wakes the peer as well.
void ShmEndpoint::ring_doorbell() { send_packet(socket(), kDoorbell); }

bool ShmEndpoint::read_socket() {
  while (!ended_) {
    std::array<std::byte, kMaxControlBytes> buffer;
    auto packet = receive_packet(socket(), buffer);
    if (!packet.ok()) {
      fail(std::move(packet).status().with_culprit(peer()));
      ended_ = true;
      break;
    }
    if (packet->kind == Packet::Kind::kNothing) return true;
    if (packet->kind == Packet::Kind::kEnd) {
      lose_peer();
      break;
    }
    auto bytes = std::span<const std::byte>(buffer).first(packet->bytes);
    if (bytes.size() == kDoorbell.size()) continue;
    while (!bytes.empty()) {
      auto message = reader_.step(bytes);
      if (!message.ok()) {
        fail(std::move(message).status());
        ended_ = true;
        break;
      }
      if (message->has_value()) take(**message);
    }
  }
  return !ended_;
}

void ShmEndpoint::take(const ControlMessage& message) {
  if (const auto* notice = std::get_if<AbortNotice>(&message)) {
    fail(abort_status(*notice, peer()));
  } else if (const auto* goodbye = std::get_if<Goodbye>(&message)) {
    peer_left(Status(ErrorCode::kPeerLost,
                     fmt::format("rank {} (pid {}) destroyed its communicator after call {}, this "
                                 "rank waits for it in call {}",
                                 peer(), peer_.pid, goodbye->sequence, call().sequence),
                     peer()));
    ended_ = true;
  }
}

void ShmEndpoint::process_ended() {
  if (read_socket()) lose_peer();
}

void ShmEndpoint::lose_peer() {
  ended_ = true;
  is_lost_ = true;
  fail(Status(ErrorCode::kPeerLost,
              fmt::format("rank {} (pid {}) ended without a goodbye: its process has exited or was "
                          "killed; make a new communicator without it",
                          peer(), peer_.pid),
              peer()));
}

}  // namespace rondo::transport
