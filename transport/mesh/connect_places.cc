#include "transport/mesh/connect_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/topology.h"
#include "transport/mesh/at_once.h"
#include "transport/mesh/opened_place.h"
#include "transport/mesh/own_address.h"
#include "transport/mesh/place_addresses.h"
#include "transport/mesh/process_note.h"
#include "transport/mesh/world_count.h"
#include "transport/rendezvous/complete_launch.h"
#include "transport/rendezvous/gather.h"
#include "transport/rendezvous/membership.h"
#include "transport/rendezvous/open_store.h"
#include "transport/shm/host_identity.h"

namespace rondo::transport {
namespace {

using rendezvous::Launch;
using rendezvous::Membership;

/// All that connecting the places of one process needs.
struct Joined {
  Membership membership;
  std::uint64_t job = 0;
  std::vector<RankInfo> ranks;
  MeshMeans means;
};

/// Empty where the process said nothing of it.
PlaceNote note_of_place(const ProcessNote& note, int place) {
  const auto index = static_cast<std::size_t>(place);
  return index < note.places.size() ? note.places[index] : PlaceNote();
}

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
                     .cores = notes[static_cast<std::size_t>(index)].cores,
                     .place = note_of_place(notes[static_cast<std::size_t>(index)],
                                            rank - process.first_rank)});
  }
  return ranks;
}

/// Whoever can guess a job's number is let in by its ranks. PMIx has none that is drawn, but hands
/// on what process 0 has drawn to this job alone; others bring theirs with the launch.
bool draws_job(const Launch& launch) { return launch.launcher == rendezvous::Launcher::kPmix; }

/// The same in each world that this process forms.
std::uint64_t drawn_job() {
  static const std::uint64_t job = rendezvous::random_job();
  return job;
}

Result<std::uint64_t> job_of(const Launch& launch, const Membership& membership) {
  if (!draws_job(launch)) return launch.job;
  RONDO_ASSIGN(const ProcessNote note, decode_note(membership.processes.front().blob));
  return note.job;
}

std::string name_of(std::uint32_t epoch) { return fmt::format("world-{}", epoch); }
std::string addresses_key(std::uint32_t epoch) { return fmt::format("addresses-{}", epoch); }

Result<std::vector<PlaceAddresses>> exchange_addresses(rendezvous::Store& store,
                                                       const Launch& launch, std::uint32_t epoch,
                                                       const std::vector<OpenedPlace>& places,
                                                       Deadline deadline) {
  std::vector<PlaceAddresses> own;
  for (const OpenedPlace& place : places) own.push_back(place.addresses());
  RONDO_ASSIGN(const auto texts, store.all_gather(addresses_key(epoch), launch.process_index,
                                                  launch.process_count, encode(own), deadline));
  std::vector<PlaceAddresses> all;
  for (const std::string& text : texts) {
    RONDO_ASSIGN(const auto of_process, decode(text));
    all.insert(all.end(), of_process.begin(), of_process.end());
  }
  return all;
}

/// In a world that all have joined: each has come from the one before by then, for good, and what
/// they said there is of no use. What they said in the first one stays: a process that is started
/// again comes there, and is told that it was there already.
void forget_world_before(rendezvous::Store& store, const Launch& launch, std::uint32_t epoch) {
  constexpr std::uint32_t kFirst = 1;
  const std::uint32_t before = epoch - 1;
  if (before <= kFirst) return;
  std::vector<std::string> keys;
  for (const std::string& key : {rendezvous::joining_key(name_of(before)), addresses_key(before)})
    for (std::string& mine : rendezvous::keys_to_remove(key, launch.process_index))
      keys.push_back(std::move(mine));
  // PMIx can't. A store that is lost says so when it is needed.
  static_cast<void>(store.remove(keys));
}

/// They may be each other's peers.
Status connect_all(std::vector<OpenedPlace>& places, const std::vector<PlaceAddresses>& addresses,
                   Deadline deadline) {
  return at_once(places.size(),
                 [&](std::size_t i) { return places[i].connect(addresses, deadline); });
}

Result<Joined> join_world(rendezvous::Store& store, const Launch& launch, std::uint32_t epoch,
                          const std::vector<PlaceNote>& places, const MeshOptions& options,
                          Deadline deadline) {
  rendezvous::Joining joining;
  joining.world_name = name_of(epoch);
  joining.places = static_cast<int>(places.size());
  joining.host_identity = host_identity();
  ProcessNote note{.cores = {}, .options = options.equal_options, .places = places};
  note.options["RONDO_TRANSPORT"] = options.transport;
  RONDO_ASSIGN(note.cores, cores_of_this_thread());
  if (draws_job(launch)) note.job = drawn_job();
  joining.blob = encode(note);
  Joined joined;
  joined.means.transport = options.transport;
  joined.means.tcp_sockets = options.tcp_sockets;
  joined.means.tcp_zero_copy_bytes = options.tcp_zero_copy_bytes;
  joined.means.private_read_bytes = options.private_read_bytes;
  auto membership = rendezvous::join(store, launch, joining, deadline);
  WorldCount::instance().add(launch, membership.status());
  RONDO_ASSIGN(joined.membership, std::move(membership));
  RONDO_ASSIGN(joined.job, job_of(launch, joined.membership));
  RONDO_ASSIGN(joined.ranks, rank_infos(joined.membership));
  const bool one_host =
      std::all_of(joined.ranks.begin(), joined.ranks.end(), [&](const RankInfo& rank) {
        return rank.host_identity == joined.ranks.front().host_identity;
      });
  // An interface that is named must exist, also where nobody comes to use it.
  const bool listens = one_host || options.transport == "auto" || options.transport == "tcp";
  if (listens || !options.interface.empty()) {
    RONDO_ASSIGN(joined.means.address, own_address(options.interface, one_host, launch));
  }
  return joined;
}

}  // namespace

Result<std::vector<std::unique_ptr<Mesh>>> connect_places(const Launch& started,
                                                          const std::vector<PlaceNote>& places,
                                                          const MeshOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options.timeout_ms);
  const rendezvous::Meeting meeting{.host_identity = host_identity(),
                                    .own_address = [&](bool one_host) {
                                      return own_address(options.interface, one_host, started);
                                    }};
  RONDO_ASSIGN(const Launch launch, rendezvous::complete_launch(started, meeting, deadline));
  const std::uint32_t epoch = WorldCount::instance().next(launch);
  RONDO_ASSIGN(const auto store, rendezvous::open_store(launch, deadline));
  RONDO_ASSIGN(const Joined joined, join_world(*store, launch, epoch, places, options, deadline));
  forget_world_before(*store, launch, epoch);
  const int world = joined.membership.world;
  std::vector<OpenedPlace> opened;
  for (int i = 0; i < static_cast<int>(places.size()); ++i) {
    const Identity identity{joined.job, epoch, joined.membership.first_rank + i, world};
    RONDO_ASSIGN(OpenedPlace place, OpenedPlace::open(identity, joined.ranks, joined.means));
    opened.push_back(std::move(place));
  }
  RONDO_ASSIGN(const auto addresses, exchange_addresses(*store, launch, epoch, opened, deadline));
  RONDO_TRY(connect_all(opened, addresses, deadline));
  std::vector<std::unique_ptr<Mesh>> meshes;
  for (OpenedPlace& place : opened) meshes.push_back(std::move(place).mesh());
  return meshes;
}

}  // namespace rondo::transport
