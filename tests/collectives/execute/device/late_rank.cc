#include "tests/collectives/execute/device/late_rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "collectives/kernels/device_reduce.h"
#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/connected_rank.h"
#include "transport/tcp/tcp_transport.h"

namespace rondo::execute {

LateRank::LateRank(transport::TransportKind inside, schedule::SharedLayout layout,
                   std::uint64_t job, int rank)
    : rank_(rank), layout_(std::move(layout)) {
  const transport::Identity own{.job = job, .epoch = 1, .rank = rank, .world = layout_->world()};
  near_ = make_transport(inside, own);
  far_ = transport::TcpTransport::create(own, {}).value();
}

std::string LateRank::addresses() const { return near_->address() + '\n' + far_->address(); }

std::vector<transport::PeerAddress> LateRank::peers(
    bool near, const std::vector<std::string>& addresses) const {
  std::vector<transport::PeerAddress> list;
  for (int peer = 0; peer < layout_->world(); ++peer) {
    if (peer == rank_ || is_near(peer) != near) continue;
    const std::string& both = addresses[static_cast<std::size_t>(peer)];
    const std::size_t end = both.find('\n');
    list.push_back({peer, near ? both.substr(0, end) : both.substr(end + 1)});
  }
  return list;
}

void LateRank::connect(const std::vector<std::string>& addresses) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::vector<transport::Transport*> transports;
  for (const auto& [transport, near] : {std::pair(near_.get(), true), {far_.get(), false}}) {
    const auto list = peers(near, addresses);
    if (list.empty()) continue;
    const Status status = transport->connect(list, deadline);
    ASSERT_TRUE(status.ok()) << "rank " << rank_ << ": " << status.to_string();
    transports.push_back(transport);
  }
  waiter_ = Waiter::make(transports, {.spare_core = false}).value();
}

transport::Endpoint* LateRank::endpoint(int peer) const {
  return (is_near(peer) ? near_ : far_)->endpoint(peer);
}

Result<std::shared_ptr<std::byte[]>> LateRank::allocate(std::size_t bytes) {
  device::DeviceDriver& driver = place_->driver();
  RONDO_ASSIGN(void* memory, driver.allocate(place_->device().index, bytes));
  return std::shared_ptr<std::byte[]>(static_cast<std::byte*>(memory),
                                      [&driver](std::byte* data) { driver.free(data); });
}

Status LateRank::bind(const BuiltInCall& call, device::DeviceDriver& driver,
                      std::optional<DeviceWait> left_out) {
  constexpr int kDevices = 4;
  place_ = std::make_unique<DevicePlace>(Device::emulated(rank_ % kDevices), driver);
  PlanInputs inputs = call.inputs(rank_);
  inputs.endpoint_of = [this](int peer) { return endpoint(peer); };
  inputs.allocate_scratch = [this](std::size_t bytes) { return allocate(bytes); };
  RONDO_ASSIGN(plan_, Plan::make(std::move(inputs)));
  RONDO_ASSIGN(auto kernel, kernels::find_device_reduce_kernel(DeviceKind::kEmulated, call.type(),
                                                               ReduceOp::kSum));
  RONDO_ASSIGN(runner_, DeviceRunner::make(*plan_, *place_, std::move(kernel), left_out));
  return {};
}

Result<Floats> LateRank::run(const BuiltInCall& call, const Manner& manner) {
  constexpr float kWrittenOver = 1e9F;
  BuiltInCall::Part input = call.input_part(rank_);
  BuiltInCall::Part output = call.output_part(rank_);
  if (!manner.in_place) input.first = 0, output.first = input.count;
  const std::size_t count = std::max(input.first + input.count, output.first + output.count);
  const std::size_t size = call.element_bytes();
  RONDO_ASSIGN(const auto memory, allocate(count * size));
  auto* const seen = static_cast<std::byte*>(device::emulated_alias(memory.get()));
  std::ranges::copy(call.stored(Floats(count, -kWrittenOver)), seen);
  const auto write = [&] {
    std::ranges::copy(call.stored(call.input(rank_)), seen + input.first * size);
    return Status();
  };
  RONDO_TRY(run_behind(write, manner.in_stream, memory.get() + input.first * size,
                       memory.get() + output.first * size));
  Floats result = call.loaded({seen + output.first * size, output.count * size});
  std::ranges::copy(call.stored(Floats(count, kWrittenOver)), seen);
  return result;
}

Status LateRank::run_behind(const std::function<Status()>& write, bool in_stream, std::byte* input,
                            std::byte* output) {
  if (!in_stream) {
    RONDO_TRY(write());
    return run_on({.input = input, .output = output});
  }
  RONDO_ASSIGN(const auto stream, place_->driver().create_stream(place_->device().index));
  RONDO_ASSIGN(const auto written, place_->driver().create_event(place_->device().index));
  // Each is late: behind several the input comes when the hosts have met.
  constexpr int kBefore = 8;
  for (int i = 0; i < kBefore; ++i) RONDO_TRY(stream->launch([] { return Status(); }));
  RONDO_TRY(stream->launch(write));
  RONDO_TRY(stream->record(*written));
  Status status = run_on({.input = input, .output = output, .ready = written.get()});
  RONDO_TRY(stream->synchronize());
  return status;
}

Status LateRank::run_on(const Operands& operands) {
  const transport::Call call{++sequence_, 1, {.collective = 1}};
  Status status = runner_->run(call, operands, {rank_, waiter_.get(), {}, 20'000});
  if (status.ok()) return status;
  for (transport::Endpoint* peer : plan_->endpoints()) peer->abort(status);
  for (transport::Endpoint* peer : plan_->endpoints()) peer->withdraw();
  return status;
}

void LateRank::leave() {
  runner_.reset();
  plan_.reset();
  place_.reset();
}

}  // namespace rondo::execute
