#include "collectives/execute/device/lane_waits.h"

#include <algorithm>

#include "collectives/execute/device/answers.h"

namespace rondo::execute {
namespace {

using schedule::FusedSchedule;
using schedule::Sweep;

bool waits_for_what_was_sent(const FusedSchedule& schedule) {
  const auto wants_answer = [&schedule](const Sweep& sweep) {
    if (!sweep.is_wait) return false;
    const Sweep& awaited = schedule.lanes[sweep.wait_lane][sweep.wait_sweep];
    return std::ranges::any_of(targets_of(schedule, awaited), &schedule::Port::is_channel);
  };
  return std::ranges::any_of(schedule.lanes, [&wants_answer](const std::vector<Sweep>& lane) {
    return std::ranges::any_of(lane, wants_answer);
  });
}

}  // namespace

Status check_waits(const schedule::FoldedWorld& world, bool one_host) {
  for (const FusedSchedule& schedule : world.bases) {
    if (!waits_for_what_was_sent(schedule)) continue;
    if (!one_host) {
      return Status(ErrorCode::kUnsupported,
                    "between hosts a schedule whose lanes wait for what was sent to be read runs "
                    "on devices by messages of their library, or on the host "
                    "(RONDO_DEVICE_PATH=messages, host)");
    }
    if (schedule.lanes.size() > kAnswerLane) {
      return Status(ErrorCode::kUnsupported,
                    "a schedule whose lanes wait for what was sent to be read runs on devices with "
                    "at most 5 lanes, or on the host (RONDO_DEVICE_PATH=host)");
    }
  }
  return {};
}

LaneWaits::LaneWaits(const Plan& plan) : for_lane_(plan.lanes().size()) {
  for (const auto& lane : plan.lanes()) awaited_.emplace_back(lane.size());
  for (const auto& lane : plan.lanes()) {
    for (const BoundSweep& sweep : lane) {
      if (!sweep.is_wait) continue;
      awaited_[sweep.wait_lane][sweep.wait_sweep] = 1;
      ++for_lane_[sweep.wait_lane];
    }
  }
  for (std::size_t lane = 0; lane < awaited_.size(); ++lane) {
    for (std::uint32_t i = 0; i < awaited_[lane].size(); ++i) {
      const BoundSweep& sweep = plan.lanes()[lane][i];
      if (sweep.is_wait) waits_.emplace(std::pair(lane, i), before(plan, sweep));
      if (!is_awaited(lane, i)) continue;
      for (const BoundPort& port : sweep.targets)
        if (port.is_channel) asked_[plan.senders()[port.channel].endpoint] += sweep.segments;
    }
  }
}

/// Messages of a channel are answered in their order: with the last one all before it.
std::vector<LaneWaits::Awaited> LaneWaits::before(const Plan& plan, const BoundSweep& wait) const {
  std::vector<Awaited> list;
  const auto& lane = plan.lanes()[wait.wait_lane];
  for (const BoundPort& awaited : lane[wait.wait_sweep].targets) {
    if (!awaited.is_channel) continue;
    std::size_t answers = 0;
    for (std::uint32_t i = 0; i <= wait.wait_sweep; ++i) {
      if (!is_awaited(wait.wait_lane, i)) continue;
      for (const BoundPort& port : lane[i].targets)
        if (port.is_channel && port.channel == awaited.channel) answers += lane[i].segments;
    }
    list.push_back({awaited.channel, answers});
  }
  return list;
}

std::span<const LaneWaits::Awaited> LaneWaits::of(std::size_t lane, std::uint32_t sweep) const {
  return waits_.at({lane, sweep});
}

std::size_t LaneWaits::asked(const transport::Endpoint* endpoint) const {
  const auto found = asked_.find(endpoint);
  return found == asked_.end() ? 0 : found->second;
}

}  // namespace rondo::execute
