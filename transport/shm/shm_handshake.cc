#include "transport/shm/shm_handshake.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "core/random_bits.h"
#include "transport/wire/protocol_error.h"

namespace rondo::transport {
namespace {

constexpr std::byte kReady{0x10};
constexpr std::byte kReadyAndReads{0x11};

}  // namespace

ShmHandshake::ShmHandshake(const ShmPlace& own, UniqueFd socket, std::optional<int> dialled)
    : own_(own), accept_(Hello{.from = own.identity}) {
  peer_.socket = std::move(socket);
  if (!dialled) return;
  dial_.emplace(Hello{.from = own.identity, .to = *dialled, .nonce = random_bits()});
}

Status ShmHandshake::start() {
  RONDO_ASSIGN(const Credentials credentials, peer_credentials(socket()));
  if (credentials.uid != ::geteuid())
    return Status(ErrorCode::kMismatch,
                  fmt::format("the process behind a Unix socket (pid {}) belongs to user {}, this "
                              "one to user {}",
                              credentials.pid, credentials.uid, ::geteuid()));
  peer_.pid = credentials.pid;
  if (dial_ && !send(dial_->start().send, true))
    return Status(ErrorCode::kPeerLost, "a process ended while it was dialled");
  return {};
}

bool ShmHandshake::send(std::span<const std::byte> bytes, bool with_descriptors) const {
  const std::array<int, 3> descriptors{own_.page->fd(), own_.slots->fd(), own_.pool->fd()};
  return send_packet(socket(), bytes,
                     with_descriptors ? std::span<const int>(descriptors) : std::span<const int>());
}

Status ShmHandshake::step() {
  while (stage_ != Stage::kDone) {
    std::array<std::byte, kAnswerBytes> buffer;
    RONDO_ASSIGN(Packet packet, receive_packet(socket(), buffer));
    if (packet.kind == Packet::Kind::kNothing) return {};
    const auto bytes = std::span<const std::byte>(buffer).first(packet.bytes);
    if (stage_ == Stage::kHello) {
      RONDO_TRY(take_hello(std::move(packet), bytes));
    } else if (packet.kind == Packet::Kind::kEnd) {
      return Status(ErrorCode::kPeerLost,
                    fmt::format("rank {} (pid {}) closed the connection during the handshake",
                                rank(), peer_.pid),
                    rank());
    } else {
      RONDO_TRY(take_ready(bytes));
    }
  }
  return {};
}

Status ShmHandshake::take_hello(Packet packet, std::span<const std::byte> bytes) {
  const bool ended = packet.kind == Packet::Kind::kEnd;
  const HandshakeEvent event =
      ended ? HandshakeEvent(StreamEnded{}) : HandshakeEvent(BytesArrived{bytes});
  HandshakeAction action = dial_ ? dial_->step(event) : accept_.step(event);
  if (action.kind == HandshakeAction::Kind::kRefuse) send(action.send, false);
  if (action.kind == HandshakeAction::Kind::kRead)
    return Status(ErrorCode::kInternal, "a hello came in pieces over a packet socket");
  if (action.kind != HandshakeAction::Kind::kWelcome) return std::move(action.why);
  peer_.rank = action.peer.from.rank;
  if (!dial_ && !send(action.send, true))
    return Status(ErrorCode::kPeerLost,
                  fmt::format("rank {} closed the connection during the handshake", rank()),
                  rank());
  return map_peer(std::move(packet));
}

Status ShmHandshake::map_peer(Packet packet) {
  auto& [page_fd, slots_fd, pool_fd] = packet.descriptors;
  if (!page_fd.valid() || !slots_fd.valid() || !pool_fd.valid())
    return protocol_error(rank(), "its hello carries no shared memory");
  const int own_index = own_.host_ranks.index_of(own_.identity.rank).value();
  auto page = PeerPage::open(std::move(page_fd), own_.host_ranks.count(), own_index);
  if (!page.ok()) return std::move(page).status().with_culprit(rank());
  auto slots = PeerSlots::open(std::move(slots_fd), page->slot_shape(), own_index);
  if (!slots.ok()) return std::move(slots).status().with_culprit(rank());
  auto segment = PeerSegment::open(std::move(pool_fd));
  if (!segment.ok()) return std::move(segment).status().with_culprit(rank());
  peer_.page = std::make_unique<PeerPage>(std::move(page).value());
  peer_.slots = std::make_unique<PeerSlots>(std::move(slots).value());
  peer_.memory =
      std::make_unique<ShmMemory>(own_.pool, std::move(segment).value(), rank(), peer_.pid);
  const ControlPageHead& head = peer_.page->head();
  const bool reads = peer_.memory->probe(head.probe_address, head.probe_value);
  stage_ = Stage::kReady;
  const std::array<std::byte, 1> ready{reads ? kReadyAndReads : kReady};
  if (!send(ready, false))
    return Status(ErrorCode::kPeerLost,
                  fmt::format("rank {} closed the connection during the handshake", rank()),
                  rank());
  return {};
}

Status ShmHandshake::take_ready(std::span<const std::byte> bytes) {
  if (bytes.size() != 1 || (bytes[0] != kReady && bytes[0] != kReadyAndReads))
    return protocol_error(rank(), "its handshake doesn't end as it should");
  if (bytes[0] == kReadyAndReads) peer_.memory->let_peer_read_private();
  peer_.memory->read_private_from(own_.private_read_bytes);
  stage_ = Stage::kDone;
  return {};
}

}  // namespace rondo::transport
