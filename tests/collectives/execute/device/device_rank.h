#pragma once

// One rank of a world of places of this process, on an emulated device of its own, that runs
// all-reduces by DeviceRunner.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/execute/device/device_runner.h"
#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/rank.h"

namespace rondo::execute {

class DeviceRank : public ConnectedRank {
 public:
  using ConnectedRank::ConnectedRank;

  /// From now on the streams and the memory are `driver`'s, which outlives them.
  void use(device::DeviceDriver& driver) {
    runner_.reset();
    plan_.reset();
    place_ = std::make_unique<DevicePlace>(Device::emulated(rank_ % 4), driver);
  }
  Status plan(std::string_view algorithm, std::size_t count, std::size_t segment_bytes,
              std::optional<DeviceWait> left_out = std::nullopt) {
    PlanInputs inputs = all_reduce_inputs({.rank = rank_, .world = world_}, count, algorithm);
    inputs.endpoint_of = [this](int peer) { return transport_->endpoint(peer); };
    inputs.segment_bytes = segment_bytes;
    inputs.allocate_scratch = [this](std::size_t bytes) -> Result<std::shared_ptr<std::byte[]>> {
      return allocate(bytes);
    };
    RONDO_ASSIGN(plan_, Plan::make(std::move(inputs)));
    RONDO_ASSIGN(auto kernel, kernels::find_device_reduce_kernel(DeviceKind::kEmulated,
                                                                 DataType::kF32, ReduceOp::kSum));
    RONDO_ASSIGN(runner_, DeviceRunner::make(*plan_, *place_, std::move(kernel), left_out));
    return {};
  }
  Result<std::shared_ptr<std::byte[]>> allocate(std::size_t bytes) {
    device::DeviceDriver& driver = place_->driver();
    RONDO_ASSIGN(void* memory, driver.allocate(place_->device().index, bytes));
    return std::shared_ptr<std::byte[]>(static_cast<std::byte*>(memory),
                                        [&driver](std::byte* data) { driver.free(data); });
  }
  /// `ready`: see Operands.
  Status run(std::byte* input, std::byte* output, const detail::EventImpl* ready = nullptr,
             std::int64_t timeout_ms = 20'000) {
    const transport::Call call{++sequence_, 1, {.collective = 1}};
    return runner_->run(call, {.input = input, .output = output, .ready = ready},
                        {rank_, waiter_.get(), {}, timeout_ms});
  }
  /// Does its host's part of a call for so long, and is gone then, as who was killed.
  void run_until_gone(std::byte* data, std::chrono::milliseconds after) {
    const transport::Call call{++sequence_, 1, {.collective = 1}};
    runner_->begin(call, {.input = data, .output = data});
    const auto until = std::chrono::steady_clock::now() + after;
    while (std::chrono::steady_clock::now() < until) {
      if (const auto moved = runner_->step(); moved.ok() && *moved) continue;
      EXPECT_TRUE(waiter_->wait().ok());
    }
    const Status gone(ErrorCode::kPeerLost, "it was killed", rank_);
    abort(runner_->end(gone, rank_));
  }
  DevicePlace& place() { return *place_; }
  std::size_t lanes() const { return plan_->lanes().size(); }
  /// As a place does: told to all, and then back with the memory that they use.
  void abort(const Status& cause) {
    for (transport::Endpoint* endpoint : peers()) endpoint->abort(cause);
    for (transport::Endpoint* endpoint : peers()) endpoint->withdraw();
  }

 private:
  std::vector<transport::Endpoint*> peers() const {
    std::vector<transport::Endpoint*> list;
    for (int peer = 0; peer < world_; ++peer)
      if (peer != rank_) list.push_back(transport_->endpoint(peer));
    return list;
  }

  std::unique_ptr<DevicePlace> place_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Runner> runner_;
  std::uint64_t sequence_ = 0;
};

}  // namespace rondo::execute
