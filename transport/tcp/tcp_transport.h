#pragma once

// All tcp endpoints of one place: the driver of their sockets. It reads and writes without waiting,
// and keeps an epoll descriptor only for a place that wants to sleep.
// Threads: one at a time per place.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ticks.h"
#include "core/unique_fd.h"
#include "transport/endpoint/fork_guard.h"
#include "transport/endpoint/transport.h"
#include "transport/tcp/tcp_options.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {

class Joiner;
class TcpEndpoint;

class TcpTransport final : public Transport {
 public:
  /// Listens. Errors: InvalidArgument (the address to bind), System.
  static Result<std::unique_ptr<TcpTransport>> create(const Identity& own,
                                                      const TcpOptions& options);
  /// Writes what is posted and says goodbye, for at most `options.linger_ms`.
  ~TcpTransport() override;

  std::string address() const override { return address_; }
  Status connect(std::span<const PeerAddress> peers, Deadline deadline) override;
  Endpoint* endpoint(int rank) override;
  Status progress() override;
  bool asks_system() const override { return true; }
  int wake_fd() const override { return epoll_.get(); }
  bool arm() override;
  void disarm() override { look_everywhere_ = true; }

 private:
  struct Place;

  TcpTransport(const Identity& own, const TcpOptions& options, std::unique_ptr<Joiner> joiner,
               UniqueFd epoll);
  void watch(int socket, std::uint32_t events, std::uint32_t& known_events);
  bool leave();
  void wait_for_sockets(int timeout_ms) const;

  Identity own_;
  TcpOptions options_;
  std::string address_;
  std::unique_ptr<Joiner> joiner_;  ///< until connected
  UniqueFd epoll_;
  ForkGuard fork_guard_;  ///< of epoll_
  CallHistory own_calls_;
  std::vector<Place> places_;
  std::vector<TcpEndpoint*> by_rank_;
  Ticks last_look_ = 0;
  Ticks look_period_;
  Ticks last_check_ = 0;  ///< of the peers' hosts
  Ticks check_period_;
  bool look_everywhere_ = false;
};

}  // namespace rondo::transport
