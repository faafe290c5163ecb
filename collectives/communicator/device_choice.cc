#include "collectives/communicator/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collectives/communicator/device_abilities.h"
#include "collectives/communicator/device_sweeps.h"
#include "collectives/communicator/uneven.h"
#include "collectives/execute/device/device_runner.h"
#include "collectives/execute/device/kernel_runner.h"
#include "collectives/kernels/device_kernels.h"
#include "collectives/kernels/device_reduce.h"
#include "core/device/driver.h"
#include "core/device/memory.h"
#include "core/environment.h"
#include "core/log.h"

namespace rondo::communicator {
namespace {

/// Long enough for a kernel to be worth its launch, and all that the driver is asked for with it: a
/// dozen calls of 1 to 2 us each, for which the threads of a process wait in turn.
constexpr std::size_t kSegmentBytes = std::size_t{32} << 20;
/// Where nobody passes on what he has got, all ranks are at work from the beginning to the end, and
/// nothing comes of cutting rows: a step less is 20 to 30 us less (docs/performance.md).
constexpr std::size_t kSegmentBytesOfDirect = std::size_t{1} << 30;
/// And short enough that device, network and the peer's device are at work at once.
constexpr std::size_t kSegmentBytesBetweenHosts = std::size_t{1} << 20;

/// And joined by what takes that for granted: alike on every rank.
bool is_inside_one_process(const transport::Mesh& mesh) {
  for (int peer = 0; peer < mesh.size(); ++peer) {
    const transport::Endpoint* const endpoint = mesh.endpoint(peer);
    if (endpoint != nullptr && endpoint->kind() != transport::TransportKind::kInproc) return false;
  }
  return true;
}

bool same_device(const transport::RankInfo& a, const transport::RankInfo& b) {
  return a.host_identity == b.host_identity && a.place.device == b.place.device;
}

/// Each the memory of all others that are joined to it by memory. What neither process of two
/// sees of the other's device (CUDA_VISIBLE_DEVICES) is left to the driver, which can mostly do it.
bool reach_each_other(const transport::Mesh& mesh) {
  if (mesh.means().transport == "tcp") return true;
  return std::ranges::none_of(mesh.ranks(), [&mesh](const transport::RankInfo& rank) {
    const std::vector<std::string>& beyond = rank.place.unreachable;
    return !beyond.empty() && std::ranges::any_of(mesh.ranks(), [&](const auto& peer) {
      return peer.host_identity == rank.host_identity &&
             std::ranges::find(beyond, peer.place.device) != beyond.end();
    });
  });
}

/// Two that are joined as if they were of two processes, which the options can ask for.
bool parts_a_process(const transport::Mesh& mesh) {
  if (mesh.means().transport != "shm") return false;
  const auto& ranks = mesh.ranks();
  return std::ranges::any_of(ranks, [&ranks](const transport::RankInfo& rank) {
    return std::ranges::count(ranks, rank.process, &transport::RankInfo::process) > 1;
  });
}

/// All ranks are on devices of one kind; those of one host can reach each other's memory, and those
/// of different hosts meet in page-locked memory, in which nothing is encoded: alike on every rank.
bool all_meet(const CommunicatorOptions& options, const transport::Mesh& mesh, Device device) {
  const auto same_kind = [&](const transport::RankInfo& rank) {
    return rank.place.kind == to_string(device.kind);
  };
  if (device.kind == DeviceKind::kHost || mesh.size() == 1 || options.device_path == "host")
    return false;
  if (!std::ranges::all_of(mesh.ranks(), same_kind) || !reach_each_other(mesh)) return false;
  const DeviceAbilities common = common_abilities(mesh.ranks());
  const bool between_hosts = options.wire_format == "none" && common.sees_host_memory;
  if (!mesh.one_host() && !between_hosts) return false;
  if (parts_a_process(mesh) && !common.imports_own) return false;
  return is_inside_one_process(mesh) || common.shares_between_processes;
}

/// "cuda: ranks 0, 1, 3; host: rank 2": of each kind the first few.
std::string ranks_by_kind(const transport::Mesh& mesh) {
  std::map<std::string, std::vector<std::size_t>> ranks_of;
  for (std::size_t rank = 0; rank < mesh.ranks().size(); ++rank)
    ranks_of[mesh.ranks()[rank].place.kind].push_back(rank);
  std::string text;
  for (const auto& [kind, ranks] : ranks_of) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kind, text_of_ranks(ranks));
  }
  return text;
}

/// Kernels of one process do, on one device, too; those of two processes take turns there.
bool run_at_once(const transport::Mesh& mesh) {
  const auto& ranks = mesh.ranks();
  for (auto a = ranks.begin(); a != ranks.end(); ++a) {
    for (auto b = std::next(a); b != ranks.end(); ++b)
      if (a->process != b->process && same_device(*a, *b)) return false;
  }
  return mesh.one_host();
}

int ranks_on_own_device(const transport::Mesh& mesh) {
  const transport::RankInfo& own = mesh.ranks()[static_cast<std::size_t>(mesh.rank())];
  return static_cast<int>(std::ranges::count_if(
      mesh.ranks(), [&own](const auto& rank) { return same_device(own, rank); }));
}

/// By rank 0, and once in a process: worlds that are split off are of the same ranks.
void warn_of_differences(const CommunicatorOptions& options, const transport::Mesh& mesh) {
  static std::atomic<bool> has_warned = false;
  if (mesh.rank() != 0 || options.device_path == "host") return;
  std::string difference = differing_abilities(mesh.ranks());
  if (difference.empty() || has_warned.exchange(true)) return;
  log(LogLevel::kWarn, [&] { return difference; });
}

Status check_memory(const ConstBuffer& buffer, const char* name) {
  const std::size_t bytes = buffer.count * size_of(buffer.dtype);
  if (bytes == 0) return {};
  RONDO_ASSIGN(device::DeviceDriver * driver, device::driver_of(buffer.place));
  return driver->check_memory(buffer.place.index, buffer.pointer, bytes).at(name);
}

}  // namespace

Status check_kinds(const CommunicatorOptions& options, const transport::Mesh& mesh) {
  if (options.device_path == "auto" || options.device_path == "host") return {};
  const std::string& first = mesh.ranks().front().place.kind;
  if (std::ranges::all_of(mesh.ranks(),
                          [&first](const auto& rank) { return rank.place.kind == first; }))
    return {};
  return Status(ErrorCode::kUnsupported,
                fmt::format("RONDO_DEVICE_PATH={} wants all ranks on devices of one kind, but they "
                            "are on several ({}): place all alike, or leave it at auto, which "
                            "goes by way of the host",
                            options.device_path, ranks_by_kind(mesh)));
}

DeviceChoice::DeviceChoice(const CommunicatorOptions& options, const transport::Mesh& mesh,
                           Device device)
    : device_(device),
      asks_for_library_(options.device_path == "library"),
      asks_for_messages_(options.device_path == "messages"),
      one_host_(mesh.one_host()),
      devices_meet_(all_meet(options, mesh, device)),
      by_kernels_(options.device_path == "kernel" && run_at_once(mesh)),
      sharers_(ranks_on_own_device(mesh)),
      world_(mesh.size()),
      reductions_(common_abilities(mesh.ranks()).reductions),
      library_(options, mesh, device) {
  warn_of_differences(options, mesh);
}

/// Streams of a context share work queues, by turns; what is behind a kernel in a queue waits until
/// that is done, and if it is the kernel of a rank that the first one waits for, for ever. Each
/// rank's place has a stream for calls and one to fill memory, the caller one or two.
/// Source: CUDA programming guide, CUDA_DEVICE_MAX_CONNECTIONS; seen so on an H200.
Status DeviceChoice::check_options() const {
  constexpr int kQueuesEach = 4;
  constexpr int kQueuesUnlessTold = 8;
  RONDO_TRY(library_.check_options());
  RONDO_TRY(execute::KernelMail::most_blocks().status());
  if (!by_kernels_ || device_.kind != DeviceKind::kCuda || sharers_ < 2) return {};
  RONDO_ASSIGN(const std::int64_t queues,
               environment_integer("CUDA_DEVICE_MAX_CONNECTIONS", kQueuesUnlessTold, {1, 32}));
  if (queues >= kQueuesEach * sharers_) return {};
  return Status(
      ErrorCode::kUnsupported,
      fmt::format(
          "RONDO_DEVICE_PATH=kernel: the kernels of {} ranks on {} have to run at once, for "
          "which the CUDA driver needs {} work queues, of at most 32, and has {}: set "
          "CUDA_DEVICE_MAX_CONNECTIONS=32 before the program starts, have at most 8 ranks "
          "on a device, or set RONDO_DEVICE_PATH=auto",
          sharers_, device::name_of(device_), kQueuesEach * sharers_, queues));
}

Status DeviceChoice::prepare() const {
  if (!devices_meet_) return {};
  using kernels::DeviceKernels;
  return kernels::load_device_kernels(device_,
                                      by_kernels_ ? DeviceKernels::kAll : DeviceKernels::kReduce);
}

select::DevicePath DeviceChoice::path_of(const CallArguments& arguments) const {
  using select::DevicePath;
  const bool plain = arguments.collective != schedule::Collective::kBarrier &&
                     arguments.reduction.kind() == Reduction::Kind::kBuiltIn;
  const bool on_device = arguments.input.place == device_ || arguments.output.place == device_;
  if (device_.kind == DeviceKind::kHost || !plain || !on_device) return DevicePath::kHost;
  const select::DeviceMeans means = means_of(arguments);
  if (asks_for_library_ && means.library) return DevicePath::kLibrary;
  if (asks_for_messages_ && means.messages) return DevicePath::kMessages;
  return select::choose_device_path(bytes_of(arguments), means);
}

select::DeviceMeans DeviceChoice::means_of(const CallArguments& arguments) const {
  const bool are_reduced = !schedule::reduces(arguments.collective) ||
                           reductions_.has(arguments.input.dtype, arguments.reduction.op());
  return {.world = world_,
          .one_host = one_host_,
          .devices = devices_meet_ && are_reduced,
          .library = library_.takes(arguments),
          .messages = library_.carries_messages() && are_reduced};
}

std::size_t DeviceChoice::bytes_of(const CallArguments& arguments) const {
  return total_count(arguments, world_) * size_of(arguments.input.dtype);
}

double DeviceChoice::predicted_us(const CallArguments& arguments) const {
  using select::DevicePath;
  if (knows_own_rows_only(arguments)) return 0;
  const DevicePath path = path_of(arguments);
  if (path == DevicePath::kDevices && schedule_kernel(arguments).ok()) return 0;
  return select::device_path_us(path, bytes_of(arguments), means_of(arguments));
}

Status DeviceChoice::check(const CallArguments& arguments) const {
  // Who has no device can't have mistaken its memory; calls of new buffers are to cost no more.
  if (device_.kind == DeviceKind::kHost && !device::uses_devices()) return {};
  const ConstBuffer output = arguments.output;
  if (device_.kind != DeviceKind::kHost && takes(arguments)) {
    for (const ConstBuffer& buffer : {arguments.input, output}) {
      if (buffer.count == 0 || buffer.place == device_) continue;
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("{}: input and output must both lie on {}, where this place "
                                "is, or both on the host; one lies on {}",
                                schedule::to_string(arguments.collective), device::name_of(device_),
                                device::name_of(buffer.place)));
    }
  }
  RONDO_TRY(check_memory(arguments.input, "input"));
  return check_memory(output, "output");
}

bool DeviceChoice::may_refuse(const CallArguments& arguments) const {
  return takes(arguments) && may_be_refused(device_.kind, arguments, world_);
}

bool DeviceChoice::combines(const schedule::FoldedWorld& world,
                            const CallArguments& arguments) const {
  return are_combined(device_.kind, arguments, world, one_host_);
}

std::size_t DeviceChoice::segment_bytes_of(std::string_view algorithm) const {
  if (!one_host_) return kSegmentBytesBetweenHosts;
  const bool is_direct = algorithm == "direct" || algorithm == "one_shot";
  return is_direct ? kSegmentBytesOfDirect : kSegmentBytes;
}

void DeviceChoice::apply(const CommunicatorOptions& options, std::string_view algorithm,
                         execute::PlanInputs& inputs) const {
  if (options.segment_bytes == 0) inputs.segment_bytes = segment_bytes_of(algorithm);
  inputs.allocate_scratch = [device = device_](std::size_t bytes) {
    return device::allocate_memory(device, bytes);
  };
}

Result<std::unique_ptr<execute::Runner>> DeviceChoice::runner(const execute::Plan& plan,
                                                              const schedule::FoldedWorld& world,
                                                              const CallArguments& arguments) {
  RONDO_TRY(make_place());
  const bool reduces = schedule::reduces(arguments.collective);
  const bool by_messages = path_of(arguments) == select::DevicePath::kMessages;
  if (!by_messages) {
    auto whole = schedule_kernel(arguments);
    if (whole.ok()) return kernel_runner(plan, std::move(whole).value());
  }
  kernels::DeviceReduceKernel kernel;
  if (reduces) {
    RONDO_ASSIGN(kernel, kernels::find_device_reduce_kernel(device_.kind, arguments.input.dtype,
                                                            arguments.reduction.op()));
  }
  if (by_messages) return library_.runner(arguments, plan, world, std::move(kernel), *place_);
  RONDO_TRY(execute::check_waits(world, one_host_));
  return execute::DeviceRunner::make(plan, *place_, std::move(kernel));
}

Status DeviceChoice::make_place() {
  if (place_ != nullptr) return {};
  RONDO_ASSIGN(place_, execute::DevicePlace::make(device_));
  return {};
}

Result<std::unique_ptr<execute::Runner>> DeviceChoice::library_runner(
    const CallArguments& arguments) {
  RONDO_TRY(make_place());
  return library_.runner(arguments, *place_);
}

int DeviceChoice::kernel_waits_for() {
  const std::lock_guard lock(mail_mutex_);
  return mail_ == nullptr ? kNoCulprit : mail_->waits_for();
}

void DeviceChoice::leave() {
  const std::lock_guard lock(mail_mutex_);
  if (mail_ != nullptr) mail_->give_up();
}

void DeviceChoice::give_up() {
  leave();
  library_.give_up();
}

Result<kernels::DeviceScheduleKernel> DeviceChoice::schedule_kernel(
    const CallArguments& arguments) const {
  if (!by_kernels_ || !execute::KernelMail::suits(world_))
    return Status(ErrorCode::kUnsupported,
                  "kernels of all ranks don't run at once, or weren't asked for");
  const bool reduces = schedule::reduces(arguments.collective);
  return kernels::find_device_schedule_kernel(device_.kind, arguments.input.dtype,
                                              reduces ? arguments.reduction.op() : ReduceOp::kSum);
}

Result<std::unique_ptr<execute::Runner>> DeviceChoice::kernel_runner(
    const execute::Plan& plan, kernels::DeviceScheduleKernel kernel) {
  {
    const std::lock_guard lock(mail_mutex_);
    if (mail_ == nullptr) {
      RONDO_ASSIGN(mail_, execute::KernelMail::make(*place_, world_, sharers_));
    }
  }
  return execute::KernelRunner::make(plan, *place_, *mail_, std::move(kernel));
}

}  // namespace rondo::communicator
