#include "collectives/execute/device/device_lane.h"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::execute {
namespace {

bool sends(const BoundSweep& sweep) {
  return std::ranges::any_of(sweep.targets, [](const BoundPort& port) { return port.is_channel; });
}

}  // namespace

Result<DeviceLane> DeviceLane::make(DeviceCall& call, std::size_t lane, bool exports_events) {
  DeviceLane made(call, lane);
  RONDO_ASSIGN(made.stream_, call.place.stream(lane));
  made.exports_events_ = exports_events;
  std::size_t events = call.waits.for_lane(lane);
  for (const BoundSweep& sweep : made.sweeps_)
    if (sends(sweep)) events += sweep.segments;
  for (std::size_t i = 0; i < events; ++i) {
    RONDO_ASSIGN(DeviceEvent event, DeviceEvent::make(call.place, exports_events));
    made.events_.push_back(std::move(event));
  }
  // The first lane's end is this rank's goodbye.
  RONDO_ASSIGN(DeviceEvent end, DeviceEvent::make(call.place, exports_events && lane == 0));
  made.events_.push_back(std::move(end));
  return made;
}

DeviceLane::DeviceLane(DeviceCall& call, std::size_t lane)
    : call_(&call), lane_(lane), sweeps_(call.plan.lanes()[lane]) {}

Status DeviceLane::begin(const detail::EventImpl* ready) {
  sweep_ = segment_ = 0;
  recorded_ = answered_ = 0;
  latest_ = nullptr;
  has_work_ = is_marked_ = false;
  owed_.clear();
  if (ready == nullptr || call_->left_out == DeviceWait::kReady) return {};
  return wait_for(*ready);
}

/// What is put into the stream next comes behind what is owed, and behind no event yet.
Status DeviceLane::before_work() {
  RONDO_TRY(wait_for_owed());
  has_work_ = true;
  is_marked_ = false;
  return {};
}

Status DeviceLane::wait_for_owed() {
  if (owed_.empty()) return {};
  for (const Owed& owed : owed_)
    RONDO_TRY(call_->receiver_peer(owed.receiver).wait(*stream_, owed.notice));
  owed_.clear();
  has_work_ = true;
  is_marked_ = false;
  return {};
}

Status DeviceLane::wait_for(const detail::EventImpl& event) {
  RONDO_TRY(before_work());
  return stream_->wait(event);
}

Result<const DeviceEvent*> DeviceLane::mark() {
  if (!is_marked_) {
    latest_ = &events_[recorded_++];
    RONDO_TRY(stream_->record(latest_->event()));
  }
  is_marked_ = true;
  return latest_;
}

/// Nobody knows before how many messages ask, and mostly none does.
Result<const DeviceEvent*> DeviceLane::mark_for_answer() {
  if (is_marked_) return latest_;
  if (answered_ == answer_events_.size()) {
    RONDO_ASSIGN(DeviceEvent made, DeviceEvent::make(call_->place, exports_events_));
    answer_events_.push_back(std::move(made));
  }
  latest_ = &answer_events_[answered_++];
  RONDO_TRY(stream_->record(latest_->event()));
  is_marked_ = true;
  return latest_;
}

Status DeviceLane::join(DeviceLane& other) {
  RONDO_ASSIGN(const DeviceEvent* const end, other.mark());
  return wait_for(end->event());
}

Result<bool> DeviceLane::step(std::span<DeviceLane> lanes) {
  bool moved = false;
  while (!done() && can_go_on(lanes)) {
    RONDO_TRY(current().is_wait ? wait_for_sweep(lanes) : enqueue());
    next();
    moved = true;
  }
  return moved;
}

bool DeviceLane::can_go_on(std::span<const DeviceLane> lanes) const {
  if (!current().is_wait) return has_messages();
  return lanes[current().wait_lane].sweep() > current().wait_sweep &&
         std::ranges::all_of(call_->waits.of(lane_, sweep_),
                             [this](const auto& awaited) { return is_answered(awaited); });
}

bool DeviceLane::is_answered(const LaneWaits::Awaited& awaited) const {
  const std::uint16_t lane = call_->plan.senders()[awaited.channel].lane;
  return call_->sender_answers(awaited.channel).of_lane(lane).size() >= awaited.answers;
}

Status DeviceLane::wait_for_sweep(std::span<DeviceLane> lanes) {
  const auto& wait = current();
  DeviceLane& other = lanes[wait.wait_lane];
  if (&other != this && call_->left_out != DeviceWait::kSweep) {
    RONDO_TRY(other.wait_for_owed());
    if (other.has_work()) RONDO_TRY(join(other));
  }
  if (call_->left_out == DeviceWait::kAnswer) return {};
  for (const auto& [channel, answers] : call_->waits.of(lane_, sweep_)) {
    const auto lane = static_cast<std::uint16_t>(wait.wait_lane);
    const Notice& last = call_->sender_answers(channel).of_lane(lane)[answers - 1];
    if (!last.has_event) continue;
    RONDO_TRY(before_work());
    RONDO_TRY(call_->sender_peer(channel).wait(*stream_, last));
  }
  return {};
}

bool DeviceLane::has_messages() const {
  return std::ranges::all_of(current().sources, [this](const BoundPort& port) {
    return !port.is_channel || call_->receivers[port.channel].has_next();
  });
}

Status DeviceLane::enqueue() {
  RONDO_TRY(find_sources());
  RONDO_TRY(find_targets());
  RONDO_TRY(move());
  RONDO_TRY(release_sources());
  RONDO_TRY(tell());
  return answer();
}

/// Where they lie; and the stream waits until they are there.
Status DeviceLane::find_sources() {
  sources_.clear();
  want_answer_.clear();
  already_here_ = false;
  for (const BoundPort& port : current().sources) {
    if (!port.is_channel) {
      sources_.push_back(memory(port.slice));
      continue;
    }
    ReceivingChannel& channel = call_->receivers[port.channel];
    if (channel.far) {
      sources_.push_back(channel.far->next());
      continue;
    }
    NoticeReceiver& receiver = channel.near;
    DevicePeer& peer = call_->receiver_peer(port.channel);
    const Notice notice = receiver.next();
    receiver.take();
    RONDO_TRY(check_size(notice, peer.rank()));
    if (notice.asks) want_answer_.push_back(port.channel);
    RONDO_TRY(take(port.channel, notice));
    already_here_ = already_here_ || notice.stored;
    if (notice.stored || bytes() == 0) {
      sources_.push_back(nullptr);
      continue;
    }
    RONDO_ASSIGN(const std::byte* source, peer.memory(notice.role, notice.offset, bytes()));
    sources_.push_back(source);
  }
  return {};
}

/// The stream waits for a peer's bytes; for those that lie here already, before it does more.
Status DeviceLane::take(std::size_t receiver, const Notice& notice) {
  if (!notice.has_event || call_->left_out == DeviceWait::kMessage) return {};
  if (notice.stored) {
    owed_.push_back({receiver, notice});
    return {};
  }
  RONDO_TRY(before_work());
  return call_->receiver_peer(receiver).wait(*stream_, notice);
}

/// Those of other hosts may be received into again once the stream has come so far.
Status DeviceLane::release_sources() {
  for (const BoundPort& port : current().sources) {
    if (!port.is_channel || !call_->receivers[port.channel].far) continue;
    RONDO_TRY(call_->receivers[port.channel].far->take(*stream_));
  }
  return {};
}

/// Where ranks' parts have sizes of their own, the two of a message may differ about them.
Status DeviceLane::check_size(const Notice& notice, int peer) const {
  if (notice.bytes == bytes()) return {};
  return Status(ErrorCode::kMismatch,
                fmt::format("rank {} sent {} bytes where rank {} expected {}", peer, notice.bytes,
                            call_->plan.schedule().request.rank, bytes()),
                peer);
}

/// Of a reducing sweep also the peers' memory; moved bytes are read by their receivers. What goes
/// to other hosts is put where it is sent from.
Status DeviceLane::find_targets() {
  const BoundSweep& sweep = current();
  targets_.clear();
  stored_.assign(sweep.targets.size(), 0);
  for (const BoundPort& port : sweep.targets) {
    if (!port.is_channel) targets_.push_back(memory(port.slice));
  }
  if (sweep.sources.size() < 2 || bytes() == 0) return {};
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    const BoundPort& port = sweep.targets[i];
    if (!port.direct || call_->senders[port.channel].far) continue;
    DevicePeer& peer = call_->sender_peer(port.channel);
    RONDO_ASSIGN(std::byte * store,
                 peer.memory(port.slice.role, port.slice.offset + offset(), bytes()));
    targets_.push_back(store);
    stored_[i] = 1;
  }
  return {};
}

Status DeviceLane::move() {
  if (bytes() == 0 || targets_.empty() || already_here_) return {};
  RONDO_TRY(before_work());
  if (sources_.size() > 1) {
    return call_->kernel(*stream_, {.sources = sources_,
                                    .targets = targets_,
                                    .count = bytes() / call_->plan.element_bytes(),
                                    .divisor = current().final ? call_->plan.divisor() : 1});
  }
  for (void* target : targets_) {
    if (target != sources_[0]) RONDO_TRY(stream_->copy(target, sources_[0], bytes()));
  }
  return {};
}

Status DeviceLane::tell() {
  const BoundSweep& sweep = current();
  if (!sends(sweep)) return {};
  RONDO_TRY(wait_for_owed());
  const DeviceEvent* event = nullptr;
  if (has_work_ || is_sent_far()) {
    RONDO_ASSIGN(event, mark());
  }
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    if (!sweep.targets[i].is_channel) continue;
    SendingChannel& channel = call_->senders[sweep.targets[i].channel];
    if (channel.far) {
      channel.far->add(*event, memory(payload()));
      continue;
    }
    Notice notice = event != nullptr ? event->notice() : Notice{};
    notice.role = payload().role;
    notice.offset = payload().offset + offset();
    notice.bytes = bytes();
    notice.stored = stored_[i] != 0;
    notice.asks = call_->waits.is_awaited(lane_, sweep_);
    channel.near.add(notice);
  }
  return {};
}

/// Of what peers have stored here, too: whoever hears of it may count on that.
Status DeviceLane::answer() {
  if (want_answer_.empty()) return {};
  RONDO_TRY(wait_for_owed());
  Notice notice;
  if (has_work_) {
    RONDO_ASSIGN(const DeviceEvent* const event, mark_for_answer());
    notice = event->notice();
  }
  notice.lane = static_cast<std::uint16_t>(lane_);
  for (const std::size_t receiver : want_answer_) call_->receiver_answers(receiver).give(notice);
  return {};
}

bool DeviceLane::is_sent_far() const {
  return std::ranges::any_of(current().targets, [this](const BoundPort& port) {
    return port.is_channel && call_->senders[port.channel].far.has_value();
  });
}

void DeviceLane::next() {
  if (++segment_ < current().segments) return;
  segment_ = 0;
  ++sweep_;
}

int DeviceLane::waits_for() const {
  if (done()) return kNoCulprit;
  if (current().is_wait) {
    for (const auto& awaited : call_->waits.of(lane_, sweep_))
      if (!is_answered(awaited)) return call_->senders[awaited.channel].peer();
  }
  for (const BoundPort& port : current().sources) {
    if (!port.is_channel) continue;
    const ReceivingChannel& receiver = call_->receivers[port.channel];
    if (!receiver.has_next()) return receiver.peer();
  }
  return kNoCulprit;
}

/// Where a sent segment's bytes lie: the sweep's memory target, or for a plain send its source.
BoundSlice DeviceLane::payload() const {
  for (const BoundPort& port : current().targets) {
    if (!port.is_channel) return port.slice;
  }
  return current().sources.front().slice;
}

std::byte* DeviceLane::memory(const BoundSlice& slice) const {
  return call_->bases[static_cast<std::size_t>(slice.role)] + slice.offset + offset();
}

std::size_t DeviceLane::bytes() const {
  return std::min(call_->plan.segment_bytes(), current().bytes - offset());
}

}  // namespace rondo::execute
