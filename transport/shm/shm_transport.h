#pragma once

// All connections of one place to the processes of its host.
//
// Steady state makes no system call but to wake a sleeping peer, to read a peer's private memory,
// and once per millisecond of progress() to look at the sockets.
// Threads: one at a time per object; objects of one process are independent.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/endpoint/fork_guard.h"
#include "transport/endpoint/transport.h"
#include "transport/shm/control_page.h"
#include "transport/shm/shm_endpoint.h"
#include "transport/shm/shm_options.h"

namespace rondo::transport {

class ShmTransport final : public Transport {
 public:
  /// Listens at once. Errors: InvalidArgument (options), System.
  static Result<std::unique_ptr<ShmTransport>> create(const Identity& identity,
                                                      const ShmOptions& options = {});

  std::string address() const override { return name_; }
  Status connect(std::span<const PeerAddress> peers, Deadline deadline) override;
  Endpoint* endpoint(int rank) override;
  Status progress() override;
  bool is_polled() const override { return true; }
  int wake_fd() const override { return epoll_.get(); }
  bool arm() override;
  void disarm() override;
  void read_private_from(std::size_t bytes) override;
  bool may_read_private() const override;
  void say_goodbye() override;

 private:
  ShmTransport(const Identity& identity, const ShmOptions& options, HostRanks host_ranks,
               SlotFile slots, ControlPage page, const RegisteredPool* pool);
  Status watch_all();
  void look_at_sockets();
  void handle_event(std::uint64_t tag);
  bool look_is_due();

  SlotFile slots_;
  ControlPage page_;
  ShmPlace place_;
  std::string name_;
  UniqueFd listener_;
  UniqueFd epoll_;
  std::optional<ForkGuard> fork_guard_;                  ///< of epoll_
  std::vector<std::unique_ptr<ShmEndpoint>> endpoints_;  ///< by rank; null: not connected
  std::vector<ShmEndpoint*> connected_;
  std::int64_t last_look_ms_ = 0;
};

}  // namespace rondo::transport
