#include "collectives/execute/device/kernel_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "collectives/execute/device/region.h"
#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

using kernels::cuda::ScheduleCall;
using kernels::cuda::SchedulePeer;

/// Between two questions to the driver: 50 us at a counter of 2 GHz, 4 ms at Arm's slowest.
constexpr Ticks kQuestionTicks = 100'000;

template <class T>
Result<DeviceBytes> copy_of(DevicePlace& place, const std::vector<T>& items) {
  const std::size_t bytes = std::max<std::size_t>(items.size(), 1) * sizeof(T);
  RONDO_ASSIGN(DeviceBytes memory, allocate_on(place, bytes));
  if (!items.empty()) RONDO_TRY(fill(place, memory.get(), items.data(), items.size() * sizeof(T)));
  return memory;
}

/// As many as have something to do in the largest step, out of the rank's share.
std::uint32_t blocks_per_lane(const KernelProgram& program, std::uint32_t most) {
  constexpr std::size_t kBlockBytes = 16384;  // a tile
  std::uint64_t largest_bytes = 0;
  for (const auto& step : program.steps) largest_bytes = std::max(largest_bytes, step.bytes);
  const auto lanes = static_cast<std::uint32_t>(std::max<std::size_t>(program.lanes.size(), 1));
  const std::size_t wanted = (largest_bytes + kBlockBytes - 1) / kBlockBytes;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 1, std::max(1U, most / lanes)));
}

}  // namespace

Result<std::unique_ptr<Runner>> KernelRunner::make(const Plan& plan, DevicePlace& place,
                                                   KernelMail& mail,
                                                   kernels::DeviceScheduleKernel kernel) {
  std::unique_ptr<KernelRunner> made(new KernelRunner(plan, place, mail, std::move(kernel)));
  RONDO_ASSIGN(made->stream_, place.stream(0));
  RONDO_ASSIGN(const KernelProgram program, KernelProgram::of(plan));
  RONDO_TRY(made->upload(program));
  RONDO_TRY(mail.reserve(program.stride));
  RONDO_ASSIGN(made->last_, DeviceEvent::make(place, false));
  const schedule::Request& request = plan.schedule().request;
  ScheduleCall& call = made->call_;
  call.rank = static_cast<std::uint32_t>(request.rank);
  call.world = static_cast<std::uint32_t>(request.world);
  call.lane_count = static_cast<std::uint32_t>(program.lanes.size());
  call.blocks_per_lane = blocks_per_lane(program, mail.blocks());
  return std::unique_ptr<Runner>(std::move(made));
}

KernelRunner::KernelRunner(const Plan& plan, DevicePlace& place, KernelMail& mail,
                           kernels::DeviceScheduleKernel kernel)
    : plan_(plan), place_(place), mail_(mail), kernel_(std::move(kernel)) {
  for (transport::Endpoint* endpoint : plan.endpoints()) peers_.push_back({.endpoint = endpoint});
  call_.divisor = plan.divisor();
  call_.element_bytes = static_cast<std::uint32_t>(plan.element_bytes());
  call_.peer_count = static_cast<std::uint32_t>(peers_.size());
}

Status KernelRunner::upload(const KernelProgram& program) {
  RONDO_ASSIGN(lanes_, copy_of(place_, program.lanes));
  RONDO_ASSIGN(steps_, copy_of(place_, program.steps));
  RONDO_ASSIGN(ports_, copy_of(place_, program.ports));
  call_.lanes = static_cast<const kernels::cuda::ScheduleLane*>(lanes_.get());
  call_.steps = static_cast<const kernels::cuda::ScheduleStep*>(steps_.get());
  call_.ports = static_cast<const kernels::cuda::SchedulePort*>(ports_.get());
  return {};
}

void KernelRunner::begin(const transport::Call& call, const Operands& operands) {
  for (Peer& peer : peers_) {
    peer.endpoint->begin(call, {});
    peer.meeting = peer.parting = {};
  }
  turn_.begin(operands.ready);
  capture_ = operands.capture;
  phase_ = Phase::kMeeting;
  cause_.reset();
  failure_ = begin_call(operands);
}

Status KernelRunner::begin_call(const Operands& operands) {
  if (operands.ready != nullptr) RONDO_TRY(stream_->wait(*operands.ready));
  const bool exported = has_peer_outside();
  if (exported) place_.given()->find_freed();
  const std::array<std::pair<const void*, std::size_t>, 3> buffers = {
      {{operands.input, plan_.input_bytes()},
       {operands.output, plan_.output_bytes()},
       {plan_.scratch().data(), plan_.scratch().size()}}};
  for (std::size_t role = 0; role < buffers.size(); ++role) {
    const auto& [memory, bytes] = buffers[role];
    RONDO_ASSIGN(own_.bases[role], region_of(place_, memory, bytes, exported));
  }
  const KernelMail::Letters letters = mail_.letters();
  RONDO_ASSIGN(own_.mail,
               region_of(place_, letters.first, mail_.letters_bytes(letters.stride), exported));
  RONDO_ASSIGN(own_.goodbyes,
               region_of(place_, mail_.goodbyes(), mail_.goodbyes_bytes(), exported));
  own_.stride = letters.stride;
  own_.captured = operands.capture != nullptr ? 1 : 0;
  for (Peer& peer : peers_) RONDO_TRY(introduce(peer));
  return {};
}

Status KernelRunner::introduce(Peer& peer) {
  peer.mine = own_;
  peer.opening.begin(peer.in_this_process());
  if (peer.in_this_process()) {
    peer.closing.begin_with_neighbour();
  } else {
    const int rank = peer.endpoint->peer();
    for (const Region& region : own_.bases) place_.given()->give(rank, region.handle);
    for (const Region* region : {&own_.mail, &own_.goodbyes})
      place_.given()->give(rank, region->handle);
    const Closing::Told told = peer.closing.begin(place_, rank);
    peer.mine.gone = told.gone;
    peer.mine.closed = told.closed;
  }
  RONDO_TRY(peer.meeting.hear(*peer.endpoint, &peer.theirs, sizeof(peer.theirs)));
  return peer.meeting.tell(*peer.endpoint, &peer.mine, sizeof(peer.mine));
}

Result<bool> KernelRunner::step() {
  RONDO_TRY(failure_);
  if (turn_.comes()) return true;  // from here on it counts how long it takes
  const int rank = static_cast<int>(call_.rank);
  if (cause_.is_sought()) {
    RONDO_TRY(cause_.look(peers(), rank));
    return false;
  }
  auto moved = go_on();
  if (moved.ok()) return moved;
  RONDO_TRY(cause_.seek(std::move(moved).status(), peers(), rank));
  return true;
}

Result<bool> KernelRunner::go_on() {
  switch (phase_) {
    case Phase::kMeeting: return meet();
    case Phase::kEntering: return enter();
    case Phase::kRunning: return run();
    case Phase::kParting: return part();
    case Phase::kFinished: return false;
  }
  return false;
}

Result<bool> KernelRunner::meet() {
  bool moved = false;
  bool all_met = true;
  for (Peer& peer : peers_) {
    RONDO_ASSIGN(const bool peer_moved, peer.meeting.poll(*peer.endpoint));
    RONDO_ASSIGN(const bool closed,
                 peer.closing.step(place_, *peer.endpoint, peer.meeting,
                                   {.gone = peer.theirs.gone, .closed = peer.theirs.closed}));
    RONDO_ASSIGN(const bool can_open, look_for_memory(peer));
    moved = moved || peer_moved || closed;
    all_met = all_met && can_open;
  }
  if (all_met) phase_ = Phase::kEntering;
  return moved || all_met;
}

/// Whether its memories can be opened: once it has told of them, and what is gone is closed.
Result<bool> KernelRunner::look_for_memory(Peer& peer) {
  if (!peer.has_told()) return false;
  if (peer.opening.done()) return true;
  std::array<Region, 5> regions{};
  const auto rest = std::ranges::copy(peer.theirs.bases, regions.begin()).out;
  std::ranges::copy(std::array{peer.theirs.mail, peer.theirs.goodbyes}, rest);
  return peer.opening.look(place_, regions, peer.endpoint->peer());
}

/// What has failed the stream has failed it before its turn: the peers have not been told anything
/// yet. Their kernels would take what this one's sends them for good.
Result<bool> KernelRunner::enter() {
  // Looked at before the failure, which is known once it is over.
  const bool may_fail = turn_.may_fail(*stream_);
  RONDO_TRY(stream_->failure());
  if (!may_fail) return launch();
  for (transport::Endpoint* peer : peers()) RONDO_TRY(peer->verdict());
  return false;
}

Result<bool> KernelRunner::launch() {
  // Before anything is opened: no memory that is to be opened again begins to be closed meanwhile.
  std::shared_ptr<void> may_wait = stream_->put_off_frees();
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    Peer& peer = peers_[i];
    RONDO_TRY(check_peer(peer));
    RONDO_TRY(see(peer, call_.peers[i]));
    // Heard at the end, and in between what became of a peer.
    RONDO_TRY(peer.parting.hear(*peer.endpoint, &peer.their_end, sizeof(peer.their_end)));
  }
  std::ranges::transform(own_.bases, call_.bases, &Region::address);
  // As peers have been told, whatever has been made meanwhile.
  call_.mail = reinterpret_cast<kernels::cuda::Letter*>(own_.mail.address);
  call_.stride = own_.stride;
  call_.goodbyes = mail_.goodbyes();
  call_.state = mail_.state();
  call_.words = &mail_.words();
  call_.number = capture_ == nullptr ? mail_.number_call() : 0;
  asked_ = ticks_now();
  if (call_.lane_count != 0) {
    if (capture_ == nullptr) may_wait_ = std::move(may_wait);
    RONDO_TRY(kernel_(capture_ != nullptr ? *capture_ : *stream_, call_));
  }
  if (capture_ == nullptr) RONDO_TRY(last_->record_in(*stream_));
  phase_ = Phase::kRunning;
  return true;
}

Status KernelRunner::check_peer(const Peer& peer) const {
  if (peer.theirs.captured != own_.captured) {
    return Status(ErrorCode::kMismatch,
                  fmt::format("rank {} {} the call in a graph and rank {} {}", call_.rank,
                              own_.captured != 0 ? "captures" : "doesn't capture",
                              peer.endpoint->peer(), own_.captured != 0 ? "doesn't" : "does"),
                  peer.endpoint->peer());
  }
  return {};
}

bool KernelRunner::has_peer_outside() const {
  return !std::ranges::all_of(peers_, &Peer::in_this_process);
}

/// Where a peer's memories are seen from here.
Status KernelRunner::see(const Peer& peer, SchedulePeer& seen) {
  const int rank = peer.endpoint->peer();
  const RegionOf of{
      .peer = rank, .in_this_process = peer.in_this_process(), .for_good = capture_ != nullptr};
  const auto open = [&](const Region& region) -> Result<std::byte*> {
    // Memory of its own device needs no asking.
    if (of.in_this_process && region.handle.index == place_.device().index)
      return reinterpret_cast<std::byte*>(region.address);
    return open_region(place_, region, of);
  };
  for (std::size_t role = 0; role < peer.theirs.bases.size(); ++role) {
    RONDO_ASSIGN(const std::byte* const base, open(peer.theirs.bases[role]));
    seen.bases[role] = reinterpret_cast<std::uint64_t>(base);
  }
  RONDO_ASSIGN(std::byte* const mail, open(peer.theirs.mail));
  RONDO_ASSIGN(std::byte* const goodbyes, open(peer.theirs.goodbyes));
  seen.mail = reinterpret_cast<kernels::cuda::Letter*>(mail);
  seen.goodbyes = reinterpret_cast<std::uint32_t*>(goodbyes);
  seen.stride = peer.theirs.stride;
  seen.rank = static_cast<std::uint32_t>(rank);
  return {};
}

Result<bool> KernelRunner::run() {
  for (Peer& peer : peers_) RONDO_TRY(peer.parting.poll(*peer.endpoint).status());
  RONDO_TRY(stream_->failure());
  if (capture_ == nullptr) {
    RONDO_ASSIGN(const bool ended, has_ended());
    if (!ended) return false;
    may_wait_.reset();
    RONDO_TRY(stream_->failure());
    RONDO_TRY(what_the_kernel_says());
  }
  for (Peer& peer : peers_)
    RONDO_TRY(peer.parting.tell(*peer.endpoint, &own_end_, sizeof(own_end_)));
  phase_ = Phase::kParting;
  return true;
}

/// By the kernel's word, and now and then by the stream: a kernel that fails says nothing.
Result<bool> KernelRunner::has_ended() {
  if (call_.lane_count != 0 && mail_.has_ended(call_.number)) return true;
  const Ticks now = ticks_now();
  const bool asks =
      call_.lane_count == 0 || now - asked_ >= kQuestionTicks || mail_.differs_from() != kNoCulprit;
  if (!asks) return false;
  asked_ = now;
  if (!last_->event().done()) return false;
  RONDO_TRY(last_->event().wait());  // how the stream fared
  return true;
}

Status KernelRunner::what_the_kernel_says() const {
  const int peer = mail_.differs_from();
  if (peer == kNoCulprit) return {};
  return Status(
      ErrorCode::kMismatch,
      fmt::format("rank {} sent another number of bytes than rank {} expected", peer, call_.rank),
      peer);
}

Result<bool> KernelRunner::part() {
  bool moved = false;
  bool done = true;
  for (Peer& peer : peers_) {
    RONDO_ASSIGN(const bool peer_moved, peer.parting.poll(*peer.endpoint));
    moved = moved || peer_moved;
    done = done && peer.parting.done();
  }
  if (done) phase_ = Phase::kFinished;
  return moved || done;
}

Status KernelRunner::end(Status status, int rank) {
  if (!status.ok()) {
    if (phase_ == Phase::kMeeting && !transport::is_hearsay(status))
      status = explained(std::move(status));
    mail_.give_up();
    wait_for_the_kernel();
    place_.abandon(status);
    // What comes of it is known: it is why they were given up.
    static_cast<void>(place_.synchronize());
  }
  may_wait_.reset();
  for (Peer& peer : peers_) {
    if (status.ok()) status = peer.endpoint->verdict();
    peer.endpoint->end();
  }
  if (status.ok() || transport::is_hearsay(status)) return status;
  if (status.code() == ErrorCode::kDevice) status = std::move(status).with_culprit(rank);
  return std::move(status).at(fmt::format("rank {}, in the kernel of the call", rank));
}

/// What its deadline says of a call that a peer's memory can't be opened for.
Status KernelRunner::explained(Status status) const {
  for (const Peer& peer : peers_) {
    if (peer.has_told())
      status = peer.opening.explained(std::move(status), place_, peer.endpoint->peer());
  }
  return status;
}

/// It sees that it is to give up, unless the stream never came to it.
void KernelRunner::wait_for_the_kernel() {
  constexpr auto kLongEnough = std::chrono::seconds(1);
  const auto until = std::chrono::steady_clock::now() + kLongEnough;
  while (!last_->event().done() && std::chrono::steady_clock::now() < until) {
    // house-allow(sleep): the device tells nobody that it is done.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void KernelRunner::arm(const std::shared_ptr<Bell>& bell) {
  if (phase_ == Phase::kEntering) turn_.ring_when_it_comes(bell);
  if (phase_ != Phase::kRunning || capture_ != nullptr) return;
  last_->ring_when_reached(bell);
  asked_ = 0;  // so that the stream is asked once that has rung
}

int KernelRunner::waits_for() const {
  for (const Peer& peer : peers_) {
    if (phase_ == Phase::kMeeting && !peer.has_told()) return peer.endpoint->peer();
    if (phase_ == Phase::kParting && !peer.parting.heard()) return peer.endpoint->peer();
  }
  return phase_ == Phase::kRunning ? mail_.waits_for() : kNoCulprit;
}

}  // namespace rondo::execute
