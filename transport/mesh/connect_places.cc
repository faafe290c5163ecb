#include "transport/mesh/connect_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "core/topology.h"
#include "transport/inproc/inproc_transport.h"
#include "transport/mesh/own_address.h"
#include "transport/mesh/pair_kind.h"
#include "transport/mesh/place_addresses.h"
#include "transport/mesh/process_note.h"
#include "transport/rendezvous/complete_launch.h"
#include "transport/rendezvous/membership.h"
#include "transport/rendezvous/open_store.h"
#include "transport/shm/host_identity.h"
#include "transport/shm/shm_transport.h"
#include "transport/tcp/tcp_transport.h"

namespace rondo::transport {
namespace {

using rendezvous::Launch;
using rendezvous::Membership;

/// Worlds formed so far by this process. Every process of a job forms the same worlds in the same
/// order, so the number is equal on all of them.
std::uint32_t next_epoch() {
  static std::atomic<std::uint32_t> epoch{0};
  return ++epoch;
}

/// All that connecting the places of one process needs.
struct Joined {
  Membership membership;
  std::vector<RankInfo> ranks;
  MeshOptions options;
  std::string address;  ///< tcp listens there
  Deadline deadline;
};

using Kinds = std::vector<TransportKind>;
constexpr TransportKind kAllKinds[] = {TransportKind::kInproc, TransportKind::kShm,
                                       TransportKind::kTcp};

Result<std::vector<RankInfo>> rank_infos(const Membership& membership) {
  std::vector<ProcessNote> notes;
  for (const rendezvous::Process& process : membership.processes) {
    RONDO_ASSIGN(ProcessNote note, decode_note(process.blob));
    notes.push_back(std::move(note));
    RONDO_TRY(check_options(notes.front(), notes.back(), process.first_rank));
  }
  std::vector<RankInfo> ranks;
  for (int rank = 0; rank < membership.world; ++rank) {
    const rendezvous::Process& process = membership.process_of(rank);
    const int index = membership.process_of_rank[static_cast<std::size_t>(rank)];
    ranks.push_back({.process = index,
                     .pid = process.pid,
                     .hostname = process.hostname,
                     .host_identity = process.host_identity,
                     .cores = notes[static_cast<std::size_t>(index)].cores});
  }
  return ranks;
}

/// How `rank` is joined to each other rank (its own entry is meaningless).
Result<Kinds> kinds_of(int rank, const Joined& joined) {
  Kinds kinds;
  const auto& ranks = joined.ranks;
  for (std::size_t peer = 0; peer < ranks.size(); ++peer) {
    if (static_cast<int>(peer) == rank) {
      kinds.push_back(TransportKind::kInproc);
      continue;
    }
    RONDO_ASSIGN(const TransportKind kind,
                 pair_kind(rank, ranks[static_cast<std::size_t>(rank)], static_cast<int>(peer),
                           ranks[peer], joined.options.transport));
    kinds.push_back(kind);
  }
  return kinds;
}

Result<std::unique_ptr<Transport>> create_transport(TransportKind kind, const Identity& identity,
                                                    const std::string& address) {
  switch (kind) {
    case TransportKind::kInproc: {
      RONDO_ASSIGN(auto transport, InprocTransport::create(identity));
      return std::unique_ptr<Transport>(std::move(transport));
    }
    case TransportKind::kShm: {
      RONDO_ASSIGN(auto transport, ShmTransport::create(identity));
      return std::unique_ptr<Transport>(std::move(transport));
    }
    case TransportKind::kTcp: {
      TcpOptions options;
      options.bind = address;
      RONDO_ASSIGN(auto transport, TcpTransport::create(identity, options));
      return std::unique_ptr<Transport>(std::move(transport));
    }
  }
  return Status(ErrorCode::kInternal, "unknown transport kind");
}

/// One place on its way to being connected.
struct Place {
  Identity identity;
  Kinds kinds;  ///< by peer
  std::vector<TransportKind> transport_kinds;
  std::vector<std::unique_ptr<Transport>> transports;
  Status status;

  bool has_peer(TransportKind kind) const {
    for (std::size_t peer = 0; peer < kinds.size(); ++peer) {
      if (static_cast<int>(peer) != identity.rank && kinds[peer] == kind) return true;
    }
    return false;
  }
};

Result<Place> open_place(int rank, const Launch& launch, std::uint32_t epoch,
                         const Joined& joined) {
  Place place;
  place.identity = {
      .job = launch.job, .epoch = epoch, .rank = rank, .world = joined.membership.world};
  RONDO_ASSIGN(place.kinds, kinds_of(rank, joined));
  for (const TransportKind kind : kAllKinds) {
    if (!place.has_peer(kind)) continue;
    RONDO_ASSIGN(auto transport, create_transport(kind, place.identity, joined.address));
    place.transport_kinds.push_back(kind);
    place.transports.push_back(std::move(transport));
  }
  return place;
}

/// Every rank connects its kinds in the same order, so nobody waits for one that waits for it.
Status connect_place(Place& place, const std::vector<PlaceAddresses>& addresses,
                     Deadline deadline) {
  for (std::size_t i = 0; i < place.transports.size(); ++i) {
    const TransportKind kind = place.transport_kinds[i];
    std::vector<PeerAddress> peers;
    for (std::size_t peer = 0; peer < addresses.size(); ++peer) {
      if (static_cast<int>(peer) == place.identity.rank || place.kinds[peer] != kind) continue;
      peers.push_back({static_cast<int>(peer), addresses[peer].of(kind)});
    }
    RONDO_TRY(place.transports[i]->connect(peers, deadline));
  }
  return {};
}

Result<std::vector<PlaceAddresses>> exchange_addresses(rendezvous::Store& store,
                                                       const Launch& launch, std::uint32_t epoch,
                                                       const std::vector<Place>& places,
                                                       Deadline deadline) {
  std::vector<PlaceAddresses> own;
  for (const Place& place : places) {
    PlaceAddresses addresses;
    for (std::size_t i = 0; i < place.transports.size(); ++i) {
      addresses.set(place.transport_kinds[i], place.transports[i]->address());
    }
    own.push_back(addresses);
  }
  RONDO_ASSIGN(const auto texts,
               store.all_gather(fmt::format("addresses-{}", epoch), launch.process_index,
                                launch.process_count, encode(own), deadline));
  std::vector<PlaceAddresses> all;
  for (const std::string& text : texts) {
    RONDO_ASSIGN(const auto of_process, decode(text));
    all.insert(all.end(), of_process.begin(), of_process.end());
  }
  return all;
}

/// The places of one process connect at once, each on a thread: they may be each other's peers.
Status connect_all(std::vector<Place>& places, const std::vector<PlaceAddresses>& addresses,
                   Deadline deadline) {
  std::vector<std::thread> threads;
  for (Place& place : places) {
    threads.emplace_back([&place, &addresses, deadline] {
      place.status = connect_place(place, addresses, deadline);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Place& place : places) RONDO_TRY(place.status);
  return {};
}

Result<Joined> join_world(rendezvous::Store& store, const Launch& launch, std::uint32_t epoch,
                          int places, const MeshOptions& options, Deadline deadline) {
  rendezvous::Joining joining;
  joining.world_name = fmt::format("world-{}", epoch);
  joining.places = places;
  joining.host_identity = host_identity();
  ProcessNote note{.cores = {}, .options = options.equal_options};
  note.options["RONDO_TRANSPORT"] = options.transport;
  RONDO_ASSIGN(note.cores, cores_of_this_thread());
  joining.blob = encode(note);
  Joined joined;
  joined.options = options;
  joined.deadline = deadline;
  RONDO_ASSIGN(joined.membership, rendezvous::join(store, launch, joining, deadline));
  RONDO_ASSIGN(joined.ranks, rank_infos(joined.membership));
  const bool one_host =
      std::all_of(joined.ranks.begin(), joined.ranks.end(), [&](const RankInfo& rank) {
        return rank.host_identity == joined.ranks.front().host_identity;
      });
  // An interface that is named must exist, also where nobody comes to use it.
  const bool listens = one_host || options.transport == "auto" || options.transport == "tcp";
  if (listens || !options.interface.empty()) {
    RONDO_ASSIGN(joined.address, own_address(options.interface, one_host, launch));
  }
  return joined;
}

}  // namespace

Result<std::vector<std::unique_ptr<Mesh>>> connect_places(const Launch& started, int places,
                                                          const MeshOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options.timeout_ms);
  const std::uint32_t epoch = next_epoch();
  const rendezvous::Meeting meeting{.host_identity = host_identity(),
                                    .own_address = [&](bool one_host) {
                                      return own_address(options.interface, one_host, started);
                                    }};
  RONDO_ASSIGN(const Launch launch, rendezvous::complete_launch(started, meeting, deadline));
  RONDO_ASSIGN(const auto store, rendezvous::open_store(launch, deadline));
  RONDO_ASSIGN(const Joined joined, join_world(*store, launch, epoch, places, options, deadline));
  std::vector<Place> opened;
  for (int i = 0; i < places; ++i) {
    RONDO_ASSIGN(Place place, open_place(joined.membership.first_rank + i, launch, epoch, joined));
    opened.push_back(std::move(place));
  }
  RONDO_ASSIGN(const auto addresses, exchange_addresses(*store, launch, epoch, opened, deadline));
  RONDO_TRY(connect_all(opened, addresses, deadline));
  std::vector<std::unique_ptr<Mesh>> meshes;
  for (Place& place : opened) {
    meshes.push_back(
        std::make_unique<Mesh>(place.identity, joined.ranks, std::move(place.transports)));
  }
  return meshes;
}

}  // namespace rondo::transport
