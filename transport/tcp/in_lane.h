#pragma once

// One lane's receives and the messages for them, by number: the n-th receive takes the n-th
// message, whichever connection brings it and whichever of the two is there first. Receives
// complete in order, although messages may arrive in any. Threads: one at a time. Allocates only
// while the queue grows.

#include <cstddef>
#include <cstdint>

#include "transport/endpoint/call.h"
#include "transport/endpoint/staging.h"
#include "transport/tcp/fifo.h"

namespace rondo::transport {

struct PostedReceive {
  bool view = false;  ///< to be lent: staging memory of `group`, not `data`
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::uint32_t group = 0;
};

class InLane {
 public:
  enum class Message : std::uint8_t {
    kAwaited,  ///< nothing of it has come
    kComing,   ///< a connection is bringing it to its place
    kStaged,   ///< complete, in staging memory `slot`
    kArrived,  ///< complete, and where its receive wants it
  };
  struct Entry {
    PostedReceive receive;
    bool posted = false;
    Message message = Message::kAwaited;
    std::uint32_t slot = Staging::kNone;
    std::size_t bytes = 0;
    Call call;
  };

  /// The entry of the next receive, now posted.
  Entry& post(const PostedReceive& receive) {
    Entry& entry = at(posted_++);
    entry.receive = receive;
    entry.posted = true;
    return entry;
  }
  /// A receive that nobody has posted takes message `number`, at once: true where it is the next
  /// one's, and nothing of it has come.
  bool pass(std::uint32_t number) {
    if (posted_ != 0 || ahead(number) != 0) return false;
    if (!entries_.empty()) {
      if (entries_.front().message != Message::kAwaited) return false;
      entries_.pop();
    }
    ++completed_;
    return true;
  }
  /// How far message `number` (modulo 2^32) is ahead of the first that hasn't completed.
  std::size_t ahead(std::uint32_t number) const {
    return static_cast<std::uint32_t>(number - static_cast<std::uint32_t>(completed_));
  }
  /// That message's entry; made if it has none.
  Entry& at(std::size_t ahead) {
    while (entries_.size() <= ahead) entries_.push({});
    return entries_[ahead];
  }
  /// The first message that hasn't completed is there, and nobody has posted its receive.
  bool has_staged() const {
    return !entries_.empty() && !entries_.front().posted &&
           entries_.front().message == Message::kStaged;
  }
  /// The group of the first receive if its message has arrived, which completes it.
  bool complete(std::uint32_t& group) {
    if (entries_.empty() || entries_.front().message != Message::kArrived) return false;
    group = entries_.front().receive.group;
    entries_.pop();
    --posted_;
    ++completed_;
    return true;
  }
  /// Receives that have completed since the beginning.
  std::uint64_t completed() const { return completed_; }

 private:
  Fifo<Entry> entries_;  // from the first receive or message that hasn't completed
  std::size_t posted_ = 0;
  std::uint64_t completed_ = 0;
};

}  // namespace rondo::transport
