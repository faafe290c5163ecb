#pragma once

// How a peer is told, at the beginning of a call, which handles that it has been given are gone,
// and how what it tells of its own is closed. How many there are goes with what is told first;
// nothing is exchanged where there are none. Threads: those of the place.

#include <cstdint>
#include <vector>

#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/exchange.h"
#include "collectives/execute/device/notice.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class Closing {
 public:
  /// What a peer tells first.
  struct Told {
    std::uint64_t gone = 0;    ///< so many handles
    std::uint64_t closed = 0;  ///< of those that it has been told, all calls together
  };
  /// Begins a call with that peer, of another process, and gives what it is to be told first.
  Told begin(DevicePlace& place, int peer);
  /// Begins one with a peer of this process, which opens nothing.
  void begin_with_neighbour();
  /// `meeting`: what tells and hears that; `theirs`: the peer's, once heard. True if anything
  /// moved. Errors: those of the endpoint; DataLoss (more than anybody tells).
  Result<bool> step(DevicePlace& place, transport::Endpoint& endpoint, const Exchange& meeting,
                    const Told& theirs);
  bool done() const { return tells_ && hears_ && told() && heard(); }

 private:
  bool told() const { return mine_.empty() || exchange_.told(); }
  bool heard() const { return theirs_.empty(); }
  Status hear(transport::Endpoint& endpoint, std::uint64_t count);

  std::vector<GoneHandle> mine_;
  std::vector<GoneHandle> theirs_;  ///< empty once they are closed
  Exchange exchange_;
  bool tells_ = false;  ///< that has begun, or there is nothing
  bool hears_ = false;
};

}  // namespace rondo::execute
