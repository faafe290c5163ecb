#pragma once

// Runs one lane of a plan on a device: for each sweep, segment by segment, waits until its
// messages' notices have come, and puts the work into the lane's stream behind the events that they
// name. The host never waits for the device here: it says what is to be done, and after what.
//
// A message's bytes stay where they are until its receiver has read them, so this is the direct
// channel of the verifier (collectives/verify): what a schedule may write and when has been proved
// for it, by the order that messages make; and each message is an event here that its receiver's
// stream waits for. Calls of the driver are what short calls are made of, so those that change
// nothing are left out: what lay there before the call has no event; what a peer has stored where
// it belongs is waited for with the lane's next work, and behind the last by the peer's goodbye;
// and an event with no work behind it is the next one, too.
//
// A lane that waits for a sweep of another waits, in its stream, for an event behind all that the
// other has put into its own by then; and for its peers' events behind what has read the sweep's
// messages. All of these are recorded before they are waited for, so that no streams wait in a
// ring.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "collectives/execute/device/device_call.h"
#include "collectives/execute/device/device_event.h"
#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::execute {

class DeviceLane {
 public:
  /// `call` is borrowed. Errors: Device, System (no stream, no events).
  static Result<DeviceLane> make(DeviceCall& call, std::size_t lane, bool exports_events);

  /// Begins a call; its work comes after `ready`, unless that is null. Errors: Device.
  Status begin(const detail::EventImpl* ready);
  /// Puts into the stream what can be put there; true if anything moved. `lanes`: all of the plan.
  /// Errors: those of the endpoints and of the device.
  Result<bool> step(std::span<DeviceLane> lanes);
  bool done() const { return sweep_ == sweeps_.size(); }
  std::uint32_t sweep() const { return sweep_; }
  /// The rank whose notice or answer the current sweep still lacks, or kNoCulprit.
  int waits_for() const;
  detail::StreamImpl& stream() const { return *stream_; }
  /// Of this call.
  bool has_work() const { return has_work_; }
  /// An event behind all that the lane has put into its stream. Errors: Device.
  Result<const DeviceEvent*> mark();
  /// What comes next is behind the other's work, too. Errors: Device.
  Status join(DeviceLane& other);
  template <typename Visit>
  void for_each_event(const Visit& visit) const {
    for (const DeviceEvent& event : events_) visit(event);
    for (const DeviceEvent& event : answer_events_) visit(event);
  }

 private:
  DeviceLane(DeviceCall& call, std::size_t lane);
  bool has_messages() const;
  bool can_go_on(std::span<const DeviceLane> lanes) const;
  bool is_answered(const LaneWaits::Awaited& awaited) const;
  Status wait_for_sweep(std::span<DeviceLane> lanes);
  Status enqueue();
  Status find_sources();
  Status check_size(const Notice& notice, int peer) const;
  Status find_targets();
  Status move();
  Status release_sources();
  Status tell();
  Status answer();
  Result<const DeviceEvent*> mark_for_answer();
  Status take(std::size_t receiver, const Notice& notice);
  Status wait_for_owed();
  Status before_work();
  Status wait_for(const detail::EventImpl& event);
  bool is_sent_far() const;
  void next();

  const BoundSweep& current() const { return sweeps_[sweep_]; }
  std::byte* memory(const BoundSlice& slice) const;
  BoundSlice payload() const;
  std::size_t offset() const { return segment_ * call_->plan.segment_bytes(); }
  std::size_t bytes() const;

  DeviceCall* call_;
  std::size_t lane_;
  bool exports_events_ = false;
  std::span<const BoundSweep> sweeps_;
  detail::StreamImpl* stream_ = nullptr;
  /// For each segment that is sent, each wait for this lane, and the end.
  std::vector<DeviceEvent> events_;
  std::deque<DeviceEvent> answer_events_;  ///< as many as there was need of
  std::uint32_t sweep_ = 0;
  std::uint32_t segment_ = 0;
  std::size_t recorded_ = 0;              ///< events of this call
  std::size_t answered_ = 0;              ///< of the others
  const DeviceEvent* latest_ = nullptr;   ///< of both
  bool has_work_ = false;                 ///< of this call, in the stream
  bool is_marked_ = false;                ///< the latest event is behind all of it
  std::vector<std::size_t> want_answer_;  ///< receivers of this segment's messages that ask
  struct Owed {
    std::size_t receiver;
    Notice notice;
  };
  std::vector<Owed> owed_;            ///< stored messages, not waited for yet
  bool already_here_ = false;         ///< the peer has stored this segment into its target
  std::vector<const void*> sources_;  ///< of this segment
  std::vector<void*> targets_;
  std::vector<char> stored_;  ///< by target port: the kernel stores into the peer's memory
};

}  // namespace rondo::execute
