#pragma once

// A place's part of its devices' library: the ranks join when the library is first asked for
// something, in the call itself. Rank 0 makes the id that they meet by; it goes from each rank to
// the next, so that a rank speaks with its two neighbours alone.
// Threads: those of the place; one at a time.

#include <memory>

#include "collectives/execute/device/exchange.h"
#include "core/device/collective_library.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::execute {

class LibraryMember {
 public:
  /// The library is borrowed.
  LibraryMember(device::CollectiveLibrary& library, Device device, int rank, int world)
      : library_(library), device_(device), rank_(rank), world_(world) {}

  bool joined() const { return phase_ == Phase::kJoined; }
  bool knows_id() const { return rank_ == 0 || heard_.heard(); }
  device::CollectiveLibrary& library() { return library_; }
  device::LibraryCommunicator& communicator() { return *communicator_; }

  /// In the first call, which both neighbours have begun. Errors: Device, those of the endpoints.
  Status begin(transport::Endpoint& previous);
  /// Goes on with joining; true if anything moved. Errors: as begin.
  Result<bool> join(transport::Endpoint& previous, transport::Endpoint& next);
  /// What the library is doing ends.
  void give_up();

 private:
  enum class Phase : std::uint8_t { kHearing, kTelling, kJoining, kJoined };

  Result<bool> begin_joining();
  Result<bool> see_joined();

  device::CollectiveLibrary& library_;
  Device device_;
  int rank_;
  int world_;
  Phase phase_ = Phase::kHearing;
  device::LibraryId id_{};
  Exchange heard_;
  Exchange told_;
  std::unique_ptr<device::LibraryCommunicator> communicator_;
};

}  // namespace rondo::execute
