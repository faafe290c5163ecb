#pragma once

// What the lanes of a plan on a device share.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/execute/device/answers.h"
#include "collectives/execute/device/device_peer.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/device_wait.h"
#include "collectives/execute/device/lane_waits.h"
#include "collectives/execute/device/notice_queue.h"
#include "collectives/execute/device/pinned_channel.h"
#include "collectives/execute/host/plan.h"
#include "collectives/kernels/device_reduce.h"
#include "core/status.h"

namespace rondo::execute {

/// How the messages of one direction of one (peer, lane) go: as notices, where the peer's device
/// reads this one's memory and the other way round, or as bytes between hosts.
struct SendingChannel {
  NoticeSender near;
  std::optional<PinnedSender> far{};

  void reset();
  Result<bool> pump() { return far ? far->pump() : near.pump(); }
  void arm(const std::shared_ptr<Bell>& bell) {
    if (far) far->arm(bell);
  }
  bool idle() const { return far ? far->idle() : near.idle(); }
  int peer() const { return near.peer(); }
};
struct ReceivingChannel {
  NoticeReceiver near;
  std::optional<PinnedReceiver> far{};

  void reset();
  Result<bool> pump() { return far ? far->pump() : near.pump(); }
  void arm(const std::shared_ptr<Bell>& bell) {
    if (far) far->arm(bell);
  }
  bool has_next() const { return far ? far->has_next() : near.has_next(); }
  int peer() const { return near.peer(); }
};

struct DeviceCall {
  /// The plan and the place are borrowed.
  DeviceCall(const Plan& bound, DevicePlace& own, kernels::DeviceReduceKernel reduce);
  /// Memory for messages between hosts. Errors: Device, Unsupported.
  Status make_far_channels();

  DevicePeer& receiver_peer(std::size_t channel) { return peers[peer_of_receiver[channel]]; }
  DevicePeer& sender_peer(std::size_t channel) { return peers[peer_of_sender[channel]]; }
  /// To and from the ranks of those channels.
  Answers& receiver_answers(std::size_t channel) { return answers[peer_of_receiver[channel]]; }
  const Answers& sender_answers(std::size_t channel) const {
    return answers[peer_of_sender[channel]];
  }

  const Plan& plan;
  DevicePlace& place;
  kernels::DeviceReduceKernel kernel;
  LaneWaits waits;
  std::vector<DevicePeer> peers;            ///< as Plan::endpoints
  std::vector<Answers> answers;             ///< likewise
  std::vector<SendingChannel> senders;      ///< as Plan::senders
  std::vector<ReceivingChannel> receivers;  ///< as Plan::receivers
  std::vector<std::size_t> peer_of_sender;
  std::vector<std::size_t> peer_of_receiver;
  std::array<std::byte*, 3> bases{};  ///< by schedule::BufferRole
  std::optional<DeviceWait> left_out{};
};

}  // namespace rondo::execute
