#include "transport/shm/shm_connector.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

namespace rondo::transport {
namespace {

constexpr int kLookAgainMs = 10;

}  // namespace

Result<std::vector<ShmPeer>> ShmConnector::connect(std::span<const PeerAddress> peers,
                                                   Deadline deadline, const Look& look) {
  RONDO_TRY(check(peers));
  Lookout lookout(look);
  for (const PeerAddress& peer : peers) {
    missing_.insert(peer.rank);
    if (peer.rank < own_.identity.rank) to_dial_.push_back(peer);
  }
  while (!missing_.empty()) {
    RONDO_TRY(dial_missing());
    RONDO_TRY(accept_all());
    RONDO_TRY(step_all());
    if (missing_.empty()) break;
    if (std::chrono::steady_clock::now() >= deadline) return missing();
    wait(lookout.next(deadline));
    RONDO_TRY(lookout.look());
  }
  return std::move(connected_);
}

Status ShmConnector::check(std::span<const PeerAddress> peers) const {
  std::set<int> ranks;
  for (const PeerAddress& peer : peers)
    if (!own_.host_ranks.index_of(peer.rank) || peer.rank == own_.identity.rank ||
        !ranks.insert(peer.rank).second)
      return Status(
          ErrorCode::kInvalidArgument,
          fmt::format("rank {} can't connect to rank {} in a world of {}, of which {} "
                      "are on its host",
                      own_.identity.rank, peer.rank, own_.identity.world, own_.host_ranks.count()));
  return {};
}

Status ShmConnector::dial_missing() {
  while (!to_dial_.empty()) {
    const PeerAddress& peer = to_dial_.back();
    auto socket = dial_abstract(peer.address);
    if (!socket.ok()) return std::move(socket).status().with_culprit(peer.rank);
    if (!socket->has_value()) return {};
    auto handshake = std::make_unique<ShmHandshake>(own_, std::move(**socket), peer.rank);
    RONDO_TRY(handshake->start().with_culprit(peer.rank));
    open_.push_back(std::move(handshake));
    to_dial_.pop_back();
  }
  return {};
}

Status ShmConnector::accept_all() {
  for (;;) {
    RONDO_ASSIGN(auto socket, accept_from(listener_));
    if (!socket) return {};
    auto handshake = std::make_unique<ShmHandshake>(own_, std::move(*socket), std::nullopt);
    if (handshake->start().ok()) open_.push_back(std::move(handshake));
  }
}

Status ShmConnector::step_all() {
  Handshakes still_open;
  for (auto& handshake : open_) {
    bool keep = true;
    RONDO_TRY(advance(*handshake, keep));
    if (!keep) continue;
    if (!handshake->done()) {
      still_open.push_back(std::move(handshake));
      continue;
    }
    missing_.erase(handshake->rank());
    connected_.push_back(std::move(*handshake).take());
  }
  open_ = std::move(still_open);
  return {};
}

// A connection that fails before its hello was accepted comes from a stranger, unless this rank
// dialled it itself, or fails by what this process may do; one from a rank that isn't expected (any
// more) is closed too.
Status ShmConnector::advance(ShmHandshake& handshake, bool& keep) {
  Status status = handshake.step();
  if (status.ok()) {
    keep = handshake.rank() < 0 || missing_.contains(handshake.rank());
    return {};
  }
  keep = false;
  const bool is_own = status.code() == ErrorCode::kSystem;
  if (handshake.has_dialled() || handshake.rank() >= 0 || is_own) return status;
  return {};
}

void ShmConnector::wait(Deadline deadline) const {
  std::vector<pollfd> sockets{{.fd = listener_, .events = POLLIN, .revents = 0}};
  for (const auto& handshake : open_)
    sockets.push_back({.fd = handshake->socket(), .events = POLLIN, .revents = 0});
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  // A dial that found a full queue has nothing to poll and is tried again.
  const int limit_ms = to_dial_.empty() ? 1000 : kLookAgainMs;
  const auto wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, limit_ms));
  ::poll(sockets.data(), sockets.size(), wait_ms);
}

Status ShmConnector::missing() const {
  std::vector<int> ranks(missing_.begin(), missing_.end());
  return Status(
      ErrorCode::kTimeout,
      fmt::format("rank {} waited for a shared-memory connection with rank{} {}: not "
                  "there in time",
                  own_.identity.rank, ranks.size() > 1 ? "s" : "", fmt::join(ranks, ", ")),
      ranks.front());
}

}  // namespace rondo::transport
