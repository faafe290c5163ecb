#pragma once

// Whose fault it is that a call fails on a rank's device. It may only follow from a peer's death,
// whose memory and events are gone: drivers don't say so, and the endpoints know soon.

#include <chrono>
#include <span>

#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class FailureCause {
 public:
  /// A call begins.
  void reset() { failed_ = {}; }
  /// The call has failed here, and isn't to be moved on.
  bool is_sought() const { return !failed_.ok(); }
  /// The call fails with `status` on rank `rank`. Then as `look`.
  Status seek(Status status, std::span<transport::Endpoint* const> endpoints, int rank);
  /// OK while nobody is known to be the cause yet; then what a peer was lost with, or, where that
  /// isn't heard of soon, what the call has failed with.
  Status look(std::span<transport::Endpoint* const> endpoints, int rank) const;

 private:
  Status failed_;
  std::chrono::steady_clock::time_point failed_at_;
};

}  // namespace rondo::execute
