#pragma once

// A world whose other ranks are acted by the test: their messages are there when it says so, and
// what a place asks of their endpoints comes to nothing else.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "tests/collectives/execute/acted_endpoint.h"
#include "transport/endpoint/transport.h"
#include "transport/mesh/mesh.h"

namespace rondo::testing {

/// Of messages it has those that belong to no call, without headings. What is sent is done at once.
class ActedPeer final : public execute::ActedEndpoint {
 public:
  explicit ActedPeer(int rank) : rank_(rank) {}

  /// The next piece that it has sent: a header or a payload.
  void arrives(std::span<const std::byte> piece) {
    pieces_.emplace_back(piece.begin(), piece.end());
  }
  std::size_t arriving() const { return pieces_.size(); }
  /// From now on nothing can be posted, as where it is known that the peer has gone.
  void refuse(Status why) { refuses_ = std::move(why); }

  transport::TransportKind kind() const override { return transport::TransportKind::kTcp; }
  int peer() const override { return rank_; }
  std::size_t window() const override { return 4; }
  Result<transport::Token> post(std::span<const transport::Transfer> group) override {
    RONDO_TRY(refuses_);
    posted_.push_back(group.front());
    return posted_.size() - 1;
  }
  Result<bool> poll(transport::Token token) override {
    const transport::Transfer& transfer = posted_[token];
    if (transfer.kind == transport::TransferKind::kSend) return true;
    if (transfer.lane != transport::kBufferedLane || pieces_.empty()) return false;
    std::memcpy(transfer.data, pieces_.front().data(),
                std::min(transfer.bytes, pieces_.front().size()));
    pieces_.pop_front();
    return true;
  }
  bool has_unexpected() override { return !pieces_.empty(); }

 private:
  int rank_;
  std::deque<std::vector<std::byte>> pieces_;
  std::vector<transport::Transfer> posted_;  ///< by token
  Status refuses_;
};

/// Rank 0's.
class ActedTransport final : public transport::Transport {
 public:
  explicit ActedTransport(int world) {
    for (int rank = 0; rank < world; ++rank) peers_.push_back(std::make_unique<ActedPeer>(rank));
  }
  /// Is called when the place is about to sleep.
  std::function<void()> armed;
  ActedPeer& peer(int rank) { return *peers_[static_cast<std::size_t>(rank)]; }

  std::string address() const override { return ""; }
  Status connect(std::span<const transport::PeerAddress>, transport::Deadline) override {
    return {};
  }
  transport::Endpoint* endpoint(int rank) override { return rank == 0 ? nullptr : &peer(rank); }
  Status progress() override { return {}; }
  int wake_fd() const override { return -1; }
  bool arm() override {
    if (armed) armed();
    return false;
  }
  void disarm() override {}

 private:
  std::vector<std::unique_ptr<ActedPeer>> peers_;
};

/// That of rank 0; `ranks` of its world, itself the first.
inline std::unique_ptr<transport::Mesh> acted_mesh(std::unique_ptr<ActedTransport> acted,
                                                   std::vector<transport::RankInfo> ranks) {
  const transport::Identity first{.epoch = 1, .rank = 0, .world = static_cast<int>(ranks.size())};
  std::vector<std::unique_ptr<transport::Transport>> transports;
  transports.push_back(std::move(acted));
  return std::make_unique<transport::Mesh>(first, std::move(ranks), std::move(transports));
}

}  // namespace rondo::testing
