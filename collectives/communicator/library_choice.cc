#include "collectives/communicator/library_choice.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "collectives/communicator/uneven.h"
#include "collectives/execute/library/library_call.h"
#include "collectives/execute/library/library_runner.h"
#include "collectives/execute/library/schedule_work.h"
#include "collectives/execute/library/whole_call.h"
#include "collectives/schedule/rounds.h"
#include "core/device/driver.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

/// Rounds are found by running the schedules of all ranks: what a plan may cost.
constexpr int kMostRanksInRounds = 64;

/// Nothing is encoded on devices.
bool may_use(const CommunicatorOptions& options) {
  if (options.device_path == "library") return true;
  const bool is_open = options.device_path == "auto" || options.device_path == "messages";
  return is_open && options.wire_format == "none";
}

/// A library chooses its own way: who has said how a call is to be made gets that instead.
bool leaves_it_open(const CommunicatorOptions& options) {
  if (options.device_path == "library") return true;
  return options.device_path == "auto" && options.algorithm == "auto" && !options.deterministic &&
         options.wire_format == "none";
}

/// What the call is made of there (execute/library/library_call.h).
bool has_function(const device::CollectiveLibrary& library, const CallArguments& arguments) {
  using device::LibraryFunction;
  const bool in_groups = arguments.uneven && library.has(LibraryFunction::kGroups);
  switch (arguments.collective) {
    case Collective::kAllReduce: return library.has(LibraryFunction::kAllReduce);
    case Collective::kReduce: return library.has(LibraryFunction::kReduce);
    case Collective::kBroadcast: return library.has(LibraryFunction::kBroadcast);
    case Collective::kAllGather:
      return arguments.uneven ? in_groups && library.has(LibraryFunction::kBroadcast)
                              : library.has(LibraryFunction::kAllGather);
    case Collective::kReduceScatter:
      return arguments.uneven ? in_groups && library.has(LibraryFunction::kReduce)
                              : library.has(LibraryFunction::kReduceScatter);
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll: return library.has(LibraryFunction::kMessages);
    case Collective::kBarrier: return false;
  }
  return false;
}

device::Reductions reductions_of(DeviceKind kind) {
  device::Reductions found;
  for (std::size_t i = 0; i < device::Reductions::kTypes; ++i) {
    const auto type = static_cast<DataType>(i);
    for (int number = 0; number <= static_cast<int>(ReduceOp::kBitXor); ++number) {
      const auto op = static_cast<ReduceOp>(number);
      if (kernels::find_device_reduce_kernel(kind, type, op).ok()) found.add(type, op);
    }
  }
  return found;
}

Status unusable(std::string why) { return Status(ErrorCode::kUnsupported, std::move(why)); }

std::string why_not(const CommunicatorOptions& options) {
  if (options.device_path == "messages") return "a wire format is asked for, which takes the host";
  return "the options ask for another way";
}

/// How many elements go to each rank, and come from it, in a call of messages.
void add_messages(const CallArguments& arguments, int rank, int world, execute::LibraryCall& call) {
  const auto ranks = static_cast<std::size_t>(world);
  const auto root = static_cast<std::size_t>(arguments.root);
  const bool is_root = rank == arguments.root;
  const auto parts = [ranks](const auto& counts, std::size_t whole) {
    if (counts.empty()) return std::vector<std::size_t>(ranks, whole / ranks);
    return std::vector<std::size_t>(counts.begin(), counts.end());
  };
  call.sends.assign(ranks, 0);
  call.receives.assign(ranks, 0);
  const bool sends_parts = arguments.collective == Collective::kAllToAll ||
                           (arguments.collective == Collective::kScatter && is_root);
  const bool gets_parts = arguments.collective == Collective::kAllToAll ||
                          (arguments.collective == Collective::kGather && is_root);
  if (sends_parts) call.sends = parts(arguments.input_counts, arguments.input.count);
  if (gets_parts) call.receives = parts(arguments.output_counts, arguments.output.count);
  if (arguments.collective == Collective::kGather) call.sends[root] = arguments.input.count;
  if (arguments.collective == Collective::kScatter) call.receives[root] = arguments.output.count;
}

execute::LibraryCall library_call(const CallArguments& arguments, int rank, int world) {
  execute::LibraryCall call{.collective = arguments.collective,
                            .type = arguments.input.dtype,
                            .rank = rank,
                            .root = arguments.root,
                            .count = arguments.input.count};
  if (schedule::reduces(arguments.collective)) call.op = arguments.reduction.op();
  switch (arguments.collective) {
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll: add_messages(arguments, rank, world, call); break;
    case Collective::kAllGather:
      call.parts.assign(arguments.output_counts.begin(), arguments.output_counts.end());
      break;
    case Collective::kReduceScatter:
      call.count = arguments.output.count;
      call.parts.assign(arguments.input_counts.begin(), arguments.input_counts.end());
      break;
    default: break;
  }
  return call;
}

}  // namespace

LibraryChoice::LibraryChoice(const CommunicatorOptions& options, const transport::Mesh& mesh,
                             Device device)
    : mesh_(mesh), device_(device), path_(options.device_path), whole_(leaves_it_open(options)) {
  usable_ = may_use(options) ? find() : unusable(why_not(options));
}

Status LibraryChoice::check_options() const {
  const bool asks = path_ == "library" || path_ == "messages";
  if (!asks || mesh_.size() == 1 || device_.kind == DeviceKind::kHost) return {};
  Status status = usable_;
  if (status.ok() && path_ == "messages") status = check_messages();
  return std::move(status).at("RONDO_DEVICE_PATH=" + path_);
}

Status LibraryChoice::check_messages() const {
  using device::LibraryFunction;
  RONDO_TRY(usable_);
  if (!library_->has(LibraryFunction::kMessages) || !library_->has(LibraryFunction::kGroups))
    return unusable(fmt::format("{} has no messages in groups", library_->name()));
  if (mesh_.size() <= kMostRanksInRounds) return {};
  return unusable(
      fmt::format("{} ranks: schedules go by a library's messages in worlds of up to {}",
                  mesh_.size(), kMostRanksInRounds));
}

bool LibraryChoice::carries_messages() const { return check_messages().ok(); }

Status LibraryChoice::find() {
  if (device_.kind == DeviceKind::kHost || mesh_.size() == 1)
    return unusable("there are no devices to exchange anything between");
  RONDO_ASSIGN(device::DeviceDriver * driver, device::driver_of(device_));
  RONDO_ASSIGN(library_, driver->collective_library());
  return check_ranks();
}

/// The same answer on every rank: that there is none, too.
Status LibraryChoice::check_ranks() const {
  const transport::RankInfo& first = mesh_.ranks().front();
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    const transport::RankInfo& info = mesh_.ranks()[static_cast<std::size_t>(rank)];
    if (info.place.library.empty()) {
      return unusable(fmt::format("rank {} (on {}) has no library for whole collectives on {}",
                                  rank, info.hostname, info.place.kind));
    }
    if (info.place.library == first.place.library) continue;
    return unusable(
        fmt::format("rank 0 has {} and rank {} has {}: install one version on all hosts",
                    first.place.library, rank, info.place.library));
  }
  return library_->needs_own_device() ? check_devices() : Status();
}

Status LibraryChoice::check_devices() const {
  std::map<std::pair<std::string, std::string>, int> rank_of;
  for (int rank = 0; rank < mesh_.size(); ++rank) {
    const transport::RankInfo& info = mesh_.ranks()[static_cast<std::size_t>(rank)];
    const auto [other, is_new] = rank_of.try_emplace({info.host_identity, info.place.device}, rank);
    if (is_new) continue;
    return unusable(
        fmt::format("ranks {} and {} are on one device (of {}), and {} wants one for "
                    "each rank",
                    other->second, rank, info.hostname, info.place.library));
  }
  return {};
}

bool LibraryChoice::takes(const CallArguments& arguments) const {
  return whole_ && usable_.ok() && has_function(*library_, arguments) &&
         (!schedule::reduces(arguments.collective) ||
          library_->reduces(arguments.input.dtype, arguments.reduction.op()));
}

Result<std::unique_ptr<execute::Runner>> LibraryChoice::runner(const CallArguments& arguments,
                                                               execute::DevicePlace& place) {
  return run(
      std::make_unique<execute::WholeCall>(library_call(arguments, mesh_.rank(), mesh_.size())),
      arguments, place);
}

Result<std::unique_ptr<execute::Runner>> LibraryChoice::runner(const CallArguments& arguments,
                                                               const execute::Plan& plan,
                                                               const schedule::FoldedWorld& world,
                                                               kernels::DeviceReduceKernel kernel,
                                                               execute::DevicePlace& place) {
  RONDO_ASSIGN(auto rounds, schedule::rounds_of(unfold(world), mesh_.rank()));
  RONDO_ASSIGN(auto work,
               execute::ScheduleWork::make(plan, std::move(rounds), device_, arguments.input.dtype,
                                           std::move(kernel), arguments.uneven));
  return run(std::move(work), arguments, place);
}

Result<std::unique_ptr<execute::Runner>> LibraryChoice::run(
    std::unique_ptr<execute::LibraryWork> work, const CallArguments& arguments,
    execute::DevicePlace& place) {
  {
    const std::lock_guard lock(mutex_);
    if (member_ == nullptr) {
      member_ =
          std::make_unique<execute::LibraryMember>(*library_, device_, mesh_.rank(), mesh_.size());
    }
  }
  std::vector<transport::Endpoint*> endpoints;
  for (int rank = 0; rank < mesh_.size(); ++rank) endpoints.push_back(mesh_.endpoint(rank));
  // A library believes whatever it is told: where ranks might mean other parts they meet first.
  return execute::LibraryRunner::make(std::move(work), *member_, place, endpoints,
                                      arguments.uneven);
}

void LibraryChoice::give_up() {
  const std::lock_guard lock(mutex_);
  if (member_ != nullptr) member_->give_up();
}

Result<transport::PlaceNote> describe_place(Device device, const CommunicatorOptions& options) {
  transport::PlaceNote note{.kind = std::string(to_string(device.kind))};
  RONDO_ASSIGN(device::DeviceDriver * driver, device::driver_of(device));
  RONDO_ASSIGN(note.device, driver->identity(device.index));
  RONDO_ASSIGN(note.unreachable, driver->unreachable(device.index));
  note.sees_host_memory = driver->sees_host_memory();
  note.shares_between_processes = driver->shares_between_processes();
  note.imports_own = driver->imports_own();
  note.reductions = reductions_of(device.kind);
  if (!may_use(options)) return note;
  RONDO_ASSIGN(const device::CollectiveLibrary* library, driver->collective_library());
  if (library != nullptr) note.library = library->version();
  return note;
}

}  // namespace rondo::communicator
