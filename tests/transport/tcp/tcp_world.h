#pragma once

// Worlds of tcp transports inside one test process, over loopback. After joining, one thread drives
// all ranks, so tests decide the order of events.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "transport/tcp/tcp_transport.h"

namespace rondo::transport {

inline Deadline after_ms(int timeout_ms) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
}

inline std::unique_ptr<TcpTransport> listen_as(const Identity& own,
                                               const TcpOptions& options = {}) {
  auto transport = TcpTransport::create(own, options);
  EXPECT_TRUE(transport.ok()) << transport.status().to_string();
  return transport.ok() ? std::move(transport).value() : nullptr;
}

/// Joins `ranks`, each on a thread of its own; what `connect` said, in their order.
inline std::vector<Status> join_all(const std::vector<TcpTransport*>& transports,
                                    const std::vector<PeerAddress>& addresses, int timeout_ms) {
  std::vector<Status> results(transports.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < transports.size(); ++i)
    threads.emplace_back([&, i] {
      std::vector<PeerAddress> peers = addresses;
      peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(i));
      results[i] = transports[i]->connect(peers, after_ms(timeout_ms));
    });
  for (std::thread& thread : threads) thread.join();
  return results;
}

inline Fingerprint sum_of(std::uint64_t count) { return {1, 8, 0, 0, 0, count}; }

class TcpWorld {
 public:
  explicit TcpWorld(int world, const TcpOptions& options = {}) {
    std::vector<TcpTransport*> all;
    std::vector<PeerAddress> addresses;
    for (int rank = 0; rank < world; ++rank) {
      ranks_.push_back(
          listen_as({.job = 0x5eed, .epoch = 2, .rank = rank, .world = world}, options));
      all.push_back(ranks_.back().get());
      addresses.push_back({rank, ranks_.back()->address()});
    }
    for (const Status& status : join_all(all, addresses, 20'000))
      EXPECT_TRUE(status.ok()) << status.to_string();
    begin({1, 2, sum_of(1009)});
  }

  void begin(const Call& call) {
    for (int from = 0; from < size(); ++from)
      for (int to = 0; to < size(); ++to)
        if (from != to) end(from, to).begin(call, {});
  }
  int size() const { return static_cast<int>(ranks_.size()); }
  TcpTransport& rank(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  void destroy(int rank) { ranks_[static_cast<std::size_t>(rank)].reset(); }
  bool alive(int rank) const { return ranks_[static_cast<std::size_t>(rank)] != nullptr; }
  Endpoint& end(int at, int peer) { return *rank(at).endpoint(peer); }

  /// Drives every rank until `done`; false after a minute. Errors are the test's business.
  bool drive(const std::function<bool()>& done) {
    const Deadline deadline = after_ms(60'000);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      for (const auto& transport : ranks_)
        if (transport != nullptr) static_cast<void>(transport->progress());
    }
    return true;
  }
  /// Drives every rank until the group at `at` is done.
  ::testing::AssertionResult finish(int at, int peer, Token token) {
    Status error;
    const bool done = drive([&] {
      const Result<bool> state = end(at, peer).poll(token);
      if (!state.ok()) error = state.status();
      return !state.ok() || *state;
    });
    if (!error.ok()) return ::testing::AssertionFailure() << error.to_string();
    return done ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "not done";
  }
  /// Drives until rank `at` reports an error, and returns it.
  Status first_error(int at) {
    Status error;
    drive([&] {
      error = rank(at).progress();
      return !error.ok();
    });
    return error;
  }

  Token send(int at, int peer, std::span<std::byte> data, std::uint16_t lane = 0) {
    return post(at, peer, {TransferKind::kSend, lane, data.data(), data.size()});
  }
  Token recv(int at, int peer, std::span<std::byte> data, std::uint16_t lane = 0) {
    return post(at, peer, {TransferKind::kRecv, lane, data.data(), data.size()});
  }
  Token post(int at, int peer, const Transfer& transfer) {
    const Result<Token> token = end(at, peer).post({&transfer, 1});
    EXPECT_TRUE(token.ok()) << token.status().to_string();
    return token.ok() ? *token : 0;
  }

 private:
  std::vector<std::unique_ptr<TcpTransport>> ranks_;
};

/// Bytes that differ by rank and message and don't repeat with a power of two.
inline std::vector<std::byte> pattern(std::size_t bytes, std::size_t seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 7 + seed * 131 + i / 251) & 0xff);
  return data;
}

inline bool contains(const Status& status, const std::string& text) {
  return status.message().find(text) != std::string::npos;
}

}  // namespace rondo::transport
