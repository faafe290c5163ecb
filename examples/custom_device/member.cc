#include "examples/custom_device/member.h"

#include <algorithm>
#include <utility>

#include "examples/custom_device/failure.h"
#include "examples/custom_device/handles.h"

namespace custom_cpu {

int Member::end_group() {
  --depth_;
  return depth_ == 0 && stream_ != nullptr ? put() : done();
}

int Member::ask(rondo_plugin_stream stream, const Message& message) {
  group_.messages.push_back(message);
  return asked(stream);
}

/// All come, each does its share, and nobody goes before all have.
int Member::ask(rondo_plugin_stream stream, const Share& share, Work work) {
  group_.meetings.emplace_back([share, work = std::move(work)](const Seat& seat) {
    seat.meeting->lay_down(seat.rank, share);
    return seat.wait_for_all() && work(seat) && seat.wait_for_all();
  });
  return asked(stream);
}

int Member::asked(rondo_plugin_stream stream) {
  if (stream_ != nullptr && stream_ != stream) return failed("a group goes into one stream");
  stream_ = stream;
  return depth_ == 0 ? put() : done();
}

int Member::put() {
  Stream& stream = *own(std::exchange(stream_, nullptr));
  stream.add([seat = seat_, group = std::exchange(group_, {})] { return run(seat, group); });
  return done();
}

bool Member::run(const Seat& seat, const Group& group) {
  const bool whole = exchange(seat, group.messages) &&
                     std::all_of(group.meetings.begin(), group.meetings.end(),
                                 [&seat](const Work& meet) { return meet(seat); });
  if (!whole) seat.meeting->give_up();  // the others would wait for this rank
  return whole;
}

}  // namespace custom_cpu
