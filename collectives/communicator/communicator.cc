#include "rondo/communicator.h"

#include <map>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/communicator/bootstrap.h"
#include "collectives/communicator/engine.h"
#include "collectives/communicator/library_choice.h"
#include "collectives/communicator/links.h"
#include "collectives/communicator/options.h"
#include "collectives/communicator/place.h"
#include "collectives/communicator/prepared.h"
#include "collectives/communicator/split.h"
#include "collectives/communicator/tuning.h"
#include "collectives/communicator/user_schedule.h"
#include "core/cgroup.h"
#include "core/device/driver.h"
#include "core/log.h"
#include "transport/mesh/connect_places.h"
#include "transport/rendezvous/launch.h"

namespace rondo {
namespace {

using communicator::CallArguments;
using communicator::Engine;
using communicator::GivenCall;
using communicator::Place;
using communicator::used_by;
using schedule::Collective;

/// Now rather than in the first call.
Status check_exists(Device device) {
  RONDO_ASSIGN(device::DeviceDriver * driver, device::driver_of(device));
  return driver->create_stream(device.index).status();
}

/// Rank 0's file counts; where it lies may differ.
std::string kind_of_tuning(const std::string& option) {
  const bool named = option == communicator::kNoTuning || option == communicator::kMeasureTuning;
  return named ? option : "a file";
}

/// What decides how calls run, by the names of the variables.
std::map<std::string, std::string> equal_options(const CommunicatorOptions& options,
                                                 const communicator::UserSchedule* schedule) {
  return std::map<std::string, std::string>{
      {"RONDO_ALGO", options.algorithm},
      {"RONDO_SCHEDULE", schedule == nullptr ? "" : schedule->digest},
      {"RONDO_DETERMINISTIC", options.deterministic ? "1" : "0"},
      {"RONDO_SEGMENT_BYTES", std::to_string(options.segment_bytes)},
      {"RONDO_LINKS", options.links},
      {"RONDO_TUNING", kind_of_tuning(options.tuning)},
      {"RONDO_WIRE_FORMAT", options.wire_format},
      {"RONDO_ERROR_FEEDBACK", options.error_feedback},
      {"RONDO_DEVICE_PATH", options.device_path}};
}

/// What takes calls of all places at once.
Status learn(const std::vector<std::shared_ptr<Engine>>& engines) {
  const auto learn_one = [](Engine& engine) -> Status {
    RONDO_TRY(communicator::learn_links(engine));
    return communicator::learn_tuning(engine);
  };
  std::vector<Status> statuses(engines.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < engines.size(); ++i) {
      threads.emplace_back([&, i] { statuses[i] = learn_one(*engines[i]); });
    }
    statuses[0] = learn_one(*engines[0]);
  }
  for (Status& status : statuses) RONDO_TRY(std::move(status));
  return {};
}

Result<std::vector<std::shared_ptr<Engine>>> join(const std::vector<Device>& devices,
                                                  const CommunicatorOptions& wanted,
                                                  const Bootstrap* bootstrap) {
  if (devices.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "Communicator::create: the list of places is empty; a process takes part with at "
                  "least one");
  }
  for (const Device device : devices) RONDO_TRY(check_exists(device));
  log_enabled(LogLevel::kWarn);  // a RONDO_LOG that can't be understood is said now, not later
  RONDO_ASSIGN(const CommunicatorOptions options, communicator::resolve(wanted));
  RONDO_ASSIGN(const rendezvous::Launch launch, bootstrap == nullptr
                                                    ? rendezvous::detect_launch()
                                                    : communicator::launch_of(*bootstrap));
  std::vector<transport::PlaceNote> places;
  for (const Device device : devices) {
    RONDO_ASSIGN(transport::PlaceNote place, communicator::describe_place(device, options));
    places.push_back(std::move(place));
  }
  RONDO_ASSIGN(const auto schedule, communicator::load_schedule(options.schedule));
  const transport::MeshOptions mesh_options{
      .transport = options.transport,
      .interface = options.interface,
      .tcp_sockets = options.tcp_sockets,
      .tcp_zero_copy_bytes = options.tcp_zero_copy_bytes,
      .timeout_ms = options.join_timeout_ms,
      .equal_options = equal_options(options, schedule.get())};
  RONDO_ASSIGN(auto meshes, transport::connect_places(launch, places, mesh_options));
  const std::optional<double> cpu_quota = read_cpu_quota();
  std::vector<std::shared_ptr<Engine>> engines;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    RONDO_ASSIGN(auto place, Place::make(std::move(meshes[i]), options, devices[i], cpu_quota));
    place->use_schedule(schedule);
    engines.push_back(std::make_shared<Engine>(std::move(place), options.progress == "thread"));
  }
  RONDO_TRY(learn(engines));
  return engines;
}

/// Of calls that have none; constant, so that they lie in memory that isn't written.
const Buffer kNoBuffer;
constexpr Reduction kNoReduction = ReduceOp::kSum;

CallArguments arguments_of(Collective collective, const ConstBuffer& input, const Buffer& output,
                           const Reduction& op = ReduceOp::kSum, int root = 0) {
  return {
      .collective = collective, .input = input, .output = output, .reduction = op, .root = root};
}

/// `counts` are those of the buffer that has all parts.
CallArguments uneven(CallArguments arguments, std::span<const std::size_t> counts) {
  const bool gathers =
      arguments.collective == Collective::kAllGather || arguments.collective == Collective::kGather;
  arguments.uneven = true;
  (gathers ? arguments.output_counts : arguments.input_counts) = counts;
  return arguments;
}

Status call_with_root(Engine& engine, const CallArguments& arguments) {
  return engine.call(used_by(engine.place().rank(), arguments));
}

CallArguments arguments_of(const Call& call, int rank) {
  return used_by(rank, {.collective = call.collective,
                        .input = call.input,
                        .output = call.output,
                        .reduction = call.op,
                        .root = call.root,
                        .uneven = call.uneven,
                        .input_counts = call.input_counts,
                        .output_counts = call.output_counts,
                        .exchange = call.exchange,
                        .tag = call.tag,
                        .timeout_ms = call.timeout_ms});
}

}  // namespace

inline namespace v1 {

class Communicator::Impl {
 public:
  explicit Impl(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::shared_ptr<Engine>& shared() const { return engine_; }
  Engine& engine() { return *engine_; }
  const Place& place() const { return engine_->place(); }

 private:
  std::shared_ptr<Engine> engine_;
};

// Works may outlive it. A continuation that destroys its own communicator can't be obeyed: its
// thread would wait for itself.
Communicator::Impl::~Impl() {
  if (!engine_->driver().is_called_back()) {
    engine_->close();
    return;
  }
  log(LogLevel::kError, [] {
    return std::string(
        "a continuation has destroyed the communicator that runs it: its "
        "connections stay open until the process ends");
  });
  static_cast<void>(new (std::nothrow) std::shared_ptr<Engine>(engine_));
}

Communicator Communicator::create(const CommunicatorOptions& options, Device device) {
  return std::move(create(std::vector<Device>{device}, options).front());
}

std::vector<Communicator> Communicator::create(const std::vector<Device>& places,
                                               const CommunicatorOptions& options) {
  return create(places, options, nullptr);
}

Communicator Communicator::create(const Bootstrap& bootstrap, const CommunicatorOptions& options,
                                  Device device) {
  return std::move(create({device}, options, &bootstrap).front());
}

std::vector<Communicator> Communicator::create(const Bootstrap& bootstrap,
                                               const std::vector<Device>& places,
                                               const CommunicatorOptions& options) {
  return create(places, options, &bootstrap);
}

std::vector<Communicator> Communicator::create(const std::vector<Device>& places,
                                               const CommunicatorOptions& options,
                                               const Bootstrap* bootstrap) {
  std::vector<Communicator> handles;
  for (auto& engine : value_or_throw(join(places, options, bootstrap))) {
    handles.push_back(Communicator(std::make_unique<Impl>(std::move(engine))));
  }
  return handles;
}

namespace {

/// Errors: InvalidArgument, where another handle has taken it over.
template <class Impl>
Impl& alive(const std::unique_ptr<Impl>& impl) {
  if (impl == nullptr) {
    throw_if_error(Status(ErrorCode::kInvalidArgument,
                          "this communicator was moved from: use the handle that it was moved to"));
  }
  return *impl;
}

}  // namespace

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

int Communicator::rank() const { return alive(impl_).place().rank(); }
int Communicator::size() const { return alive(impl_).place().size(); }
Device Communicator::device() const { return alive(impl_).place().device(); }

void Communicator::all_reduce(const Buffer& data, const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(
      GivenCall{.collective = Collective::kAllReduce, .output = data, .reduction = op}));
}

void Communicator::all_reduce(const ConstBuffer& input, const Buffer& output, const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{
      .collective = Collective::kAllReduce, .input = &input, .output = output, .reduction = op}));
}

void Communicator::all_gather(const ConstBuffer& input, const Buffer& output) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kAllGather,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction}));
}

void Communicator::reduce_scatter(const ConstBuffer& input, const Buffer& output,
                                  const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kReduceScatter,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = op}));
}

void Communicator::broadcast(const Buffer& data, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kBroadcast,
                                                      .output = data,
                                                      .reduction = kNoReduction,
                                                      .root = root}));
}

void Communicator::reduce(const ConstBuffer& input, const Buffer& output, int root,
                          const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kReduce,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = op,
                                                      .root = root}));
}

void Communicator::gather(const ConstBuffer& input, const Buffer& output, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kGather,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .root = root}));
}

void Communicator::scatter(const ConstBuffer& input, const Buffer& output, int root) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kScatter,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction,
                                                      .root = root}));
}

void Communicator::all_to_all(const ConstBuffer& input, const Buffer& output) {
  throw_if_error(alive(impl_).engine().call(GivenCall{.collective = Collective::kAllToAll,
                                                      .input = &input,
                                                      .output = output,
                                                      .reduction = kNoReduction}));
}

void Communicator::all_gather_v(const ConstBuffer& input, const Buffer& output,
                                std::span<const std::size_t> counts) {
  throw_if_error(alive(impl_).engine().call(
      uneven(arguments_of(Collective::kAllGather, input, output), counts)));
}

void Communicator::reduce_scatter_v(const ConstBuffer& input, const Buffer& output,
                                    std::span<const std::size_t> counts, const Reduction& op) {
  throw_if_error(alive(impl_).engine().call(
      uneven(arguments_of(Collective::kReduceScatter, input, output, op), counts)));
}

void Communicator::gather_v(const ConstBuffer& input, const Buffer& output,
                            std::span<const std::size_t> counts, int root) {
  throw_if_error(call_with_root(
      alive(impl_).engine(),
      uneven(arguments_of(Collective::kGather, input, output, ReduceOp::kSum, root), counts)));
}

void Communicator::scatter_v(const ConstBuffer& input, const Buffer& output,
                             std::span<const std::size_t> counts, int root) {
  throw_if_error(call_with_root(
      alive(impl_).engine(),
      uneven(arguments_of(Collective::kScatter, input, output, ReduceOp::kSum, root), counts)));
}

void Communicator::all_to_all_v(const ConstBuffer& input, std::span<const std::size_t> input_counts,
                                const Buffer& output, std::span<const std::size_t> output_counts) {
  CallArguments arguments = arguments_of(Collective::kAllToAll, input, output);
  arguments.uneven = true;
  arguments.input_counts = input_counts;
  arguments.output_counts = output_counts;
  throw_if_error(alive(impl_).engine().call(arguments));
}

void Communicator::barrier() {
  throw_if_error(
      alive(impl_).engine().call(GivenCall{.output = kNoBuffer, .reduction = kNoReduction}));
}

void Communicator::send(const ConstBuffer& data, int peer, int tag) {
  start(Call::send(data, peer, tag)).wait();
}

void Communicator::receive(const Buffer& data, int peer, int tag) {
  start(Call::receive(data, peer, tag)).wait();
}

void Communicator::run(const Call& call) {
  const bool blocks = call.exchange == Call::Exchange::kNone && !call.stream.has_value();
  if (!blocks) return start(call).wait();
  throw_if_error(alive(impl_).engine().call(arguments_of(call, rank())));
}

Work Communicator::start(const Call& call) {
  Engine& engine = alive(impl_).engine();
  std::optional<Stream> stream = call.stream;
  detail::StreamImpl* const order = stream ? &detail::DeviceAccess::stream(*stream) : nullptr;
  return {alive(impl_).shared(),
          value_or_throw(engine.start(arguments_of(call, rank()), nullptr, order))};
}

std::optional<Communicator> Communicator::split(std::optional<int> color, int key) {
  auto engine = value_or_throw(communicator::split(alive(impl_).engine(), color, key));
  if (engine == nullptr) return std::nullopt;
  return Communicator(std::make_unique<Impl>(std::move(engine)));
}

Prepared Communicator::prepare(const Call& call) {
  auto prepared = std::make_unique<Prepared::Impl>(alive(impl_).shared(), call);
  prepared->arguments = arguments_of(prepared->call, rank());
  prepared->plan = value_or_throw(alive(impl_).engine().prepare(prepared->arguments));
  return Prepared(std::move(prepared));
}

std::string Communicator::measure_tuning() {
  return value_or_throw(communicator::measure_tuning(alive(impl_).engine()));
}

std::vector<MeasuredChoice> Communicator::measure_choices(Collective collective,
                                                          const std::vector<std::size_t>& bytes,
                                                          int rounds) {
  return value_or_throw(
      communicator::measure_choices(alive(impl_).engine(), collective, bytes, rounds));
}

void Communicator::abort(const Error& cause) {
  alive(impl_).engine().abort(Status(cause.code(), cause.message(), rank(), cause.where()));
}

std::vector<PeerTraffic> Communicator::traffic() const { return alive(impl_).engine().traffic(); }

int Communicator::descriptor() { return value_or_throw(alive(impl_).engine().descriptor()); }

std::size_t Communicator::progress() { return alive(impl_).engine().progress(); }

CallInfo Communicator::last_call() const { return alive(impl_).engine().last_call(); }

std::string Communicator::metrics() const { return alive(impl_).engine().metrics(); }

void Communicator::set_trace(TraceFunction function) {
  throw_if_error(alive(impl_).engine().tell(std::move(function)));
}

void Communicator::write_trace(const std::string& path) const {
  throw_if_error(alive(impl_).place().trace().write(path));
}

}  // namespace v1
}  // namespace rondo
