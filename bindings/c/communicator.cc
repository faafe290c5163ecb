// How C's communicators come and go.

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "bindings/c/convert.h"
#include "bindings/c/guard.h"
#include "bindings/c/handles.h"
#include "rondo/bootstrap.h"
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

void create_by_id(const std::string& id, int process, int processes, const rondo_config* config,
                  rondo_communicator** out) {
  const Bootstrap bootstrap{.unique_id = id, .process = process, .processes = processes};
  const Device device = device_of(config);
  hand_out(Communicator::create(bootstrap, options_of(config), device), device, out);
}

/// Process 0 takes part also where it has no id, so that nobody waits for it.
std::string id_by_all_gather(rondo_all_gather_function all_gather, void* context, int process,
                             int processes, const char* interface) {
  rondo_unique_id mine{};
  std::unique_ptr<Error> failure;
  if (process == 0) {
    try {
      mine = id_of(make_unique_id(interface == nullptr ? "" : interface));
    } catch (const Error& error) {
      failure = std::make_unique<Error>(error);
    }
  }
  std::vector<rondo_unique_id> all(static_cast<std::size_t>(processes));
  const int answer = all_gather(context, &mine, all.data(), sizeof mine);
  if (failure != nullptr) throw Error(*failure);
  if (answer != 0)
    throw Error(ErrorCode::kSystem, fmt::format("the program's all_gather returned {}", answer));
  std::string id = text_of(all.front());
  if (id.empty())
    throw Error(ErrorCode::kSystem, "process 0 could not make a unique id, or all_gather lost it",
                0);
  return id;
}

void check_processes(int process, int processes) {
  if (processes >= 1 && process >= 0 && process < processes) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("process {} of {}: expected 0 to processes - 1", process, processes));
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
    rondo::c::create_by_id(rondo::c::text_of(*id), process, processes, config, out);
  });
}

rondo_status rondo_create_by_all_gather(rondo_all_gather_function all_gather, void* context,
                                        int process, int processes, const rondo_config* config,
                                        rondo_communicator** out) {
  return guarded([&] {
    need(reinterpret_cast<const void*>(all_gather), "all_gather");
    need(out, "out");
    rondo::c::check_processes(process, processes);
    const rondo::CommunicatorOptions options = rondo::c::options_of(config);
    const std::string id = rondo::c::id_by_all_gather(all_gather, context, process, processes,
                                                      options.interface.c_str());
    rondo::c::create_by_id(id, process, processes, config, out);
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
