#include "collectives/communicator/place.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/communicator/uneven.h"
#include "collectives/execute/host/eager_runner.h"
#include "collectives/execute/host/one_shot_runner.h"
#include "collectives/kernels/reduce.h"
#include "collectives/schedule/fuse.h"
#include "core/log.h"
#include "core/topology.h"
#include "transport/shm/registered_pool.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

/// Long enough to hide a message's cost, short enough that a segment is still in the cache when it
/// is forwarded, and that a slot takes it. Frames of tcp cost more. A multiple of every element's
/// size, and equal on all ranks.
std::size_t default_segment_bytes(const select::Layout& layout) {
  return (layout.one_host ? std::size_t{64} : std::size_t{256}) * 1024;
}

/// Up to here copying at once beats lending; what can't be lent is always copied.
constexpr std::size_t kMostEagerBytes = 8 * 1024;

/// The algorithm that OneShotRunner is the fast path of.
constexpr std::string_view kOneShot = "one_shot";

Result<std::shared_ptr<std::byte[]>> allocate_registered(std::size_t bytes) {
  RONDO_ASSIGN(transport::RegisteredPool * pool, transport::RegisteredPool::instance());
  RONDO_ASSIGN(std::byte * memory, pool->allocate(bytes));
  return std::shared_ptr<std::byte[]>(memory, [pool](std::byte* data) { pool->free(data); });
}

schedule::Request request_of(const algorithms::Algorithm& algorithm, const CallArguments& arguments,
                             int rank, const schedule::SharedLayout& layout) {
  const int world = layout->world();
  schedule::Request request;
  request.collective = arguments.collective;
  request.world = world;
  request.rank = rank;
  request.root = arguments.root;
  request.layout = layout;
  request.rows = algorithm.rows(request, total_count(arguments, world));
  return request;
}

bool is_custom(const CallArguments& arguments) {
  return arguments.reduction.kind() == Reduction::Kind::kCustom;
}

/// Null where each call brings a function of its own.
Result<kernels::ReduceKernel> kernel_of(const CallArguments& arguments) {
  if (is_custom(arguments)) return kernels::ReduceKernel{nullptr};
  return kernels::find_reduce_kernel(DeviceKind::kHost, arguments.input.dtype,
                                     arguments.reduction.op());
}

select::Demands demands_of(const CallArguments& arguments, bool deterministic) {
  using select::Demands;
  const bool own_rows_only = arguments.uneven && !knows_all_rows(arguments.collective);
  const bool is_ordered = is_custom(arguments) && !arguments.reduction.custom().commutative;
  return {.rows = own_rows_only ? Demands::Rows::kOwn : Demands::Rows::kAll,
          .order = is_ordered || deterministic ? Demands::Order::kRanks : Demands::Order::kAny};
}

execute::Operands operands_of(const CallArguments& arguments) {
  // Runners name all memory alike; that no schedule writes to its input is verified.
  return {.input = static_cast<std::byte*>(const_cast<void*>(arguments.input.pointer)),
          .output = static_cast<std::byte*>(arguments.output.pointer),
          .custom = {arguments.reduction.custom(), arguments.input.dtype}};
}

int divisor_of(const CallArguments& arguments, int world) {
  return arguments.reduction.op() == ReduceOp::kAvg ? world : 1;
}

}  // namespace

Result<std::unique_ptr<Place>> Place::make(std::unique_ptr<transport::Mesh> mesh,
                                           const CommunicatorOptions& options, Device device,
                                           std::optional<double> cpu_quota) {
  std::unique_ptr<Place> place(new Place(std::move(mesh), options, device));
  RONDO_TRY(select::choose(Collective::kAllReduce, 0, place->layout_, options.algorithm).status());
  RONDO_ASSIGN(place->pool_, transport::RegisteredPool::instance());
  execute::WaitPolicy policy;
  const transport::Mesh& world = *place->mesh_;
  place->spare_core_ = world.ranks_here() <= usable_cores(world.cores_here(), cpu_quota);
  policy.spare_core = place->spare_core_;
  RONDO_ASSIGN(place->waiter_, execute::Waiter::make(place->mesh_->transports(), policy));
  return place;
}

Place::Place(std::unique_ptr<transport::Mesh> mesh, const CommunicatorOptions& options,
             Device device)
    : mesh_(std::move(mesh)),
      options_(options),
      device_(device),
      staging_(device),
      wire_(options, *mesh_, device) {
  transport::set_fingerprint_printer(&print_fingerprint);
  hosts_ = std::make_shared<const schedule::HostLayout>(mesh_->hosts());
  layout_ = {.world = size(), .one_host = mesh_->one_host(), .hosts = hosts_.get()};
  for (const int step : {1, size() - 1}) {
    transport::Endpoint* neighbour = mesh_->endpoint((rank() + step) % size());
    if (neighbour == nullptr) continue;
    if (neighbours_.empty() || neighbours_.front() != neighbour) neighbours_.push_back(neighbour);
  }
  for (int peer = 0; peer < size(); ++peer) {
    const transport::Endpoint* endpoint = mesh_->endpoint(peer);
    if (endpoint == nullptr) continue;
    const std::string_view kind = transport::to_string(endpoint->kind());
    const bool first = last_call_.transport == CallInfo{}.transport;
    last_call_.transport = first || last_call_.transport == kind ? kind : "mixed";
  }
}

Place::~Place() { compare_last_call(); }

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

Status Place::call(const CallArguments& arguments) {
  RONDO_ASSIGN(PreparedPlan* const prepared, admit(arguments));
  if (prepared == nullptr) return run_alone(arguments);
  return run(arguments, *prepared);
}

Status Place::run(const CallArguments& arguments, PreparedPlan& prepared) {
  if (is_broken_.load(std::memory_order_relaxed)) return usable();
  RONDO_TRY(begin(arguments, prepared));
  return finish(run_->drive(context()));
}

Status Place::usable() const {
  if (!is_broken_.load(std::memory_order_acquire)) return {};
  return Status(broken_.code(), "this communicator can't be used any more: " + broken_.message(),
                broken_.culprit(), broken_.where());
}

Result<PreparedPlan*> Place::admit(const CallArguments& arguments) {
  if (is_broken_.load(std::memory_order_relaxed)) return usable();
  RONDO_TRY(check(arguments, rank(), size()));
  RONDO_TRY(staging_.check_places(arguments));
  if (size() == 1) return nullptr;
  return plan_for(arguments, fingerprint_of(arguments, size()));
}

/// A world of 1: every collective is an identity.
Status Place::run_alone(const CallArguments& arguments) {
  last_call_.algorithm = "identity";
  last_call_.wire_format = "none";
  if (schedule::reduces(arguments.collective)) {
    // What larger worlds refuse isn't to work here by chance.
    RONDO_TRY(kernel_of(arguments).status());
  }
  const std::size_t bytes = arguments.input.count * size_of(arguments.input.dtype);
  if (bytes == 0) return {};
  if (Premultiplied::needed(arguments)) return multiply_alone(arguments);
  if (arguments.input.pointer == arguments.output.pointer) return {};
  return staging_.copy(arguments.output, arguments.input, bytes);
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

execute::RunContext Place::context() {
  return {.rank = rank(),
          .waiter = waiter_.get(),
          .neighbours = neighbours_,
          .timeout_ms = options_.timeout_ms};
}

Status Place::begin(const CallArguments& arguments, PreparedPlan& prepared) {
  const CallArguments* used = &arguments;
  if (staging_.needed(arguments) || Premultiplied::needed(arguments)) {
    auto made = make_ready(arguments);
    if (!made.ok()) return give_up_before(std::move(made).status());
    ready_ = *made;
    used = &ready_;
  }
  const transport::Call call{last_.sequence + 1, mesh_->epoch(), prepared.key};
  last_ = call;
  last_call_.algorithm = prepared.algorithm;
  last_call_.wire_format = prepared.wire_format;
  const bool copies = prepared.for_private_memory != nullptr && !lends(*used);
  execute::Runner& runner = copies ? *prepared.for_private_memory : *prepared.runner;
  run_.emplace(runner, call);
  waiter_->restart();
  runner.begin(call, operands_of(*used));
  return {};
}

/// Peers of this host can reach the memory itself.
bool Place::lends(const CallArguments& arguments) const {
  const auto is_registered = [this](const void* data) {
    return pool_->offset_of(static_cast<const std::byte*>(data), 1).has_value();
  };
  return is_registered(arguments.input.pointer) || is_registered(arguments.output.pointer);
}

/// The call on memory of the host that holds what is to be combined.
Result<CallArguments> Place::make_ready(const CallArguments& arguments) {
  CallArguments ready = arguments;
  if (staging_.needed(arguments)) {
    RONDO_ASSIGN(ready, staging_.bring_in(arguments));
    staged_ = ready;
    unstaged_ = arguments;
  }
  if (!Premultiplied::needed(ready)) return ready;
  return premultiplied_.multiply(ready);
}

Status Place::give_up_before(Status cause) {
  staged_.reset();
  cause = std::move(cause).with_culprit(rank());
  abort(cause);
  return cause;
}

Status Place::finish(Status status) {
  status = run_->end(std::move(status), rank());
  run_.reset();
  if (!status.ok()) {
    abort(status);
    staged_.reset();
    return status;
  }
  if (!staged_.has_value()) return {};
  const CallArguments staged = *std::exchange(staged_, std::nullopt);
  return staging_.bring_out(unstaged_, staged);
}

void Place::abort(const Status& cause) {
  if (!broken_.ok()) return;
  broken_ = cause;
  is_broken_.store(true, std::memory_order_release);
  for (int peer = 0; peer < size(); ++peer) {
    if (transport::Endpoint* endpoint = mesh_->endpoint(peer)) endpoint->abort(cause);
  }
  for (int peer = 0; peer < size(); ++peer) {
    if (transport::Endpoint* endpoint = mesh_->endpoint(peer)) endpoint->withdraw();
  }
}

Result<PreparedPlan*> Place::plan_for(const CallArguments& arguments,
                                      const transport::Fingerprint& key) {
  if (arguments.uneven) {
    if (PreparedPlan* plan = uneven_plans_.find(key, arguments)) return plan;
    RONDO_ASSIGN(auto prepared, prepare(arguments));
    prepared->key = key;
    return &uneven_plans_.insert(key, arguments, std::move(prepared));
  }
  if (PreparedPlan* plan = plans_.find(key)) return plan;
  RONDO_ASSIGN(auto prepared, prepare(arguments));
  prepared->key = key;
  return &plans_.insert(key, std::move(prepared));
}

Result<std::shared_ptr<PreparedPlan>> Place::prepare(const CallArguments& arguments) {
  const std::size_t bytes = total_count(arguments, size()) * size_of(arguments.input.dtype);
  RONDO_ASSIGN(const algorithms::Algorithm* algorithm,
               select::choose(arguments.collective, bytes, layout_, options_.algorithm,
                              demands_of(arguments, options_.deterministic)));
  auto prepared = std::make_shared<PreparedPlan>();
  prepared->algorithm = algorithm->name;
  std::vector<transport::Endpoint*> endpoints;
  for (int rank = 0; rank < size(); ++rank) endpoints.push_back(mesh_->endpoint(rank));
  if (algorithm->name == kOneShot && execute::OneShotRunner::suits(endpoints, bytes)) {
    RONDO_ASSIGN(prepared->runner, one_shot_runner(arguments, std::move(endpoints)));
    return prepared;
  }
  RONDO_ASSIGN(execute::PlanInputs inputs, plan_inputs(*algorithm, arguments));
  prepared->wire_format = kernels::to_string(inputs.wire_format);
  RONDO_ASSIGN(prepared->plan, execute::Plan::make(std::move(inputs)));
  std::unique_ptr<execute::Runner> eager;
  if (execute::EagerRunner::suits(*prepared->plan))
    eager = std::make_unique<execute::EagerRunner>(*prepared->plan, spare_core_);
  if (eager != nullptr && bytes <= kMostEagerBytes) {
    prepared->runner = std::move(eager);
    return prepared;
  }
  prepared->runner = std::make_unique<execute::PlanRunner>(*prepared->plan);
  prepared->for_private_memory = std::move(eager);
  return prepared;
}

Result<std::unique_ptr<execute::Runner>> Place::one_shot_runner(
    const CallArguments& arguments, std::vector<transport::Endpoint*> endpoints) const {
  RONDO_ASSIGN(const kernels::ReduceKernel kernel, kernel_of(arguments));
  return std::unique_ptr<execute::Runner>(std::make_unique<execute::OneShotRunner>(
      execute::OneShotRunner::Inputs{.rank = rank(),
                                     .endpoints = std::move(endpoints),
                                     .count = total_count(arguments, size()),
                                     .element_bytes = size_of(arguments.input.dtype),
                                     .kernel = kernel,
                                     .divisor = divisor_of(arguments, size()),
                                     .spare_core = spare_core_}));
}

Result<execute::PlanInputs> Place::plan_inputs(const algorithms::Algorithm& algorithm,
                                               const CallArguments& arguments) {
  const auto build = [&algorithm, arguments, layout = hosts_](int rank) {
    return algorithm.build(request_of(algorithm, arguments, rank, layout));
  };
  execute::PlanInputs inputs;
  inputs.schedule = schedule::fuse(size(), rank(), build);
  if (arguments.uneven) {
    RONDO_ASSIGN(inputs.table, uneven_table(arguments, rank(), size()));
    inputs.sizes_of_own_rows_only = !knows_all_rows(arguments.collective);
  } else {
    const std::uint32_t rows = inputs.schedule.request.rows;
    inputs.table = schedule::ChunkTable::equal(total_count(arguments, size()), rows);
  }
  inputs.element_bytes = size_of(arguments.input.dtype);
  inputs.segment_bytes =
      options_.segment_bytes == 0 ? default_segment_bytes(layout_) : options_.segment_bytes;
  if (schedule::reduces(arguments.collective)) {
    RONDO_ASSIGN(inputs.kernel, kernel_of(arguments));
    inputs.divisor = divisor_of(arguments, size());
  }
  wire_.apply(algorithm, arguments, inputs);
  inputs.endpoint_of = [this](int peer) { return mesh_->endpoint(peer); };
  inputs.scratch_rows_of = [build](int peer) { return build(peer).scratch_rows; };
  inputs.allocate_scratch = &allocate_registered;
  return inputs;
}

std::vector<PeerTraffic> Place::traffic() const {
  std::vector<PeerTraffic> list;
  for (int peer = 0; peer < size(); ++peer) {
    const transport::Endpoint* endpoint = mesh_->endpoint(peer);
    if (endpoint == nullptr) continue;
    const transport::Traffic moved = endpoint->traffic();
    list.push_back(
        {peer, transport::to_string(endpoint->kind()), moved.sent_bytes, moved.received_bytes});
  }
  return list;
}

}  // namespace rondo::communicator
