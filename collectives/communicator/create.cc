// Making a communicator, and taking it down.

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "collectives/communicator/bootstrap.h"
#include "collectives/communicator/handle.h"
#include "collectives/communicator/links.h"
#include "collectives/communicator/options.h"
#include "collectives/communicator/tuning.h"
#include "collectives/communicator/user_schedule.h"
#include "core/cgroup.h"
#include "core/device/driver.h"
#include "core/environment_names.h"
#include "core/log.h"
#include "rondo/options_check.h"
#include "transport/mesh/at_once.h"
#include "transport/mesh/connect_places.h"
#include "transport/mesh/own_address.h"
#include "transport/rendezvous/launch.h"

namespace rondo {
namespace {

using communicator::Engine;
using communicator::Place;

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

/// By its contents: where each rank's file lies may differ.
std::string name_of(const communicator::UserSchedule* schedule) {
  if (schedule == nullptr) return "";
  return fmt::format("'{}' of contents {}", schedule->name, schedule->digest);
}

/// What decides how calls run, by the names of the variables.
std::map<std::string, std::string> equal_options(const CommunicatorOptions& options,
                                                 const communicator::UserSchedule* schedule) {
  return std::map<std::string, std::string>{
      {"RONDO_ALGO", options.algorithm},
      {"RONDO_SCHEDULE", name_of(schedule)},
      {"RONDO_DETERMINISTIC", options.deterministic ? "1" : "0"},
      {"RONDO_SEGMENT_BYTES", std::to_string(options.segment_bytes)},
      {"RONDO_LINKS", options.links},
      {"RONDO_TUNING", kind_of_tuning(options.tuning)},
      {"RONDO_WIRE_FORMAT", options.wire_format},
      {"RONDO_ERROR_FEEDBACK", options.error_feedback},
      {"RONDO_DEVICE_PATH", options.device_path}};
}

/// What this process can find wrong alone; the options as they are in force.
Result<CommunicatorOptions> check_alone(const std::vector<Device>& devices,
                                        const CommunicatorOptions& wanted) {
  for (const Device device : devices) RONDO_TRY(check_exists(device));
  RONDO_TRY(Place::check_environment());
  log_enabled(LogLevel::kWarn);  // a RONDO_LOG that can't be understood is said now, not later
  return communicator::resolve(wanted);
}

/// What takes calls of all places at once.
Status learn(const std::vector<std::shared_ptr<Engine>>& engines) {
  return transport::at_once(engines.size(), [&](std::size_t i) -> Status {
    RONDO_TRY(communicator::learn_links(*engines[i]));
    RONDO_TRY(communicator::learn_tuning(*engines[i]));
    return engines[i]->begin_anew();
  });
}

Result<std::vector<std::shared_ptr<Engine>>> join(const std::vector<Device>& devices,
                                                  const CommunicatorOptions& wanted,
                                                  const Bootstrap* bootstrap) {
  if (devices.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "Communicator::create: the list of places is empty; a process takes part with at "
                  "least one");
  }
  RONDO_ASSIGN(const CommunicatorOptions options, check_alone(devices, wanted));
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
      .private_read_bytes = options.private_read_bytes,
      .timeout_ms = options.join_timeout_ms,
      .equal_options = equal_options(options, schedule.get())};
  RONDO_ASSIGN(auto meshes, transport::connect_places(launch, places, mesh_options));
  if (bootstrap != nullptr) communicator::forget_id(launch);
  // Those of other processes are mostly the same.
  if (meshes.front()->rank() == 0) warn_of_unknown_variables();
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

/// Engines that are never destroyed; within reach, so that they don't count as forgotten memory.
struct Abandoned {
  std::shared_ptr<Engine> engine;
  Abandoned* before = nullptr;
};
std::atomic<Abandoned*> last_abandoned = nullptr;

}  // namespace

inline namespace v1 {

// Works may outlive it. A continuation that destroys its own communicator can't be obeyed: its
// thread would wait for itself.
Communicator::Impl::~Impl() {
  // A copy in a forked child: the world is its parent's, and so are the threads that it would join.
  if (::getpid() != owner_) {
    abandon();
    return;
  }
  if (!engine_->driver().is_called_back() && !engine_->driver().has_baton()) {
    engine_->close();
    return;
  }
  log(LogLevel::kError, [] {
    return std::string(
        "a continuation or a custom reduction has destroyed the communicator that runs it: its "
        "connections stay open until the process ends");
  });
  abandon();
}

void Communicator::Impl::abandon() {
  auto* const kept = new (std::nothrow) Abandoned{engine_};
  if (kept != nullptr) kept->before = last_abandoned.exchange(kept);
}

void check_options(const CommunicatorOptions& options, Device device, int ranks) {
  const auto in_force = value_or_throw(check_alone({device}, options));
  static_cast<void>(value_or_throw(communicator::load_schedule(in_force.schedule)));
  // Else it is found wrong when the others already wait. A process alone has no use for it.
  if (!in_force.interface.empty())
    throw_if_error(transport::own_address(in_force.interface, false, {}).status());
  if (ranks > 0) throw_if_error(communicator::check_links(in_force.links, ranks));
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

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

}  // namespace v1
}  // namespace rondo
