#pragma once

// Messages between devices of different hosts: bytes in page-locked memory of the host, which
// copies of the device fill and its kernels read, and the endpoint sends from and receives into.
// One direction of one (peer, lane); a few slots of a segment each, so that the device, the
// network and the peer's device are at work at once.
//
// A slot to be sent is filled by a copy and sent once that is done; one that was received is read
// by the lane's stream, and used again once that is done. The host looks at events, and waits for
// none.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/execute/device/device_event.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/device_wait.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

/// Whose messages they are, and where. What it names is borrowed.
struct PinnedLink {
  DevicePlace& place;
  transport::Endpoint& endpoint;
  std::uint16_t lane = 0;
  std::optional<DeviceWait> left_out{};
};

/// What both directions have.
class PinnedSlots {
 public:
  /// Errors: Device, Unsupported.
  static Result<PinnedSlots> make(DevicePlace& place, const DevicePlace::PinnedUse& use,
                                  std::size_t count, std::size_t bytes);

  std::size_t count() const { return count_; }
  std::byte* slot(std::size_t number) const { return data() + number % count_ * bytes_; }

 private:
  std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }

  std::shared_ptr<void> memory_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

class PinnedSender {
 public:
  /// `sizes`: bytes of each message of a call, in order. Copies go through `stream`, which is
  /// borrowed. Errors: Device, Unsupported.
  static Result<PinnedSender> make(const PinnedLink& link, std::vector<std::size_t> sizes,
                                   detail::StreamImpl& stream);

  void reset();
  /// The next message: its bytes are at `payload` after `event`, and stay there until the receiver
  /// has them, as the schedule's verifier has proved. Never waits for room: lanes that did would
  /// wait for each other.
  void add(const DeviceEvent& event, const std::byte* payload) {
    messages_.push_back({&event, payload});
  }
  /// Copies what there is room for, and sends what is there; true if anything moved. Errors: as
  /// Endpoint::post; of the stream.
  Result<bool> pump();
  /// Rings when the copy is done that is to be sent next.
  void arm(const std::shared_ptr<Bell>& bell);
  bool idle() const { return done_ == messages_.size(); }
  int peer() const { return endpoint_->peer(); }

 private:
  struct Message {
    const DeviceEvent* event = nullptr;
    const std::byte* payload = nullptr;
  };

  PinnedSender(const PinnedLink& link, detail::StreamImpl& stream)
      : endpoint_(&link.endpoint), lane_(link.lane), left_out_(link.left_out), stream_(&stream) {}
  Result<bool> see_sent();
  Result<bool> send_copied();
  Result<bool> copy_next();

  transport::Endpoint* endpoint_;
  std::uint16_t lane_;
  std::optional<DeviceWait> left_out_;
  detail::StreamImpl* stream_;
  PinnedSlots slots_{};
  std::vector<std::size_t> sizes_;
  std::vector<Message> messages_;         ///< of this call
  std::vector<DeviceEvent> copied_;       ///< by slot
  std::vector<transport::Token> tokens_;  ///< by slot
  std::size_t filled_ = 0;
  std::size_t posted_ = 0;
  std::size_t done_ = 0;
};

class PinnedReceiver {
 public:
  static Result<PinnedReceiver> make(const PinnedLink& link, std::vector<std::size_t> sizes);

  void reset() { posted_ = done_ = taken_ = 0; }
  /// Receives what has come; true if anything moved. Errors: as Endpoint::post; Device, System
  /// (nobody can say whether a slot has been read).
  Result<bool> pump();
  /// Rings when the slot has been read that is to be used next.
  void arm(const std::shared_ptr<Bell>& bell);
  bool has_next() const { return taken_ < done_; }
  const std::byte* next() const { return slots_.slot(taken_); }
  /// What the stream has been given by now has read the next one. Errors: Device.
  Status take(detail::StreamImpl& stream);
  int peer() const { return endpoint_->peer(); }

 private:
  explicit PinnedReceiver(const PinnedLink& link)
      : endpoint_(&link.endpoint), lane_(link.lane), left_out_(link.left_out) {}
  bool was_taken(std::size_t number) const { return number - slots_.count() < taken_; }
  Result<bool> is_free(std::size_t number) const;

  transport::Endpoint* endpoint_;
  std::uint16_t lane_;
  std::optional<DeviceWait> left_out_;
  PinnedSlots slots_{};
  std::vector<std::size_t> sizes_;
  std::vector<DeviceEvent> read_;         ///< by slot: the stream has read it
  std::vector<transport::Token> tokens_;  ///< by slot
  std::size_t posted_ = 0;
  std::size_t done_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace rondo::execute
