#include "collectives/execute/device/device_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "collectives/execute/device/region.h"
#include "collectives/schedule/print.h"
#include "transport/wire/control.h"

namespace rondo::execute {

Result<std::unique_ptr<Runner>> DeviceRunner::make(const Plan& plan, DevicePlace& place,
                                                   kernels::DeviceReduceKernel kernel,
                                                   std::optional<DeviceWait> left_out) {
  std::unique_ptr<DeviceRunner> made(new DeviceRunner(plan, place, std::move(kernel)));
  made->call_.left_out = left_out;
  RONDO_TRY(made->call_.make_far_channels());
  const bool exports = !made->outside_.empty();
  for (std::size_t i = 0; i < plan.lanes().size(); ++i) {
    RONDO_ASSIGN(DeviceLane lane, DeviceLane::make(made->call_, i, exports));
    made->lanes_.push_back(std::move(lane));
  }
  RONDO_ASSIGN(made->last_, DeviceEvent::make(place, false));
  return std::unique_ptr<Runner>(std::move(made));
}

DeviceRunner::DeviceRunner(const Plan& plan, DevicePlace& place, kernels::DeviceReduceKernel kernel)
    : call_(plan, place, std::move(kernel)), given_(place.given()) {
  for (const DevicePeer& peer : call_.peers)
    if (!peer.is_far() && !peer.in_this_process()) outside_.push_back(peer.rank());
}

DeviceRunner::~DeviceRunner() {
  if (!called_ || outside_.empty()) return;
  std::vector<device::SharedHandle> handles;
  for (const DeviceLane& lane : lanes_)
    lane.for_each_event([&handles](const DeviceEvent& event) {
      if (event.handle().allocation != 0) handles.push_back(event.handle());
    });
  given_->take_back(outside_, handles);
}

void DeviceRunner::begin(const transport::Call& call, const Operands& operands) {
  call_.bases = {operands.input, operands.output, call_.plan.scratch().data()};
  for (SendingChannel& sender : call_.senders) sender.reset();
  for (ReceivingChannel& receiver : call_.receivers) receiver.reset();
  for (Answers& answers : call_.answers) answers.reset();
  for (transport::Endpoint* endpoint : call_.plan.endpoints()) endpoint->begin(call, {});
  phase_ = Phase::kMeeting;
  cause_.reset();
  turn_.begin(operands.ready);
  failure_ = begin_call(operands.ready);
}

Status DeviceRunner::begin_call(const detail::EventImpl* ready) {
  const Plan& plan = call_.plan;
  for (DeviceLane& lane : lanes_) RONDO_TRY(lane.begin(ready));
  const std::array<std::size_t, 3> bytes = {plan.input_bytes(), plan.output_bytes(),
                                            plan.scratch().size()};
  const bool exported = !outside_.empty();
  called_ = true;
  if (exported) given_->find_freed();
  for (std::size_t role = 0; role < bytes.size(); ++role) {
    RONDO_ASSIGN(regions_.list[role],
                 region_of(call_.place, call_.bases[role], bytes[role], exported));
  }
  for (DevicePeer& peer : call_.peers) {
    if (!peer.is_far()) RONDO_TRY(peer.begin(regions_));
  }
  return {};
}

Result<bool> DeviceRunner::step() {
  RONDO_TRY(failure_);
  if (turn_.comes()) return true;  // from here on it counts how long it takes
  if (cause_.is_sought()) {
    RONDO_TRY(cause_.look(peers(), rank()));
    return false;
  }
  auto moved = go_on();
  if (moved.ok()) return moved;
  RONDO_TRY(cause_.seek(std::move(moved).status(), peers(), rank()));
  return true;
}

Result<bool> DeviceRunner::go_on() {
  switch (phase_) {
    case Phase::kMeeting: return meet();
    case Phase::kEntering: return enter();
    case Phase::kRunning: return run();
    case Phase::kParting: return part();
    case Phase::kFinishing: return finish();
    case Phase::kFinished: return false;
  }
  return false;
}

Result<bool> DeviceRunner::meet() {
  bool moved = false;
  bool all_met = true;
  for (DevicePeer& peer : call_.peers) {
    if (peer.is_far()) continue;
    RONDO_ASSIGN(const bool peer_moved, peer.meet());
    moved = moved || peer_moved;
    all_met = all_met && peer.met();
  }
  if (all_met) {
    phase_ = Phase::kEntering;
    // Not before: what peers have freed is closed while they meet.
    if (!outside_.empty()) may_wait_ = stream().put_off_frees();
  }
  return moved || all_met;
}

Result<bool> DeviceRunner::enter() {
  // Looked at before the failure, which is known once it is over.
  const bool may_fail = std::ranges::any_of(
      lanes_, [this](const DeviceLane& lane) { return turn_.may_fail(lane.stream()); });
  RONDO_TRY(failure());
  if (may_fail) {
    for (transport::Endpoint* peer : peers()) RONDO_TRY(peer->verdict());
    return false;
  }
  phase_ = Phase::kRunning;
  return run();
}

/// What is known to have failed a lane's stream, which leaves out what it is given then.
Status DeviceRunner::failure() const {
  for (const DeviceLane& lane : lanes_) RONDO_TRY(lane.stream().failure());
  return {};
}

Result<bool> DeviceRunner::run() {
  bool moved = false;
  bool done = true;
  for (ReceivingChannel& receiver : call_.receivers) {
    RONDO_ASSIGN(const bool received, receiver.pump());
    moved = moved || received;
  }
  for (Answers& answers : call_.answers) {
    RONDO_ASSIGN(const bool told, answers.pump());
    moved = moved || told;
  }
  for (DeviceLane& lane : lanes_) {
    RONDO_ASSIGN(const bool enqueued, lane.step(lanes_));
    moved = moved || enqueued;
    done = done && lane.done();
  }
  RONDO_TRY(failure());
  for (SendingChannel& sender : call_.senders) {
    RONDO_ASSIGN(const bool sent, sender.pump());
    moved = moved || sent;
    done = done && sender.idle();
  }
  done = done && std::ranges::all_of(call_.answers, &Answers::idle);
  if (done) RONDO_TRY(say_goodbye());
  return moved || done;
}

Status DeviceRunner::say_goodbye() {
  RONDO_TRY(join_lanes());
  Notice goodbye;
  if (lanes_[0].has_work()) {
    RONDO_ASSIGN(const DeviceEvent* const end, lanes_[0].mark());
    goodbye = end->notice();
  }
  for (DevicePeer& peer : call_.peers) {
    if (!peer.is_far()) peer.goodbye.add(goodbye);
  }
  phase_ = Phase::kParting;
  return {};
}

/// The first lane's stream goes on behind all others.
Status DeviceRunner::join_lanes() {
  if (call_.left_out == DeviceWait::kLanes) return {};
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    if (lanes_[i].has_work()) RONDO_TRY(lanes_[0].join(lanes_[i]));
  }
  return {};
}

Result<bool> DeviceRunner::part() {
  bool moved = false;
  bool done = true;
  for (DevicePeer& peer : call_.peers) {
    if (peer.is_far()) continue;
    RONDO_ASSIGN(const bool sent, peer.goodbye.pump());
    RONDO_ASSIGN(const bool received, peer.their_goodbye.pump());
    moved = moved || sent || received;
    while (peer.their_goodbye.has_next()) RONDO_TRY(see_goodbye(peer));
    done = done && peer.goodbye.idle() && peer.their_goodbye.done();
  }
  if (!done) return moved;
  RONDO_TRY(last_->record_in(stream()));
  phase_ = Phase::kFinishing;
  return true;
}

/// The first of a peer's is one; the second says that mine has been seen.
Status DeviceRunner::see_goodbye(DevicePeer& peer) {
  const Notice notice = peer.their_goodbye.next();
  peer.their_goodbye.take();
  if (peer.their_goodbye.done()) return {};
  if (call_.left_out != DeviceWait::kGoodbye) RONDO_TRY(peer.wait(stream(), notice));
  RONDO_TRY(failure());
  peer.goodbye.add({});
  return {};
}

/// How all of the lanes' streams fared: they are done, or will never be.
Result<bool> DeviceRunner::finish() {
  if (!last_->event().done()) return false;
  RONDO_TRY(last_->event().wait());
  phase_ = Phase::kFinished;
  return true;
}

Status DeviceRunner::end(Status status, int rank) {
  // Whether it went well or not, nothing of this rank touches anybody's memory any more; and a peer
  // that stands still isn't waited for.
  if (!status.ok()) {
    if (phase_ == Phase::kMeeting && !transport::is_hearsay(status))
      status = explained(std::move(status));
    call_.place.abandon(status);
    // What comes of it is known: it is why they were given up.
    static_cast<void>(call_.place.synchronize());
  }
  may_wait_.reset();
  for (transport::Endpoint* endpoint : call_.plan.endpoints()) {
    if (status.ok()) status = endpoint->verdict();
    endpoint->end();
  }
  if (status.ok() || transport::is_hearsay(status)) return status;
  if (status.code() == ErrorCode::kDevice) status = std::move(status).with_culprit(rank);
  return std::move(status).at(where(rank));
}

/// What its deadline says of a call that a peer's memory can't be opened for.
Status DeviceRunner::explained(Status status) const {
  for (const DevicePeer& peer : call_.peers) {
    if (peer.has_told() && !peer.is_far()) status = peer.explained(std::move(status));
  }
  return status;
}

int DeviceRunner::waits_for() const {
  if (phase_ == Phase::kEntering) return kNoCulprit;
  if (phase_ == Phase::kMeeting) {
    for (const DevicePeer& peer : call_.peers) {
      if (!peer.is_far() && !peer.has_told()) return peer.rank();
    }
    return kNoCulprit;
  }
  for (const DeviceLane& lane : lanes_) {
    if (const int peer = lane.waits_for(); peer != kNoCulprit) return peer;
  }
  for (const SendingChannel& sender : call_.senders) {
    if (!sender.idle()) return sender.peer();
  }
  for (const Answers& answers : call_.answers) {
    if (!answers.idle()) return answers.peer();
  }
  for (const DevicePeer& peer : call_.peers) {
    const bool parts = phase_ == Phase::kParting && !peer.is_far();
    if (parts && !peer.their_goodbye.done()) return peer.rank();
  }
  return kNoCulprit;
}

void DeviceRunner::arm(const std::shared_ptr<Bell>& bell) {
  for (SendingChannel& sender : call_.senders) sender.arm(bell);
  for (ReceivingChannel& receiver : call_.receivers) receiver.arm(bell);
  if (phase_ == Phase::kEntering) turn_.ring_when_it_comes(bell);
  if (phase_ == Phase::kFinishing) last_->ring_when_reached(bell);
}

std::string DeviceRunner::where(int rank) const {
  std::string text = fmt::format("rank {}", rank);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].done()) continue;
    text += ", " + schedule::describe_sweep(call_.plan.schedule(), i, lanes_[i].sweep());
  }
  return text;
}

}  // namespace rondo::execute
