#include "collectives/communicator/planner.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/communicator/uneven.h"
#include "core/device/memory.h"
#include "core/log.h"
#include "transport/shm/registered_pool.h"

namespace rondo::communicator {
namespace {

/// What a built-in schedule needs each channel to hold where memory is shared, and what there is
/// room for without a queue.
constexpr std::uint32_t kHeldByAChannel = 2;

/// Which ranks of this host may map.
Result<std::shared_ptr<std::byte[]>> allocate_registered(std::size_t bytes) {
  RONDO_ASSIGN(transport::RegisteredPool * pool, transport::RegisteredPool::instance());
  RONDO_ASSIGN(std::byte * memory, pool->allocate(bytes));
  return std::shared_ptr<std::byte[]>(memory, [pool](std::byte* data) { pool->free(data); });
}

Result<std::shared_ptr<std::byte[]>> allocate_private(std::size_t bytes) {
  return device::allocate_memory(Device::host(), bytes);
}

bool is_custom(const CallArguments& arguments) {
  return arguments.reduction.kind() == Reduction::Kind::kCustom;
}

select::Demands demands_of(const CallArguments& arguments, bool deterministic) {
  using select::Demands;
  const bool own_rows_only = knows_own_rows_only(arguments);
  const bool is_ordered = is_custom(arguments) && !arguments.reduction.custom().commutative;
  return {.rows = own_rows_only ? Demands::Rows::kOwn : Demands::Rows::kAll,
          .order = is_ordered || deterministic ? Demands::Order::kRanks : Demands::Order::kAny};
}

/// Of a call that brings no counts of its own.
Result<schedule::ChunkTable> even_table(const algorithms::Algorithm& algorithm,
                                        const schedule::Request& request, std::size_t count) {
  if (algorithm.counts == nullptr) return schedule::ChunkTable::equal(count, request);
  return schedule::ChunkTable::of_counts(algorithm.counts(request, count));
}

}  // namespace

Planner::Planner(const transport::Mesh& mesh, const CommunicatorOptions& options, Device device)
    : mesh_(mesh),
      options_(options),
      wire_(options, mesh, device),
      device_(options, mesh, device),
      schedules_(device.kind == DeviceKind::kHost ? ScheduleCache::Keep::kOwn
                                                  : ScheduleCache::Keep::kWorld) {
  use_layout(schedule::HostLayout(mesh.hosts()));
}

void Planner::use_layout(schedule::HostLayout layout) {
  hosts_ = std::make_shared<const schedule::HostLayout>(std::move(layout));
  schedules_.forget();
  layout_ = {.world = size(),
             .one_host = mesh_.one_host(),
             .hosts = hosts_.get(),
             .ranks_per_core = mesh_.crowding().most};
  make_pricing();
}

void Planner::use_pace(select::Pace pace) {
  if (pricing_ != nullptr) pricing_->use_pace(std::move(pace));
  last_priced_ = {};
}

void Planner::use_tuning(std::shared_ptr<const select::Tuning> tuning) {
  tuning_ = std::move(tuning);
  make_pricing();
}

void Planner::make_pricing() {
  pricing_ = nullptr;
  last_priced_ = {};
  if (tuning_ != nullptr) pricing_ = select::Pricing::make(tuning_, hosts_, segment_bytes());
}

std::size_t Planner::segment_bytes() const {
  return options_.segment_bytes == 0 ? select::default_segment_bytes(layout_)
                                     : options_.segment_bytes;
}

std::vector<select::Candidate> Planner::priced(schedule::Collective collective, std::size_t bytes,
                                               const select::Demands& demands) const {
  std::vector<select::Candidate> list;
  if (pricing_ != nullptr) list = pricing_->candidates(collective, bytes, demands);
  if (!list.empty()) return list;
  return select::candidates(collective, bytes, layout_, select::default_link_cost(layout_),
                            demands);
}

const std::vector<select::Candidate>& Planner::priced_of(schedule::Collective collective,
                                                         std::size_t bytes,
                                                         const select::Demands& demands) {
  Priced& last = last_priced_.at(static_cast<std::size_t>(collective));
  if (last.list.empty() || last.bytes != bytes || last.demands != demands)
    last = {.bytes = bytes, .demands = demands, .list = priced(collective, bytes, demands)};
  return last.list;
}

schedule::Request Planner::request_of(const algorithms::Algorithm& algorithm,
                                      const CallArguments& arguments) const {
  schedule::Request request;
  request.collective = arguments.collective;
  request.world = size();
  request.rank = rank();
  request.root = arguments.root;
  request.layout = hosts_;
  request.rows = algorithm.rows(request, total_count(arguments, size()));
  return request;
}

std::size_t Planner::bytes_of(const CallArguments& arguments) const {
  return total_count(arguments, size()) * size_of(arguments.input.dtype);
}

Result<select::Candidate> Planner::choose(const CallArguments& arguments) {
  const std::size_t bytes = bytes_of(arguments);
  const select::Demands demands = demands_of(arguments, is_deterministic());
  const std::string_view name = forced_.empty() ? options_.algorithm : forced_;
  RONDO_ASSIGN(const algorithms::Algorithm* forced,
               select::forced_algorithm(arguments.collective, name, demands));
  // Nobody asks what a call that is timed was predicted to take.
  if (is_timing()) return select::Candidate{.algorithm = forced};
  const std::vector<select::Candidate>& list = priced_of(arguments.collective, bytes, demands);
  for (const select::Candidate& candidate : list) {
    if (forced == nullptr ? is_taken(*candidate.algorithm, arguments)
                          : candidate.algorithm == forced)
      return candidate;
  }
  if (forced != nullptr) return select::Candidate{.algorithm = forced};
  if (!list.empty()) return list.front();  // the device says what it refuses
  return Status(ErrorCode::kUnsupported,
                fmt::format("no algorithm for {}", schedule::to_string(arguments.collective)));
}

bool Planner::is_taken(const algorithms::Algorithm& algorithm, const CallArguments& arguments) {
  if (wire_.is_left_out(algorithm, arguments)) return false;
  if (!device_.may_refuse(arguments)) return true;
  // Of more rows than have numbers the caller is told.
  const schedule::Request request = request_of(algorithm, arguments);
  if (!algorithms::check_rows(algorithm, request).ok()) return true;
  return device_.combines(*schedules_.of(algorithm, request).world, arguments);
}

void Planner::use_links(const schedule::LinkSpeeds& links) {
  use_layout(hosts_->with_links(links));
}

Status Planner::check_options() const {
  RONDO_TRY(device_.check_options());
  return select::choose(schedule::Collective::kAllReduce, 0, layout_, options_.algorithm).status();
}

void Planner::use_schedule(std::shared_ptr<const UserSchedule> schedule) {
  user_schedule_ = std::move(schedule);
  user_part_.reset();
  if (user_schedule_ == nullptr) return;
  if (user_schedule_->request().world == size()) {
    user_part_ = std::make_shared<const OwnPart>(own_part(user_schedule_->world, rank()));
    return;
  }
  log(LogLevel::kInfo, [&] {
    return fmt::format("the schedule '{}' is for {} ranks; this world of {} does without it",
                       user_schedule_->name, user_schedule_->request().world, size());
  });
}

const UserSchedule* Planner::own_schedule(const CallArguments& arguments) const {
  if (user_schedule_ == nullptr || is_timing()) return nullptr;
  const bool in_rank_order =
      demands_of(arguments, is_deterministic()).order == select::Demands::Order::kRanks;
  return user_schedule_->fits(arguments, size(), in_rank_order) ? user_schedule_.get() : nullptr;
}

Result<kernels::ReduceKernel> Planner::kernel_of(const CallArguments& arguments) {
  if (is_custom(arguments)) return kernels::ReduceKernel{nullptr};
  return kernels::find_reduce_kernel(DeviceKind::kHost, arguments.input.dtype,
                                     arguments.reduction.op());
}

/// Nothing where it isn't known how much the other ranks move.
void Planner::predict(PreparedPlan& prepared, const select::Candidate& chosen,
                      const CallArguments& arguments) {
  if (knows_own_rows_only(arguments)) return;
  const std::size_t bytes = bytes_of(arguments);
  prepared.registered_us = 0;
  prepared.predicted_us = chosen.predicted_us;
  if (pricing_ == nullptr || chosen.predicted_us <= 0) return;
  prepared.predicted_us = pricing_->predicted_between_us(*chosen.algorithm, bytes);
  if (chosen.registered_us <= 0) return;
  prepared.registered_us =
      pricing_->predicted_between_us(*chosen.algorithm, bytes, MemoryKind::kRegistered);
}

Result<std::shared_ptr<PreparedPlan>> Planner::make(const CallArguments& arguments) {
  auto prepared = std::make_shared<PreparedPlan>();
  const select::DevicePath path = device_.path_of(arguments);
  prepared->on_device = path != select::DevicePath::kHost;
  if (path == select::DevicePath::kLibrary) {
    prepared->algorithm = device_.library_name();
    prepared->predicted_us = device_.predicted_us(arguments);
    RONDO_ASSIGN(prepared->runner, device_.library_runner(arguments));
    return prepared;
  }
  if (const UserSchedule* own = own_schedule(arguments); own != nullptr) {
    prepared->algorithm = own->name;
    RONDO_ASSIGN(execute::PlanInputs inputs, inputs_of_own(*own, arguments));
    if (!prepared->on_device) prepared->predicted_us = predicted_us(*own, inputs);
    RONDO_TRY(bind(*prepared, std::move(inputs), &own->world, arguments));
    // Messages that have no room yet would hold up those who have sent them.
    if (own->least_credits > kHeldByAChannel && !prepared->on_device)
      prepared->runner = std::make_unique<execute::PlanRunner>(*prepared->plan);
    return prepared;
  }
  RONDO_ASSIGN(const select::Candidate chosen, choose(arguments));
  const algorithms::Algorithm* const algorithm = chosen.algorithm;
  prepared->algorithm = algorithm->name;
  if (prepared->on_device) {
    prepared->predicted_us = device_.predicted_us(arguments);
  } else {
    predict(*prepared, chosen, arguments);
  }
  if (!prepared->on_device) {
    prepared->built_in = algorithm;
    RONDO_ASSIGN(const bool is_made, make_one_exchange(*prepared, arguments));
    if (is_made) return prepared;
  }
  const schedule::Request request = request_of(*algorithm, arguments);
  RONDO_TRY(algorithms::check_rows(*algorithm, request));
  const KnownSchedules known = schedules_.of(*algorithm, request);
  RONDO_ASSIGN(execute::PlanInputs inputs, plan_inputs(*algorithm, arguments, known.own));
  RONDO_TRY(bind(*prepared, std::move(inputs), known.world.get(), arguments));
  return prepared;
}

Result<execute::PlanInputs> Planner::plan_inputs(const algorithms::Algorithm& algorithm,
                                                 const CallArguments& arguments,
                                                 std::shared_ptr<const OwnPart> own) const {
  RONDO_ASSIGN(execute::PlanInputs inputs, inputs_of(arguments, std::move(own)));
  RONDO_TRY(set_table(inputs.table, algorithm, arguments, inputs.schedule.request));
  inputs.sizes_of_own_rows_only = knows_own_rows_only(arguments);
  if (!is_timing()) wire_.apply(algorithm, arguments, inputs);
  if (device_.takes(arguments)) device_.apply(options_, algorithm.name, inputs);
  return inputs;
}

Status Planner::set_table(schedule::ChunkTable& table, const algorithms::Algorithm& algorithm,
                          const CallArguments& arguments, const schedule::Request& request) const {
  if (arguments.uneven) return set_uneven(table, arguments, rank(), size());
  RONDO_ASSIGN(table, even_table(algorithm, request, total_count(arguments, size())));
  return {};
}

Result<execute::PlanInputs> Planner::inputs_of_own(const UserSchedule& own,
                                                   const CallArguments& arguments) {
  RONDO_ASSIGN(execute::PlanInputs inputs, inputs_of(arguments, user_part_));
  inputs.table = schedule::ChunkTable::equal(total_count(arguments, size()), own.request());
  if (device_.takes(arguments)) device_.apply(options_, {}, inputs);
  return inputs;
}

double Planner::predicted_us(const UserSchedule& own, const execute::PlanInputs& inputs) const {
  const auto constants =
      tuning_ != nullptr ? tuning_ : select::built_in_tuning(options_.transport != "tcp");
  const auto pricing = select::Pricing::make(constants, hosts_, segment_bytes());
  if (pricing == nullptr) return 0;
  return pricing->predicted_us(own.world, inputs.table, inputs.element_bytes);
}

/// But for the rows' sizes.
Result<execute::PlanInputs> Planner::inputs_of(const CallArguments& arguments,
                                               std::shared_ptr<const OwnPart> own) const {
  execute::PlanInputs inputs;
  inputs.schedule = own->schedule;
  inputs.element_bytes = size_of(arguments.input.dtype);
  inputs.segment_bytes = segment_bytes();
  if (schedule::reduces(arguments.collective)) {
    RONDO_ASSIGN(inputs.kernel, kernel_of(arguments));
    inputs.divisor = divisor_of(arguments);
  }
  inputs.endpoint_of = [this](int peer) { return mesh_.endpoint(peer); };
  inputs.scratch_rows_of = [own = std::move(own)](int peer) { return own->scratch_rows.at(peer); };
  inputs.allocate_scratch = mesh_.shares_memory() ? &allocate_registered : &allocate_private;
  return inputs;
}

}  // namespace rondo::communicator
