#pragma once

// One message each way between this rank and a peer, of sizes that both know: what hosts tell each
// other around the work of their devices. Threads: those of the place.

#include <cstddef>

#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class Exchange {
 public:
  /// `bytes` stay where they are until it is heard. Errors: those of Endpoint::post.
  Status hear(transport::Endpoint& endpoint, void* bytes, std::size_t count);
  Status tell(transport::Endpoint& endpoint, const void* bytes, std::size_t count);
  /// True if anything moved. Errors: those of Endpoint::poll.
  Result<bool> poll(transport::Endpoint& endpoint);

  bool told() const { return told_; }
  bool heard() const { return heard_; }
  bool done() const { return told_ && heard_; }

 private:
  transport::Token tell_ = 0;
  transport::Token hear_ = 0;
  bool told_ = false;
  bool heard_ = false;
};

}  // namespace rondo::execute
