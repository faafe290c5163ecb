#include "collectives/communicator/place.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "collectives/communicator/uneven.h"
#include "core/environment.h"
#include "core/home_core.h"
#include "core/log.h"
#include "core/topology.h"
#include "transport/shm/registered_pool.h"

namespace rondo::communicator {
namespace {

/// Much more than a piece of a store takes, even where others have the core for a while.
constexpr auto kStorePatience = std::chrono::seconds(1);

/// There is a core for each rank of the host by its control group's quota, and for each that may
/// run where this one does, of whichever host of the machine.
bool has_spare_core(const transport::Mesh& world, std::optional<double> cpu_quota) {
  const transport::CoreUse here = world.core_use_here();
  return here.ranks <= usable_cores(here.cores, cpu_quota) && world.crowding().here <= 1;
}

Result<bool> wants_home_cores() { return environment_flag("RONDO_HOME_CORES", true); }

/// Of use to ranks with a core to spare; finding one reads a file for each core.
Result<int> home_core_of(const transport::Mesh& world, bool spare_core) {
  RONDO_ASSIGN(const bool wanted, wants_home_cores());
  const transport::RankInfo& own = world.ranks()[static_cast<std::size_t>(world.rank())];
  return wanted && spare_core ? home_core(own.cores, world.crowding().home) : -1;
}

}  // namespace

Status Place::check_environment() {
  RONDO_TRY(wants_home_cores().status());
  return trace_settings().status();
}

Result<std::unique_ptr<Place>> Place::make(std::unique_ptr<transport::Mesh> mesh,
                                           const CommunicatorOptions& options, Device device,
                                           std::optional<double> cpu_quota) {
  RONDO_ASSIGN(TraceSettings trace, trace_settings());
  std::unique_ptr<Place> place(new Place(std::move(mesh), options, device));
  place->trace_ = std::make_unique<CallTrace>(*place->mesh_, std::move(trace));
  RONDO_TRY(check_kinds(options, *place->mesh_));
  RONDO_TRY(place->planner_.check_options());
  device::look_for_devices();
  if (device.kind != DeviceKind::kHost) {
    RONDO_ASSIGN(place->profiled_, device::driver_of(device));
    RONDO_TRY(place->planner_.device_choice().prepare());
  }
  execute::WaitPolicy policy;
  policy.spare_core = has_spare_core(*place->mesh_, cpu_quota);
  RONDO_ASSIGN(policy.home_core, home_core_of(*place->mesh_, policy.spare_core));
  place->planner_.set_spare_core(policy.spare_core);
  RONDO_ASSIGN(place->waiter_, execute::Waiter::make(place->mesh_->transports(), policy));
  return place;
}

Place::Place(std::unique_ptr<transport::Mesh> mesh, const CommunicatorOptions& options,
             Device device)
    : mesh_(std::move(mesh)),
      options_(options),
      timeout_ms_(options.timeout_ms),
      device_(device),
      staging_(device),
      planner_(*mesh_, options_, device) {
  next_ = {.sequence = 1, .epoch = mesh_->epoch()};
  transport::set_fingerprint_printer(&print_fingerprint);
  for (const int step : {1, size() - 1}) {
    transport::Endpoint* neighbour = mesh_->endpoint((rank() + step) % size());
    if (neighbour == nullptr) continue;
    if (neighbours_.empty() || neighbours_.front() != neighbour) neighbours_.push_back(neighbour);
  }
  for (int peer = 0; peer < size(); ++peer) {
    const transport::Endpoint* endpoint = mesh_->endpoint(peer);
    if (endpoint == nullptr) continue;
    const std::string_view kind = transport::to_string(endpoint->kind());
    const bool first = transport_ == CallInfo{}.transport;
    transport_ = first || transport_ == kind ? kind : "mixed";
  }
  last_call_.transport = transport_;
}

Place::~Place() {
  compare_last_call();
  if (trace_ != nullptr) trace_->close();
  planner_.leave();
  // Before what lies on the device is freed: that waits for peers' kernels, and those for this
  // rank.
  mesh_->say_goodbye();
}

/// A rank that only sends (a broadcast's root) is done before it hears what its peers called, and
/// after its last call nothing else would tell. As far as is known without waiting.
void Place::compare_last_call() const {
  if (!broken_.ok() || last_.sequence == 0) return;
  for (int peer = 0; peer < size(); ++peer) {
    transport::Endpoint* endpoint = mesh_->endpoint(peer);
    if (endpoint == nullptr) continue;
    const Status status = execute::compare_calls(rank(), last_, *endpoint);
    if (!status.ok()) log(LogLevel::kError, [&] { return status.to_string(); });
  }
}

bool Place::is_left_alone_by(const Status& status) const {
  const bool refused = status.code() == ErrorCode::kDevice || status.code() == ErrorCode::kSystem;
  return refused && size() > 1 && device_.kind != DeviceKind::kHost && is_usable();
}

Status Place::usable() const {
  if (is_usable()) return {};
  // Whoever gives one up needn't say why.
  const std::string why = broken_.message().empty() ? "it was aborted" : broken_.message();
  return Status(broken_.code(), "this communicator can't be used any more: " + why,
                broken_.culprit(), broken_.where());
}

Result<PreparedPlan*> Place::admit(const CallArguments& arguments) {
  if (is_broken_.load(std::memory_order_relaxed)) return usable();
  return make_known(arguments, arguments);
}

Result<PreparedPlan*> Place::make_known(const CallArguments& given, const CallArguments& used) {
  if (PreparedPlan* const known = recent_calls_.find(used)) {
    use(*known);
    recent_calls_.remember(given, used, known, is_prompt(used, *known));
    return known;
  }
  RONDO_TRY(check(used, rank(), size()));
  RONDO_TRY(staging_.check_places(used));
  if (size() == 1) device::look_for_devices();  // elsewhere make_plan does
  RONDO_TRY(planner_.device_choice().check(used));
  if (size() == 1) {
    // What larger worlds refuse isn't to work here by chance.
    if (schedule::reduces(used.collective)) RONDO_TRY(Planner::kernel_of(used).status());
    return nullptr;
  }
  transport::Fingerprint key = fingerprint_of(used, size());
  if (planner_.device_choice().takes(used)) key.form |= transport::Fingerprint::kOnDevices;
  RONDO_ASSIGN(PreparedPlan* const plan, plan_for(used, key));
  use(*plan);
  recent_calls_.remember(given, used, plan, is_prompt(used, *plan));
  return plan;
}

/// A world of 1: every collective is an identity.
Status Place::run_alone(const CallArguments& arguments, detail::StreamImpl* capture) {
  last_call_.algorithm = "identity";
  last_call_.wire_format = "none";
  const std::size_t bytes = arguments.input.count * size_of(arguments.input.dtype);
  if (bytes == 0) return {};
  if (capture != nullptr) return capture_alone(arguments, *capture);
  if (Premultiplied::needed(arguments)) return multiply_alone(arguments);
  if (arguments.input.pointer == arguments.output.pointer) return {};
  return staging_.copy(arguments.output, arguments.input, bytes);
}

/// A copy at most, which each launch makes.
Status Place::capture_alone(const CallArguments& arguments, detail::StreamImpl& stream) const {
  const ConstBuffer& input = arguments.input;
  const Buffer& output = arguments.output;
  if (Premultiplied::needed(arguments) || input.place != device_ || output.place != device_) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("a call in a stream that is being captured has to be the device's "
                              "alone: with its buffers on {}, and without premultiplied sums, "
                              "which are the host's",
                              device::name_of(device_)));
  }
  return stream.copy(output.pointer, input.pointer,
                     input.pointer == output.pointer ? 0 : input.count * size_of(input.dtype));
}

Status Place::multiply_alone(const CallArguments& arguments) {
  if (!staging_.needed(arguments)) {
    Premultiplied::multiply_alone(arguments);
    return {};
  }
  RONDO_ASSIGN(const CallArguments staged, staging_.bring_in(arguments));
  Premultiplied::multiply_alone(staged);
  return staging_.bring_out(arguments, staged);
}

void Place::use_links(const schedule::LinkSpeeds& links) {
  planner_.use_links(links);
  forget_plans();
}

void Place::use_schedule(std::shared_ptr<const UserSchedule> schedule) {
  planner_.use_schedule(std::move(schedule));
  ++era_;
  forget_plans();
}

void Place::use_tuning(std::shared_ptr<const select::Tuning> tuning) {
  // What the program asks for counts.
  if (tuning != nullptr && options().private_read_bytes == 0)
    read_private_from(tuning->private_read_bytes);
  planner_.use_tuning(std::move(tuning));
  ++era_;
  forget_plans();
}

void Place::use_pace(select::Pace pace) {
  planner_.use_pace(std::move(pace));
  ++era_;
  forget_plans();
}

void Place::force(std::string_view algorithm) {
  planner_.force(algorithm);
  forget_plans();
}

void Place::forget_plans() {
  recent_calls_.forget();
  plans_ = {};
  uneven_plans_ = {};
}

void Place::begin_anew() {
  last_call_ = CallInfo{};
  last_call_.transport = transport_;
  registered_us_ = 0;
  trace_->begin_anew();
}

CallInfo Place::last_call() const {
  CallInfo info = last_call_;
  if (registered_us_ > 0 && was_on_registered_memory()) info.predicted_us = registered_us_;
  if (trace_ != nullptr) info.took_us = trace_->last_us();
  return info;
}

/// Of the last call, all that this rank has brought.
bool Place::was_on_registered_memory() const {
  const auto pool = transport::RegisteredPool::instance();
  if (!pool.ok()) return false;
  const auto is_registered = [&](const std::byte* data) {
    return data == nullptr || (*pool)->offset_of(data, 1).has_value();
  };
  return is_registered(operands_.input) && is_registered(operands_.output);
}

void Place::abort(const Status& cause) {
  if (!broken_.ok()) return;
  abort_untold(cause);
  // The call under way isn't in the trace before it has ended.
  if (!run_.has_value()) trace_->dump(cause);
}

void Place::abort_untold(const Status& cause) {
  if (!broken_.ok()) return;
  broken_ = cause;
  is_broken_.store(true, std::memory_order_release);
  // Before what the peers' devices are doing fails for it.
  for (int peer = 0; peer < size(); ++peer) {
    if (transport::Endpoint* endpoint = mesh_->endpoint(peer)) endpoint->abort(cause);
  }
  planner_.give_up();
  for (int peer = 0; peer < size(); ++peer) {
    if (transport::Endpoint* endpoint = mesh_->endpoint(peer)) endpoint->withdraw();
  }
  const auto until = std::chrono::steady_clock::now() + kStorePatience;
  for (int peer = 0; peer < size(); ++peer) {
    if (transport::Endpoint* endpoint = mesh_->endpoint(peer)) endpoint->await_store(until);
  }
}

/// Kernels wait as long as it takes for a peer to launch its graph: unless it has left. Its last
/// goodbye may be on its way then, so they are asked twice.
Status Place::look_after_graphs() {
  RONDO_TRY(waiter_->wait({.never_waits = true}));
  waiter_->restart();
  const int missed = planner_.kernel_waits_for();
  const bool again = missed == std::exchange(missed_, missed);
  return again && missed != kNoCulprit ? mesh_->endpoint(missed)->left() : Status();
}

Result<PreparedPlan*> Place::plan_for(const CallArguments& arguments,
                                      const transport::Fingerprint& key) {
  if (arguments.uneven) {
    if (PreparedPlan* plan = uneven_plans_.find(key, arguments)) return plan;
    RONDO_ASSIGN(auto prepared, make_plan(uneven_plans_, arguments, key));
    return &uneven_plans_.insert(key, arguments, std::move(prepared));
  }
  if (PreparedPlan* plan = plans_.find(key)) return plan;
  RONDO_ASSIGN(auto prepared, make_plan(plans_, arguments, key));
  return &plans_.insert(std::move(prepared));
}

/// One that `plans` have room for by then. What has to be forgotten for it may become it: programs
/// whose counts are others each time have a new plan in each call.
/// A library of devices may have been loaded since the communicator was made, which many programs
/// do first of all: who plans a call can afford to look.
template <class Plans>
Result<std::shared_ptr<PreparedPlan>> Place::make_plan(Plans& plans, const CallArguments& arguments,
                                                       const transport::Fingerprint& key) {
  device::look_for_devices();
  RONDO_TRY(planner_.device_choice().check(arguments));
  std::shared_ptr<PreparedPlan> prepared = plans.take_one_like(key);
  if (prepared != nullptr) {
    recent_calls_.forget(*prepared);
    RONDO_ASSIGN(const bool fits, planner_.remake(*prepared, arguments));
    if (!fits) prepared = nullptr;
  }
  if (prepared == nullptr) {
    RONDO_ASSIGN(prepared, planner_.make(arguments));
  }
  identify(*prepared, key, arguments);
  while (const auto forgotten = plans.make_room_for(*prepared)) recent_calls_.forget(*forgotten);
  return prepared;
}

/// The key, and the names in profilers and metrics that go with it.
void Place::identify(PreparedPlan& prepared, const transport::Fingerprint& key,
                     const CallArguments& arguments) {
  prepared.key = key;
  prepared.era = era_;
  prepared.scratch_bytes = prepared.plan == nullptr ? 0 : prepared.plan->scratch_room();
  prepared.head_start = prepared.runner->head_start();
  // Clocks of hosts are compared by the calls' beginnings, which nobody may have seen before.
  const bool is_short = prepared.head_start == execute::HeadStart::kShort;
  if (is_short && !mesh_->one_host()) prepared.head_start = execute::HeadStart::kLong;
  if (profiled_ != nullptr)
    prepared.range = fmt::format("rondo {} by {}", print_fingerprint(key), prepared.algorithm);
  if (prepared.series == nullptr) prepared.series = &series_of(prepared, arguments);
  prepared.record = CallTrace::record_of(arguments, *prepared.series);
}

trace::Series& Place::series_of(const PreparedPlan& prepared, const CallArguments& arguments) {
  const std::string_view transport = prepared.on_device ? to_string(device_.kind) : transport_;
  // A split's exchanges are no calls of the program's.
  std::string name = arguments.of_split ? "split" : schedule::to_string(arguments.collective);
  if (arguments.uneven) name += "_v";
  return trace_->series(name, prepared.algorithm, transport);
}

std::vector<PeerTraffic> Place::traffic() const {
  std::vector<PeerTraffic> list;
  for (int peer = 0; peer < size(); ++peer) {
    const transport::Endpoint* endpoint = mesh_->endpoint(peer);
    if (endpoint == nullptr) continue;
    const trace::PeerTotals total = trace_->total_of(*endpoint);
    list.push_back({peer, total.transport, total.sent_bytes, total.received_bytes});
  }
  return list;
}

}  // namespace rondo::communicator
