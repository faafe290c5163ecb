#include "transport/mesh/opened_place.h"

#include <span>
#include <utility>

#include "transport/inproc/inproc_transport.h"
#include "transport/mesh/pair_kind.h"
#include "transport/shm/shm_transport.h"
#include "transport/tcp/link_speed.h"
#include "transport/tcp/tcp_transport.h"

namespace rondo::transport {
namespace {

constexpr TransportKind kAllKinds[] = {TransportKind::kInproc, TransportKind::kShm,
                                       TransportKind::kTcp};

Result<std::vector<TransportKind>> kinds_of(int rank, const std::vector<RankInfo>& ranks,
                                            const std::string& forced) {
  std::vector<TransportKind> kinds(ranks.size(), TransportKind::kInproc);
  for (std::size_t peer = 0; peer < ranks.size(); ++peer) {
    if (static_cast<int>(peer) == rank) continue;
    RONDO_ASSIGN(kinds[peer], pair_kind(rank, ranks[static_cast<std::size_t>(rank)],
                                        static_cast<int>(peer), ranks[peer], forced));
  }
  return kinds;
}

std::vector<int> ranks_of_host(int rank, const std::vector<RankInfo>& ranks) {
  const std::string& host = ranks[static_cast<std::size_t>(rank)].host_identity;
  std::vector<int> found;
  for (std::size_t other = 0; other < ranks.size(); ++other)
    if (ranks[other].host_identity == host) found.push_back(static_cast<int>(other));
  return found;
}

Result<std::unique_ptr<Transport>> create_transport(TransportKind kind, const Identity& identity,
                                                    const MeshMeans& means, std::size_t peers,
                                                    std::span<const int> host_ranks) {
  switch (kind) {
    case TransportKind::kInproc: {
      RONDO_ASSIGN(auto transport, InprocTransport::create(identity));
      return std::unique_ptr<Transport>(std::move(transport));
    }
    case TransportKind::kShm: {
      ShmOptions options;
      options.private_read_bytes = means.private_read_bytes;
      options.host_ranks = host_ranks;
      RONDO_ASSIGN(auto transport, ShmTransport::create(identity, options));
      return std::unique_ptr<Transport>(std::move(transport));
    }
    case TransportKind::kTcp: {
      TcpOptions options;
      options.bind = means.address;
      options.sockets = means.tcp_sockets > 0
                            ? static_cast<std::size_t>(means.tcp_sockets)
                            : sockets_that_fit(sockets_to_fill(link_speed_mbit(means.address)),
                                               peers, most_open_descriptors());
      options.zero_copy_bytes = means.tcp_zero_copy_bytes;
      RONDO_ASSIGN(auto transport, TcpTransport::create(identity, options));
      return std::unique_ptr<Transport>(std::move(transport));
    }
  }
  return Status(ErrorCode::kInternal, "unknown transport kind");
}

}  // namespace

Result<OpenedPlace> OpenedPlace::open(const Identity& identity, std::vector<RankInfo> ranks,
                                      const MeshMeans& means) {
  OpenedPlace place;
  place.identity_ = identity;
  place.ranks_ = std::move(ranks);
  place.means_ = means;
  RONDO_ASSIGN(place.kinds_, kinds_of(identity.rank, place.ranks_, means.transport));
  const std::vector<int> host_ranks = ranks_of_host(identity.rank, place.ranks_);
  for (const TransportKind kind : kAllKinds) {
    if (place.peers(kind) == 0) continue;
    RONDO_ASSIGN(auto transport,
                 create_transport(kind, identity, means, place.peers(kind), host_ranks));
    place.transport_kinds_.push_back(kind);
    place.transports_.push_back(std::move(transport));
  }
  return place;
}

std::size_t OpenedPlace::peers(TransportKind kind) const {
  std::size_t count = 0;
  for (std::size_t peer = 0; peer < kinds_.size(); ++peer) {
    if (static_cast<int>(peer) != identity_.rank && kinds_[peer] == kind) ++count;
  }
  return count;
}

PlaceAddresses OpenedPlace::addresses() const {
  PlaceAddresses addresses;
  for (std::size_t i = 0; i < transports_.size(); ++i)
    addresses.set(transport_kinds_[i], transports_[i]->address());
  return addresses;
}

/// Every rank connects its kinds in the same order, so nobody waits for one that waits for it.
Status OpenedPlace::connect(const std::vector<PlaceAddresses>& addresses, Deadline deadline,
                            const Look& look) {
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    const TransportKind kind = transport_kinds_[i];
    std::vector<PeerAddress> peers;
    for (std::size_t peer = 0; peer < addresses.size(); ++peer) {
      if (static_cast<int>(peer) == identity_.rank || kinds_[peer] != kind) continue;
      peers.push_back({static_cast<int>(peer), addresses[peer].of(kind)});
    }
    transports_[i]->look_while_connecting(look);
    const Status connected = transports_[i]->connect(peers, deadline);
    transports_[i]->look_while_connecting({});
    RONDO_TRY(connected);
  }
  return {};
}

std::unique_ptr<Mesh> OpenedPlace::mesh() && {
  return std::make_unique<Mesh>(identity_, std::move(ranks_), std::move(transports_), means_);
}

}  // namespace rondo::transport
