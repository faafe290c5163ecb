#pragma once

// All endpoints of one kind that one place has: listens, connects, makes progress, sleeps.
// Threads: one thread at a time per place.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/status.h"
#include "transport/endpoint/endpoint.h"
#include "transport/endpoint/lookout.h"

namespace rondo::transport {

/// Who a place is, said and checked in every handshake: a peer of another job or epoch is refused.
struct Identity {
  std::uint64_t job = 0;  ///< random, equal on all ranks of a job
  std::uint32_t epoch = 0;
  int rank = 0;
  int world = 1;
};

struct PeerAddress {
  int rank = 0;
  std::string address;  ///< what the peer's Transport::address() of the same kind said
};

using Deadline = std::chrono::steady_clock::time_point;

class Transport {
 public:
  virtual ~Transport() = default;

  /// Where peers reach this place (it listens from construction on); opaque, at most 1 KiB.
  virtual std::string address() const = 0;
  /// Connects to all of `peers`; of each pair the higher rank dials. Called once, by every rank.
  /// Errors: Timeout (names the peers that are missing), InvalidArgument, System.
  virtual Status connect(std::span<const PeerAddress> peers, Deadline deadline) = 0;
  /// Asked every few milliseconds while `connect` waits; an error of it is that of `connect`.
  /// Empty: nobody is asked.
  void look_while_connecting(Look look) { look_ = std::move(look); }
  /// The endpoint of a connected peer, owned by the transport; null for others.
  virtual Endpoint* endpoint(int rank) = 0;

  /// Moves what can be moved without waiting, and looks for aborts and lost peers (at most every
  /// millisecond where that takes a system call). Errors: PeerLost, or what a peer aborted with.
  virtual Status progress() = 0;
  /// Whether progress() is for what is rare alone: endpoints that are polled see messages without
  /// it.
  virtual bool is_polled() const { return false; }
  /// Whether each progress() asks the system.
  virtual bool asks_system() const { return false; }
  /// A descriptor that becomes readable when a sleeping place must look again; -1: has none, the
  /// caller looks every millisecond.
  virtual int wake_fd() const = 0;
  /// Before sleeping on wake_fd: asks peers to wake this place. True if there is something to look
  /// at already, and the caller must not sleep. `disarm` after waking.
  virtual bool arm() = 0;
  virtual void disarm() = 0;
  /// From the next message on peers are asked to read private memory of at least so many bytes out
  /// of this process, where they may, instead of getting copies of it; 0: of none (ShmOptions).
  virtual void read_private_from(std::size_t /*bytes*/) {}
  /// Whether a connected peer may.
  virtual bool may_read_private() const { return false; }
  /// Tells the peers that share memory with this place that it makes no calls any more, as its
  /// destruction does: for who has first to destroy what waits for them. Nothing follows.
  virtual void say_goodbye() {}

 protected:
  const Look& look() const { return look_; }

 private:
  Look look_;
};

}  // namespace rondo::transport
