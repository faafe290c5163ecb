#include "collectives/execute/device/device_call.h"

#include <algorithm>
#include <utility>

namespace rondo::execute {
namespace {

/// Messages of one call in one channel.
std::size_t messages(const Plan& plan, const Channel& channel, std::size_t index, bool sent) {
  std::size_t count = 0;
  for (const BoundSweep& sweep : plan.lanes()[channel.lane]) {
    for (const BoundPort& port : sent ? sweep.targets : sweep.sources) {
      if (port.is_channel && port.channel == index) count += sweep.segments;
    }
  }
  return count;
}

std::size_t place_of(const Plan& plan, const transport::Endpoint* endpoint) {
  const auto endpoints = plan.endpoints();
  return static_cast<std::size_t>(std::ranges::find(endpoints, endpoint) - endpoints.begin());
}

}  // namespace

DeviceCall::DeviceCall(const Plan& bound, DevicePlace& own, kernels::DeviceReduceKernel reduce)
    : plan(bound), place(own), kernel(std::move(reduce)) {
  for (transport::Endpoint* endpoint : plan.endpoints()) peers.emplace_back(place, *endpoint);
  for (std::size_t i = 0; i < plan.senders().size(); ++i) {
    const Channel& channel = plan.senders()[i];
    senders.emplace_back(*channel.endpoint, channel.lane, messages(plan, channel, i, true));
    peer_of_sender.push_back(place_of(plan, channel.endpoint));
  }
  for (std::size_t i = 0; i < plan.receivers().size(); ++i) {
    const Channel& channel = plan.receivers()[i];
    receivers.emplace_back(*channel.endpoint, channel.lane, messages(plan, channel, i, false));
    peer_of_receiver.push_back(place_of(plan, channel.endpoint));
  }
}

}  // namespace rondo::execute
