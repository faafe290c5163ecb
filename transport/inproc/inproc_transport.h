#pragma once

// Connections between the places of one process, each driven by a thread of its own. The protocol
// is that of shm over plain memory: every pointer is lent as it is, nothing is copied twice, and
// no memory needs to be registered.
// Threads: one at a time per object.

#include <memory>
#include <string>
#include <vector>

#include "transport/endpoint/transport.h"
#include "transport/inproc/inproc_place.h"

namespace rondo::transport {

class InprocEndpoint;

class InprocTransport final : public Transport {
 public:
  /// Errors: InvalidArgument (not a rank of the world, or taken), System.
  static Result<std::unique_ptr<InprocTransport>> create(const Identity& identity);
  /// Says goodbye.
  ~InprocTransport() override;

  /// Names the process and the rank; of use in this process only.
  std::string address() const override;
  Status connect(std::span<const PeerAddress> peers, Deadline deadline) override;
  Endpoint* endpoint(int rank) override;
  Status progress() override;
  int wake_fd() const override { return place_->bell(); }
  bool arm() override;
  void disarm() override;
  void say_goodbye() override;

 private:
  explicit InprocTransport(std::shared_ptr<InprocPlace> place);
  void read_mail();

  std::shared_ptr<InprocPlace> place_;
  std::vector<std::unique_ptr<InprocEndpoint>> endpoints_;  ///< by rank; null: not connected
  std::vector<InprocEndpoint*> connected_;
};

}  // namespace rondo::transport
