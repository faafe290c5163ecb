// How C's communicators come and go.

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "bindings/c/meeting.h"
#include "rondo/bootstrap.h"
#include "rondo/options_check.h"
#include "rondo/version.h"

namespace rondo::c {
namespace {

void hand_out(Communicator made, Device device, rondo_communicator** out) {
  *out = new rondo_communicator{
      .word = rondo_communicator::kWord, .communicator = std::move(made), .device = device};
}

rondo_unique_id id_of(const std::string& text) {
  rondo_unique_id id{};
  static_assert(sizeof id.text == kMostUniqueIdBytes + 1);
  text.copy(id.text, kMostUniqueIdBytes);
  return id;
}

/// Up to its end, which may be missing.
std::string text_of(const rondo_unique_id& id) {
  return {id.text, strnlen(id.text, sizeof id.text)};
}

void create(const Bootstrap& bootstrap, const CommunicatorOptions& options, Device device,
            rondo_communicator** out) {
  hand_out(Communicator::create(bootstrap, options, device), device, out);
}

void create_by_meeting(const Meeting& meeting, const rondo_config* config,
                       rondo_communicator** out) {
  CommunicatorOptions options;
  Device device;
  std::string own_id;  // process 0's
  const auto prepare = [&] {
    need(out, "out");
    options = options_of(config);
    device = device_of(config);
    check_options(options, device, meeting.processes);
    if (meeting.process == 0) own_id = make_unique_id(options.interface);
    return own_id;
  };
  try {
    const std::string id = meet(meeting, prepare);
    create({.unique_id = id, .process = meeting.process, .processes = meeting.processes}, options,
           device, out);
  } catch (...) {
    // Nobody but the processes of this call has it, and there is no second one.
    if (!own_id.empty()) forget_unique_id(own_id);
    throw;
  }
}

}  // namespace
}  // namespace rondo::c

using rondo::c::checked;
using rondo::c::guarded;
using rondo::c::need;

extern "C" {

uint32_t rondo_abi_version(void) { return RONDO_ABI_VERSION; }
const char* rondo_version(void) { return rondo::version(); }

rondo_status rondo_create(const rondo_config* config, rondo_communicator** out) {
  return guarded([&] {
    need(out, "out");
    const rondo::Device device = rondo::c::device_of(config);
    rondo::c::hand_out(rondo::Communicator::create(rondo::c::options_of(config), device), device,
                       out);
  });
}

rondo_status rondo_make_unique_id(const char* network_interface, rondo_unique_id* out) {
  return guarded([&] {
    need(out, "out");
    *out = rondo::c::id_of(
        rondo::make_unique_id(network_interface == nullptr ? "" : network_interface));
  });
}

rondo_status rondo_create_by_id(const rondo_unique_id* id, int process, int processes,
                                const rondo_config* config, rondo_communicator** out) {
  return guarded([&] {
    need(id, "id");
    need(out, "out");
    const rondo::Bootstrap bootstrap{
        .unique_id = rondo::c::text_of(*id), .process = process, .processes = processes};
    rondo::c::create(bootstrap, rondo::c::options_of(config), rondo::c::device_of(config), out);
  });
}

rondo_status rondo_create_by_all_gather(rondo_all_gather_function all_gather, void* context,
                                        int process, int processes, const rondo_config* config,
                                        rondo_communicator** out) {
  return guarded([&] {
    rondo::c::create_by_meeting(
        {.all_gather = all_gather, .context = context, .process = process, .processes = processes},
        config, out);
  });
}

rondo_status rondo_destroy(rondo_communicator* communicator) {
  return guarded([&] { rondo::c::give_back(communicator, "communicator"); });
}

int rondo_rank(const rondo_communicator* communicator) {
  int rank = -1;
  guarded([&] { rank = checked(communicator, "communicator").communicator.rank(); });
  return rank;
}

int rondo_size(const rondo_communicator* communicator) {
  int size = -1;
  guarded([&] { size = checked(communicator, "communicator").communicator.size(); });
  return size;
}

rondo_status rondo_split(rondo_communicator* communicator, int color, int key,
                         rondo_communicator** out) {
  return guarded([&] {
    auto& parent = checked(communicator, "communicator");
    need(out, "out");
    *out = nullptr;
    auto part = parent.communicator.split(color < 0 ? std::nullopt : std::optional(color), key);
    if (part) rondo::c::hand_out(std::move(*part), parent.device, out);
  });
}

rondo_status rondo_abort(rondo_communicator* communicator, rondo_status status,
                         const char* message) {
  return guarded([&] {
    rondo::c::check_enumerator(rondo::c::number_of(status), RONDO_INVALID_ARGUMENT, RONDO_CANCELLED,
                               "status", "rondo_status that is an error");
    checked(communicator, "communicator")
        .communicator.abort(
            rondo::Error(static_cast<rondo::ErrorCode>(status), message == nullptr ? "" : message));
  });
}

}  // extern "C"
