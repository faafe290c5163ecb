#pragma once

// Of two ranks, both ways: that messages have been read. A message asks for it where a lane of its
// sender waits for that (lane_waits.h). The answer is a notice: the event after which the receiver
// has come so far.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "collectives/execute/device/notice.h"
#include "collectives/execute/device/notice_queue.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

/// A lane of calls that no schedule uses whose lanes wait: all answers of a rank to another go
/// there.
inline constexpr std::uint16_t kAnswerLane = transport::kFirstFreeLane - 1;

class Answers {
 public:
  /// `asked`: messages to the peer, of a call, that ask; `received`: all of the peer's. The
  /// endpoint is borrowed.
  Answers(transport::Endpoint& endpoint, std::size_t asked, std::size_t received);

  void reset();
  /// Answers the next message of the lane that asked.
  void give(const Notice& notice);
  /// True if anything moved. Errors: as Endpoint::post.
  Result<bool> pump();
  /// What was given is sent.
  bool idle() const { return !given_ || given_->idle(); }
  int peer() const { return endpoint_->peer(); }
  /// What came, in the order of the lane's messages.
  std::span<const Notice> of_lane(std::uint16_t lane) const;

 private:
  transport::Endpoint* endpoint_;
  std::size_t received_;
  std::optional<NoticeSender> given_;  ///< made when first asked
  NoticeReceiver come_;
  std::map<std::uint16_t, std::vector<Notice>> by_lane_;
};

}  // namespace rondo::execute
