#pragma once

// Where the places of one process find each other: process-wide, keyed by job, epoch and rank.
// A pair is joined by whichever of the two comes second, for both at once, so that the first may
// leave again before the other has looked.
// Threads: any.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "core/status.h"
#include "transport/endpoint/transport.h"
#include "transport/inproc/inproc_place.h"

namespace rondo::transport {

class PlaceRegistry {
 public:
  static PlaceRegistry& instance();

  /// Errors: InvalidArgument where the rank has a place in this process already.
  Status add(const std::shared_ptr<InprocPlace>& place);
  void remove(const InprocPlace& place);

  /// The places of all `peers`, which must ask for this one too, in their order.
  /// Errors: Timeout (names the missing ranks), those of `look` (see Lookout).
  Result<std::vector<std::shared_ptr<InprocPlace>>> join(const std::shared_ptr<InprocPlace>& place,
                                                         std::span<const int> peers,
                                                         Deadline deadline, const Look& look);

 private:
  using Key = std::tuple<std::uint64_t, std::uint32_t, int>;
  static Key key_of(const Identity& identity, int rank) {
    return {identity.job, identity.epoch, rank};
  }
  void join_present(const std::shared_ptr<InprocPlace>& place, std::span<const int> peers);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::shared_ptr<InprocPlace>> places_;
};

}  // namespace rondo::transport
