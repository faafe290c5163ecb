#pragma once

// One rank of a world of places of this process: its transport and its waiter, which what runs
// calls is made on.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "collectives/execute/host/waiter.h"
#include "transport/inproc/inproc_transport.h"
#include "transport/shm/shm_transport.h"
#include "transport/tcp/tcp_transport.h"

namespace rondo::execute {

inline std::unique_ptr<transport::Transport> make_transport(transport::TransportKind kind,
                                                            const transport::Identity& identity) {
  if (kind == transport::TransportKind::kShm)
    return transport::ShmTransport::create(identity).value();
  if (kind == transport::TransportKind::kTcp)
    return transport::TcpTransport::create(identity, {}).value();
  return transport::InprocTransport::create(identity).value();
}

class ConnectedRank {
 public:
  ConnectedRank(transport::TransportKind kind, std::uint64_t job, int rank, int world)
      : rank_(rank),
        world_(world),
        transport_(make_transport(kind, {.job = job, .epoch = 1, .rank = rank, .world = world})) {}
  std::string address() const { return transport_->address(); }
  void connect(const std::vector<std::string>& addresses) {
    std::vector<transport::PeerAddress> peers;
    for (int peer = 0; peer < world_; ++peer)
      if (peer != rank_) peers.push_back({peer, addresses[static_cast<std::size_t>(peer)]});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    ASSERT_TRUE(transport_->connect(peers, deadline).ok());
    transport::Transport* transports[] = {transport_.get()};
    waiter_ = Waiter::make(transports, {.spare_core = false}).value();
  }
  /// See transport::Traffic.
  std::uint64_t copied_bytes() const {
    std::uint64_t bytes = 0;
    for (int peer = 0; peer < world_; ++peer)
      if (peer != rank_) bytes += transport_->endpoint(peer)->traffic().copied_bytes;
    return bytes;
  }

 protected:
  int rank_;
  int world_;
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<Waiter> waiter_;
};

}  // namespace rondo::execute
