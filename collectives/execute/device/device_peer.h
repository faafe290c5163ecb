#pragma once

// One peer of a call between devices: where its buffers are seen from here, and what it has
// recorded.

#include <array>
#include <cstddef>
#include <utility>

#include "collectives/execute/device/closing.h"
#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/exchange.h"
#include "collectives/execute/device/notice.h"
#include "collectives/execute/device/notice_queue.h"
#include "collectives/execute/device/opening.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

class DevicePeer {
 public:
  /// Both are borrowed.
  DevicePeer(DevicePlace& place, transport::Endpoint& endpoint);

  transport::Endpoint& endpoint() const { return *endpoint_; }
  int rank() const { return endpoint_->peer(); }
  /// On another host: messages carry their bytes, and nothing else is exchanged.
  bool is_far() const { return endpoint_->kind() == transport::TransportKind::kTcp; }
  bool in_this_process() const { return endpoint_->kind() == transport::TransportKind::kInproc; }

  /// Begins a call; `own` is what the peer is told.
  Status begin(const Regions& own);
  /// Exchanges the regions, and what is gone of those before; true if anything moved. Errors as
  /// Endpoint::post, and those of Opening.
  Result<bool> meet();
  /// It has told all, and been told; where it isn't met then, this rank can't open its memory yet.
  bool has_told() const { return meeting_.done() && closing_.done(); }
  bool met() const { return has_told() && opening_.done(); }
  /// As of Opening.
  Status explained(Status timeout) const {
    return opening_.explained(std::move(timeout), *place_, rank());
  }

  /// Where [offset, offset + bytes) of the peer's region is seen here. Errors: those of opening it,
  /// with the peer as the culprit; DataLoss where the region isn't so large.
  Result<std::byte*> memory(schedule::BufferRole role, std::size_t offset, std::size_t bytes);
  /// Makes what the stream does next wait for what the peer has recorded, if it has. Errors:
  /// likewise.
  Status wait(detail::StreamImpl& stream, const Notice& notice);

  /// The end of a call, both ways: after what each other's streams have done; and then that the
  /// other's has been seen, whose event may be gone afterwards.
  static constexpr std::size_t kGoodbyes = 2;
  NoticeSender goodbye;
  NoticeReceiver their_goodbye;

 private:
  DevicePlace* place_;
  transport::Endpoint* endpoint_;
  Regions mine_{};
  Regions theirs_{};
  std::array<std::byte*, 3> addresses_{};  ///< null: not looked for yet
  Exchange meeting_;
  Closing closing_;
  Opening opening_;
};

}  // namespace rondo::execute
