#pragma once

// One place on its way to being connected: its transports listen, its peers aren't there yet.
// Threads: one at a time.

#include <memory>
#include <vector>

#include "core/status.h"
#include "transport/endpoint/transport.h"
#include "transport/mesh/mesh.h"
#include "transport/mesh/place_addresses.h"

namespace rondo::transport {

class OpenedPlace {
 public:
  /// `ranks` are those of the world that `identity` is of.
  /// Errors: InvalidArgument (a forced transport that a pair can't have), System.
  static Result<OpenedPlace> open(const Identity& identity, std::vector<RankInfo> ranks,
                                  const MeshMeans& means);

  PlaceAddresses addresses() const;
  /// Connects to all other ranks; their places must be connecting too. Errors: Timeout, System,
  /// those of `look` (see Lookout).
  Status connect(const std::vector<PlaceAddresses>& addresses, Deadline deadline,
                 const Look& look = {});
  /// Once connected.
  std::unique_ptr<Mesh> mesh() &&;

 private:
  std::size_t peers(TransportKind kind) const;

  Identity identity_;
  std::vector<RankInfo> ranks_;
  MeshMeans means_;
  std::vector<TransportKind> kinds_;  ///< by peer; this rank's own entry is meaningless
  std::vector<TransportKind> transport_kinds_;
  std::vector<std::unique_ptr<Transport>> transports_;
};

}  // namespace rondo::transport
