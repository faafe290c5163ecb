#include "collectives/execute/device/device_call.h"

#include <algorithm>
#include <utility>

namespace rondo::execute {
namespace {

/// Bytes of each message of one call in one channel, in order.
std::vector<std::size_t> messages(const Plan& plan, const Channel& channel, std::size_t index,
                                  bool sent) {
  std::vector<std::size_t> sizes;
  for (const BoundSweep& sweep : plan.lanes()[channel.lane]) {
    for (std::size_t segment = 0; segment < sweep.segments; ++segment) {
      const std::size_t offset = segment * plan.segment_bytes();
      for (const BoundPort& port : sent ? sweep.targets : sweep.sources) {
        if (!port.is_channel || port.channel != index) continue;
        sizes.push_back(std::min(plan.segment_bytes(), sweep.bytes - offset));
      }
    }
  }
  return sizes;
}

std::size_t place_of(const Plan& plan, const transport::Endpoint* endpoint) {
  const auto endpoints = plan.endpoints();
  return static_cast<std::size_t>(std::ranges::find(endpoints, endpoint) - endpoints.begin());
}

}  // namespace

void SendingChannel::reset() {
  near.reset();
  if (far) far->reset();
}

void ReceivingChannel::reset() {
  near.reset();
  if (far) far->reset();
}

DeviceCall::DeviceCall(const Plan& bound, DevicePlace& own, kernels::DeviceReduceKernel reduce)
    : plan(bound), place(own), kernel(std::move(reduce)), waits(bound) {
  std::vector<std::size_t> received(plan.endpoints().size());
  for (std::size_t i = 0; i < plan.senders().size(); ++i) {
    const Channel& channel = plan.senders()[i];
    const std::size_t count = messages(plan, channel, i, true).size();
    senders.push_back({.near = NoticeSender(*channel.endpoint, channel.lane, count)});
    peer_of_sender.push_back(place_of(plan, channel.endpoint));
  }
  for (std::size_t i = 0; i < plan.receivers().size(); ++i) {
    const Channel& channel = plan.receivers()[i];
    const std::size_t count = messages(plan, channel, i, false).size();
    receivers.push_back({.near = NoticeReceiver(*channel.endpoint, channel.lane, count)});
    peer_of_receiver.push_back(place_of(plan, channel.endpoint));
    received[peer_of_receiver.back()] += count;
  }
  for (std::size_t i = 0; i < received.size(); ++i) {
    transport::Endpoint* const endpoint = plan.endpoints()[i];
    peers.emplace_back(place, *endpoint);
    answers.emplace_back(*endpoint, waits.asked(endpoint), received[i]);
  }
}

Status DeviceCall::make_far_channels() {
  // Beside those of the lanes, so that copies and kernels are at work at once.
  RONDO_ASSIGN(detail::StreamImpl * copies, place.stream(plan.lanes().size()));
  for (std::size_t i = 0; i < senders.size(); ++i) {
    const Channel& channel = plan.senders()[i];
    if (!sender_peer(i).is_far()) continue;
    RONDO_ASSIGN(senders[i].far,
                 PinnedSender::make({place, *channel.endpoint, channel.lane, left_out},
                                    messages(plan, channel, i, true), *copies));
  }
  for (std::size_t i = 0; i < receivers.size(); ++i) {
    const Channel& channel = plan.receivers()[i];
    if (!receiver_peer(i).is_far()) continue;
    RONDO_ASSIGN(receivers[i].far,
                 PinnedReceiver::make({place, *channel.endpoint, channel.lane, left_out},
                                      messages(plan, channel, i, false)));
  }
  return {};
}

}  // namespace rondo::execute
