#pragma once

// The connection to one process of this host. Data goes through shared lines; the Unix socket
// carries what is rare: doorbells, aborts, goodbyes, and the news that the peer's process is gone.
// Threads: one at a time.

#include "transport/endpoint/fork_guard.h"
#include "transport/ring/ring_endpoint.h"
#include "transport/shm/shm_handshake.h"
#include "transport/wire/control.h"

namespace rondo::transport {

class ShmEndpoint final : public RingEndpoint {
 public:
  ShmEndpoint(const ShmPlace& own, ShmPeer peer);
  ~ShmEndpoint() override;

  TransportKind kind() const override { return TransportKind::kShm; }
  void abort(const Status& cause) override;
  void withdraw() override;
  void await_store(std::chrono::steady_clock::time_point until) override;
  /// As Transport::read_private_from.
  void read_private_from(std::size_t bytes) { peer_.memory->read_private_from(bytes); }
  bool may_read_private() const { return peer_.memory->may_read_private(); }
  /// Once, at the latest when destroyed.
  void say_goodbye();

  int socket() const { return peer_.socket.get(); }
  /// Becomes readable when the peer's process has ended, whoever else may hold its socket; -1 where
  /// there is none.
  int process_fd() const { return process_fd_.get(); }

  /// Reads what has come over the socket; false once nothing more will.
  bool read_socket();
  /// The peer's process has ended: unless it said goodbye first, it is lost.
  void process_ended();

 protected:
  void ring_doorbell() override;
  void look_for_notice() override { read_socket(); }

 private:
  void abandon_stores();
  void take(const ControlMessage& message);
  void send(const ControlMessage& message);
  void lose_peer();

  std::uint32_t epoch_;
  ShmPeer peer_;
  UniqueFd process_fd_;
  ForkGuard fork_guard_;  ///< of the socket
  ControlReader reader_;
  bool ended_ = false;
  bool is_lost_ = false;  ///< its process has ended
  bool has_said_goodbye_ = false;
};

}  // namespace rondo::transport
