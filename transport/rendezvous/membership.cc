#include "transport/rendezvous/membership.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "transport/rendezvous/byte_fields.h"
#include "transport/rendezvous/gather.h"
#include "transport/rendezvous/key_table.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::steady_clock;

std::string this_hostname() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string encode(const Joining& joining) {
  return FieldWriter()
      .number(static_cast<std::uint32_t>(joining.places))
      .text(joining.host_identity)
      .text(this_hostname())
      .number(static_cast<std::uint64_t>(getpid()))
      .text(joining.blob)
      .take();
}

Result<Process> decode(const std::string& bytes, int index) {
  FieldReader in(bytes);
  Process process;
  const auto places = in.number<std::uint32_t>();
  process.host_identity = in.text(kMaxValueBytes);
  process.hostname = in.text(kMaxValueBytes);
  process.pid = static_cast<std::int64_t>(in.number<std::uint64_t>());
  process.blob = in.text(kMaxValueBytes);
  process.places = static_cast<int>(places);
  if (in.done() && places >= 1 && places <= kMaxPlaces) return process;
  return Status(ErrorCode::kDataLoss,
                fmt::format("can't read what process {} said when it joined: do all processes run "
                            "the same version of Rondo?",
                            index),
                index);
}

Result<Membership> assemble(const std::vector<std::string>& values, int own_index) {
  Membership members;
  for (const auto& value : values) {
    const int index = static_cast<int>(members.processes.size());
    RONDO_ASSIGN(Process process, decode(value, index));
    process.first_rank = members.world;
    if (index == own_index) members.first_rank = members.world;
    members.world += process.places;
    members.process_of_rank.insert(members.process_of_rank.end(),
                                   static_cast<std::size_t>(process.places), index);
    members.processes.push_back(std::move(process));
  }
  return members;
}

/// With one place per process, as usual, its index is its rank: people look for that.
Status incomplete(const std::string& key, Store& store, const Launch& launch, int places,
                  steady_clock::duration waited, Status timeout) {
  const auto absent = store.missing(key, launch.process_count);
  if (!absent.ok() || absent->empty()) return timeout;
  const std::chrono::duration<double> seconds = waited;
  const bool only_once = launch.launcher == Launcher::kPmix;
  return Status(
      ErrorCode::kTimeout,
      fmt::format("the world of {} is not complete after {:.3g} s: {} {} {} not joined (no process "
                  "with that index has come to the store); start what is missing, or look why it "
                  "ended early, or allow more time (RONDO_JOIN_TIMEOUT_MS); {}",
                  launch.process_count, seconds.count(), places == 1 ? "rank" : "process",
                  list_of(*absent), absent->size() == 1 ? "has" : "have",
                  only_once ? "under PMIx a second try would find nobody: start the job again"
                            : "with the same options it may be tried again"),
      absent->front());
}

}  // namespace

const Process& Membership::process_of(int rank) const {
  const int index = process_of_rank[static_cast<std::size_t>(rank)];
  return processes[static_cast<std::size_t>(index)];
}

std::string Membership::describe(int rank) const {
  const Process& process = process_of(rank);
  return fmt::format("rank {} ({}, pid {})", rank, process.hostname, process.pid);
}

std::string joining_key(const std::string& world_name) { return "join/" + world_name; }

Result<Membership> join(Store& store, const Launch& launch, const Joining& joining,
                        Deadline deadline) {
  if (joining.places < 1 || joining.places > kMaxPlaces) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a process brings 1 to {} places to a world, not {}", kMaxPlaces,
                              joining.places));
  }
  const std::string key = joining_key(joining.world_name);
  const auto start = steady_clock::now();
  auto values =
      store.all_gather(key, launch.process_index, launch.process_count, encode(joining), deadline);
  if (values.status().code() == ErrorCode::kTimeout) {
    return incomplete(key, store, launch, joining.places, steady_clock::now() - start,
                      std::move(values).status());
  }
  RONDO_TRY(values.status());
  return assemble(*values, launch.process_index);
}

}  // namespace rondo::rendezvous
