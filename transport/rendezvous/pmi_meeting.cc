#include "transport/rendezvous/pmi_meeting.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "transport/rendezvous/byte_fields.h"
#include "transport/rendezvous/kept_server.h"
#include "transport/rendezvous/key_table.h"

namespace rondo::rendezvous {
namespace {

constexpr char kStoreName[] = "rondo-store";

std::string host_name(int index) { return fmt::format("rondo-host-{}", index); }

/// What process 0 has to say: where its store is, or why there is none.
struct Invitation {
  Status status{};
  std::uint64_t job = 0;
  std::string address{};
};

std::string encode(const Invitation& invitation) {
  return FieldWriter()
      .number(static_cast<std::uint32_t>(invitation.status.code()))
      .text(invitation.status.message())
      .number(invitation.job)
      .text(invitation.address)
      .take();
}

Result<Invitation> decode_invitation(const std::string& bytes) {
  FieldReader in(bytes);
  const auto code = in.number<std::uint32_t>();
  std::string message = in.text(kMaxValueBytes);
  Invitation invitation{.job = in.number<std::uint64_t>()};
  invitation.address = in.text(kMaxValueBytes);
  if (!in.done() || code > static_cast<std::uint32_t>(ErrorCode::kInternal)) {
    return Status(ErrorCode::kDataLoss,
                  "can't read what process 0 says about its store: do all processes run the same "
                  "version of Rondo?",
                  0);
  }
  if (code != 0) {
    invitation.status = Status(static_cast<ErrorCode>(code),
                               "process 0 cannot serve the job's store: " + message, 0);
  }
  return invitation;
}

Result<std::string> published(PmiClient& client, const std::string& name, int owner,
                              Deadline deadline) {
  RONDO_ASSIGN(std::optional<std::string> value, client.get(name, deadline));
  if (value) return std::move(*value);
  return Status(
      ErrorCode::kMismatch,
      fmt::format("process {} has come to the launcher's barrier without publishing '{}': "
                  "do all processes of the job use Rondo, in the same version?",
                  owner, name),
      owner);
}

Result<bool> is_one_host(PmiClient& client, int count, const std::string& own, Deadline deadline) {
  for (int index = 1; index < count; ++index) {
    RONDO_ASSIGN(const std::string host, published(client, host_name(index), index, deadline));
    if (host != own) return false;
  }
  return true;
}

Result<StoreAddress> serve(PmiClient& client, const Launch& launch, const Meeting& meeting,
                           std::uint64_t job, Deadline deadline) {
  RONDO_ASSIGN(const bool one_host,
               is_one_host(client, launch.process_count, meeting.host_identity, deadline));
  RONDO_ASSIGN(const std::string host, meeting.own_address(one_host));
  return keep_server({.host = host, .port = 0}, job);
}

/// Process 0 speaks also where it can't serve, so that nobody waits for it.
Status invite(PmiClient& client, const Launch& launch, const Meeting& meeting, Deadline deadline) {
  Invitation invitation{.job = random_job()};
  auto address = serve(client, launch, meeting, invitation.job, deadline);
  if (address.ok()) {
    invitation.address = to_string(*address);
  } else {
    invitation.status = address.status();
  }
  return client.put(kStoreName, encode(invitation), deadline);
}

}  // namespace

Result<Launch> meet_by_pmi(PmiClient& client, Launch launch, const Meeting& meeting,
                           Deadline deadline) {
  RONDO_TRY(client.put(host_name(launch.process_index), meeting.host_identity, deadline));
  RONDO_TRY(client.barrier(deadline));
  if (launch.process_index == 0) RONDO_TRY(invite(client, launch, meeting, deadline));
  RONDO_TRY(client.barrier(deadline));
  RONDO_ASSIGN(const std::string bytes, published(client, kStoreName, 0, deadline));
  RONDO_ASSIGN(Invitation invitation, decode_invitation(bytes));
  RONDO_TRY(invitation.status);
  launch.job = invitation.job;
  launch.store_address = std::move(invitation.address);
  return launch;
}

}  // namespace rondo::rendezvous
