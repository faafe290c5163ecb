#pragma once

// A rank of a communicator, and what it is asked for: in one go where it is a group.
// Threads: one at a time.

#include <rondo/device_plugin.h>

#include <functional>
#include <vector>

#include "examples/custom_device/meeting.h"
#include "examples/custom_device/messages.h"

namespace custom_cpu {

class Member {
 public:
  /// What a rank does of a collective once all have come; see shares.h.
  using Work = std::function<bool(const Seat&)>;

  explicit Member(const Seat& seat) : seat_(seat) {}
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  ~Member() { seat_.meeting->hide(); }

  const Seat& seat() const { return seat_; }
  void begin_group() { ++depth_; }
  /// What these return is what the table's functions do.
  int end_group();
  int ask(rondo_plugin_stream stream, const Message& message);
  int ask(rondo_plugin_stream stream, const Share& share, Work work);

 private:
  struct Group {
    std::vector<Message> messages;
    std::vector<Work> meetings;
  };
  static bool run(const Seat& seat, const Group& group);
  int asked(rondo_plugin_stream stream);
  int put();

  Seat seat_;
  int depth_ = 0;
  Group group_;
  rondo_plugin_stream stream_ = nullptr;  ///< null: nothing was asked for
};

}  // namespace custom_cpu
