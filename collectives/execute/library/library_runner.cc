#include "collectives/execute/library/library_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/wire/control.h"

namespace rondo::execute {

Result<std::unique_ptr<Runner>> LibraryRunner::make(std::unique_ptr<LibraryWork> work,
                                                    LibraryMember& member, DevicePlace& place,
                                                    std::span<transport::Endpoint* const> endpoints,
                                                    bool compares_sizes) {
  const int rank = work->rank();
  const auto world = static_cast<int>(endpoints.size());
  std::unique_ptr<LibraryRunner> made(new LibraryRunner(std::move(work), member, place));
  made->compares_sizes_ = compares_sizes;
  RONDO_ASSIGN(made->stream_, place.stream(0));
  RONDO_ASSIGN(made->last_, DeviceEvent::make(place, false));
  const auto of = [&](int peer) { return endpoints[static_cast<std::size_t>(peer)]; };
  made->previous_ = of((rank + world - 1) % world);
  made->next_ = of((rank + 1) % world);
  for (int peer = 0; peer < world; ++peer) {
    if (peer != rank) made->everyone_.push_back(of(peer));
    const bool is_neighbour = of(peer) == made->previous_ || of(peer) == made->next_;
    if (peer == rank || (!is_neighbour && world > kMostIntroduced && !compares_sizes)) continue;
    made->endpoints_.push_back(of(peer));
    made->peers_.push_back({.endpoint = of(peer)});
  }
  return std::unique_ptr<Runner>(std::move(made));
}

LibraryRunner::LibraryRunner(std::unique_ptr<LibraryWork> work, LibraryMember& member,
                             DevicePlace& place)
    : work_(std::move(work)), member_(member), place_(place) {}

void LibraryRunner::begin(const transport::Call& call, const Operands& operands) {
  for (Peer& peer : peers_) {
    peer.endpoint->begin(call, {});
    peer.meeting = peer.parting = {};
    peer.compared = false;
  }
  operands_ = operands;
  work_->begin(operands.input, operands.output);
  turn_.begin(operands.ready);
  phase_ = Phase::kJoining;
  failed_ = {};
  failure_ = begin_call();
}

/// All that is heard is asked for at once, in the order in which peers tell it.
Status LibraryRunner::begin_call() {
  if (operands_.ready != nullptr) RONDO_TRY(stream_->wait(*operands_.ready));
  for (Peer& peer : peers_) {
    peer.mine.count_for_you = work_->sent_to(peer.endpoint->peer());
    peer.mine.captured = operands_.capture != nullptr ? 1 : 0;
    RONDO_TRY(peer.meeting.hear(*peer.endpoint, &peer.theirs, sizeof(peer.theirs)));
    RONDO_TRY(peer.meeting.tell(*peer.endpoint, &peer.mine, sizeof(peer.mine)));
  }
  if (!member_.joined()) RONDO_TRY(member_.begin(*previous_));
  for (Peer& peer : peers_)
    RONDO_TRY(peer.parting.hear(*peer.endpoint, &peer.their_end, sizeof(peer.their_end)));
  return {};
}

Result<bool> LibraryRunner::step() {
  RONDO_TRY(failure_);
  if (turn_.comes()) return true;  // from here on it counts how long it takes
  RONDO_ASSIGN(const bool heard, hear_peers());
  if (failed_.ok()) {
    auto moved = go_on();
    if (moved.ok()) return heard || *moved;
    RONDO_TRY(or_cause(std::move(moved).status()));
    return true;
  }
  RONDO_TRY(or_cause(failed_));
  return heard;
}

/// Also tells what became of them, whatever the library is doing.
Result<bool> LibraryRunner::hear_peers() {
  bool moved = false;
  for (Peer& peer : peers_) {
    RONDO_ASSIGN(const bool met, peer.meeting.poll(*peer.endpoint));
    if (peer.meeting.heard() && !peer.compared) {
      RONDO_TRY(compare(peer));
      peer.compared = true;
    }
    RONDO_ASSIGN(const bool parted, peer.parting.poll(*peer.endpoint));
    moved = moved || met || parted;
  }
  return moved;
}

Status LibraryRunner::compare(const Peer& peer) const {
  const int rank = peer.endpoint->peer();
  if (peer.theirs.captured != peer.mine.captured) {
    const bool captured = peer.mine.captured != 0;
    return Status(
        ErrorCode::kMismatch,
        fmt::format("rank {} {} the call in a graph and rank {} {}", work_->rank(),
                    captured ? "captures" : "doesn't capture", rank, captured ? "doesn't" : "does"),
        rank);
  }
  const std::size_t expected = work_->received_from(rank);
  if (peer.theirs.count_for_you == expected) return {};
  return Status(ErrorCode::kMismatch,
                fmt::format("rank {} sends {} elements, but rank {} expects {} of it", rank,
                            peer.theirs.count_for_you, work_->rank(), expected),
                rank);
}

bool LibraryRunner::met() const {
  return std::ranges::all_of(peers_, [](const Peer& peer) { return peer.meeting.done(); });
}

Result<bool> LibraryRunner::go_on() {
  switch (phase_) {
    case Phase::kJoining: return join();
    case Phase::kIssuing: return see_issued();
    case Phase::kRunning: return see_done();
    case Phase::kParting: return part();
    case Phase::kFinished: return false;
  }
  return false;
}

/// What fails here may only follow from what a peer did: one that gives up ends its part of the
/// library's work, and libraries lose peers without knowing which. The endpoints know soon.
Status LibraryRunner::or_cause(Status status) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (failed_.ok()) {
    failed_ = std::move(status);
    failed_at_ = now;
  }
  const bool is_own = failed_.code() == ErrorCode::kDevice && !stream_->failure().ok();
  return now < failed_at_ + (is_own ? 100ms : 1000ms) ? Status() : failed_;
}

Result<bool> LibraryRunner::join() {
  if (!member_.joined()) return member_.join(*previous_, *next_);
  if (compares_sizes_ && !met()) return false;
  // Looked at before the failure, which is known once it is over.
  const bool may_fail = turn_.may_fail(*stream_);
  RONDO_TRY(stream_->failure());
  return may_fail ? false : begin_work();
}

Result<bool> LibraryRunner::begin_work() {
  phase_ = Phase::kIssuing;
  if (operands_.capture == nullptr) may_wait_ = stream_->put_off_frees();
  return issue_next();
}

/// False once all of the work is asked for.
Result<bool> LibraryRunner::issue_next() { return work_->issue(member_.communicator(), stream()); }

Result<bool> LibraryRunner::see_issued() {
  RONDO_ASSIGN(const bool ready, member_.communicator().ready());
  if (!ready) return false;
  RONDO_ASSIGN(const bool issued_more, issue_next());
  if (issued_more) return true;
  if (operands_.capture == nullptr) RONDO_TRY(last_->record_in(*stream_));
  phase_ = Phase::kRunning;
  return true;
}

Result<bool> LibraryRunner::see_done() {
  RONDO_TRY(member_.communicator().ready().status());
  RONDO_TRY(stream_->failure());
  if (operands_.capture == nullptr) {
    if (!last_->event().done()) return false;
    may_wait_.reset();
    RONDO_TRY(last_->event().wait());  // how the stream fared
  }
  for (Peer& peer : peers_)
    RONDO_TRY(peer.parting.tell(*peer.endpoint, &own_end_, sizeof(own_end_)));
  phase_ = Phase::kParting;
  return true;
}

Result<bool> LibraryRunner::part() {
  const bool done =
      met() && std::ranges::all_of(peers_, [](const Peer& peer) { return peer.parting.done(); });
  if (done) phase_ = Phase::kFinished;
  return done;
}

Status LibraryRunner::end(Status status, int rank) {
  if (!status.ok()) {
    status = described(std::move(status), rank);
    // Before their part of the library's work fails, which it does once this rank's has ended.
    for (transport::Endpoint* endpoint : everyone_) endpoint->abort(status);
    member_.give_up();
    // Kernels of ours behind its messages may still be at the buffers; nothing holds them up now.
    constexpr std::chrono::milliseconds kKernelsEnd{1000};
    if (!turn_.is_to_come() || turn_.comes()) place_.settle(kKernelsEnd);
    place_.abandon(status);
  }
  may_wait_.reset();
  Status work = place_.synchronize();
  Status verdict;
  for (Peer& peer : peers_) {
    if (verdict.ok()) verdict = peer.endpoint->verdict();
    peer.endpoint->end();
  }
  if (!status.ok()) return status;
  return described(verdict.ok() ? std::move(work) : std::move(verdict), rank);
}

Status LibraryRunner::described(Status status, int rank) const {
  if (status.ok() || transport::is_hearsay(status)) return status;
  if (status.code() == ErrorCode::kDevice) status = std::move(status).with_culprit(rank);
  return std::move(status).at(fmt::format("rank {}, in {}", rank, member_.library().name()));
}

void LibraryRunner::arm(const std::shared_ptr<Bell>& bell) {
  if (phase_ == Phase::kJoining) turn_.ring_when_it_comes(bell);
  if (phase_ == Phase::kRunning && operands_.capture == nullptr) last_->ring_when_reached(bell);
}

int LibraryRunner::waits_for() const {
  for (const Peer& peer : peers_) {
    if (!peer.meeting.done()) return peer.endpoint->peer();
  }
  if (phase_ == Phase::kJoining && !member_.knows_id()) return previous_->peer();
  if (phase_ != Phase::kParting) return kNoCulprit;
  for (const Peer& peer : peers_) {
    if (!peer.parting.heard()) return peer.endpoint->peer();
  }
  return kNoCulprit;
}

}  // namespace rondo::execute
