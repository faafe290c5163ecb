#include "collectives/execute/host/bulletin_runner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

std::vector<transport::Endpoint*> peers_among(const std::vector<transport::Endpoint*>& endpoints) {
  std::vector<transport::Endpoint*> peers;
  for (transport::Endpoint* endpoint : endpoints)
    if (endpoint != nullptr) peers.push_back(endpoint);
  return peers;
}

}  // namespace

bool BulletinRunner::suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes) {
  return std::ranges::all_of(endpoints, [bytes](const auto* endpoint) {
    return endpoint == nullptr || bytes <= endpoint->bulletin_bytes();
  });
}

BulletinRunner::BulletinRunner(Inputs inputs)
    : contributions_(inputs.contributions, std::move(inputs.sizes)),
      spare_core_(inputs.spare_core),
      peers_(peers_among(inputs.endpoints)),
      first_look_(ns_per_tick()),
      other_cores_(peers_.size(), ns_per_tick()) {
  expect();
}

void BulletinRunner::set_sizes(Contributions::Sizes sizes) {
  contributions_.set_sizes(std::move(sizes));
  expect();
}

/// By the sizes.
void BulletinRunner::expect() {
  expected_.clear();
  for (const transport::Endpoint* peer : peers_) {
    const int rank = peer->peer();
    expected_.push_back({contributions_.bytes_of(rank), rank, contributions_.takes_of(rank)});
  }
}

void BulletinRunner::begin(const transport::Call& call, const Operands& operands) {
  enter(call, operands);
  begin_at_peers();
}

void BulletinRunner::enter(const transport::Call& call, const Operands& operands) {
  received_ = 0;
  is_published_ = has_looked_ = found_at_once_ = false;
  other_cores_.call_begins();
  call_ = &call;
  contributions_.begin(operands);
}

void BulletinRunner::begin_at_peers() {
  for (transport::Endpoint* peer : peers_) peer->begin(*call_, {});
}

/// Once all that was skipped in the call before has come; `is_published_` tells.
inline Status BulletinRunner::publish() {
  if (has_skipped()) [[unlikely]] {
    RONDO_TRY(settle());
    if (has_skipped()) return {};
  }
  const std::span<const std::byte> message = contributions_.own();
  for (transport::Endpoint* peer : peers_) RONDO_TRY(peer->publish(*call_, message));
  is_published_ = true;
  return {};
}

/// Peers that aren't there yet will find the bulletin before the call is on the board.
Status BulletinRunner::send_first(const transport::Call& call, const Operands& operands) {
  enter(call, operands);
  Status published = publish();
  if (spare_core_) first_look_.sent();
  begin_at_peers();
  if (is_published_) peers_.back()->expect_publish();
  return published;
}

bool BulletinRunner::has_skipped() const {
  return std::ranges::any_of(peers_, [](const auto* peer) { return peer->has_skipped(); });
}

Status BulletinRunner::settle() {
  for (transport::Endpoint* peer : peers_) {
    if (peer->has_skipped()) RONDO_TRY(peer->settle_bulletin().status());
  }
  return {};
}

bool BulletinRunner::end_at_once(Status& status, int rank) {
  status = read();
  if (!status.ok() || !finished()) return false;
  status = combine();
  leave();
  // What a program's function threw, which no peer can have said.
  if (!status.ok()) status = std::move(status).at("rank " + std::to_string(rank));
  return true;
}

Status BulletinRunner::end(Status status, int rank) {
  if (status.ok()) status = combine();
  leave();
  if (status.ok() || transport::is_hearsay(status)) return status;
  return std::move(status).at("rank " + std::to_string(rank));
}

/// The wait ends with the call: a kernel so short takes less than to read the clock. A program's
/// function may take long.
Status BulletinRunner::combine() {
  if (timer() != nullptr) {
    const bool is_custom = contributions_.are_combined() && contributions_.operands().custom;
    if (is_custom || (contributions_.are_gathered() && contributions_.are_much())) timer()->moved();
    if (is_custom) timer()->reduces_to_the_end();
  }
  return contributions_.combine();
}

/// Bulletins aren't given back, and lend nothing.
void BulletinRunner::leave() {
  // Of several peers' messages the first is the only one that was looked for just then.
  if (found_at_once_ && peers_.size() == 1) first_look_.has_read();
  for (transport::Endpoint* peer : peers_) peer->end();
}

Result<bool> BulletinRunner::step() {
  const std::size_t before = received_;
  const bool was_published = is_published_;
  RONDO_TRY(read());
  return is_published_ != was_published || received_ != before;
}

/// Of all peers the first to be looked at: mostly its bulletin is there by then.
inline Result<const std::byte*> BulletinRunner::look_first(std::size_t peer) {
  has_looked_ = true;
  first_look_.wait();
  auto theirs = peers_[peer]->read_bulletin(expected_[peer].bytes, 1);
  if (!theirs.ok()) return theirs;
  found_at_once_ = *theirs != nullptr;
  first_look_.saw(found_at_once_);
  return found_at_once_ ? theirs : await_longer(peer, kMostLooks - 1);
}

/// What is there. Clocks are read where a wait begins, while others' contributions are on their
/// way; that it is over the call's end says.
Status BulletinRunner::read() {
  if (!is_published_) [[unlikely]] {  // first what was skipped
    RONDO_TRY(publish());
    if (!is_published_) return {};
  }
  for (; received_ != peers_.size(); ++received_) {
    const std::size_t peer = other_cores_.at(received_);
    const Expected& expected = expected_[peer];
    if (!expected.is_awaited) {
      RONDO_TRY(peers_[peer]->skip_bulletin(expected.bytes));
      continue;
    }
    const bool is_first = spare_core_ && !has_looked_;
    RONDO_ASSIGN(const std::byte* const theirs, is_first ? look_first(peer) : await(peer));
    if (theirs == nullptr) break;
    contributions_.put(expected.rank, theirs);
    if (timer() != nullptr && received_ + 1 != peers_.size()) timer()->moved();
  }
  return {};
}

Result<const std::byte*> BulletinRunner::await(std::size_t peer) {
  if (!spare_core_) return await_on_shared_core(peer);
  RONDO_ASSIGN(const std::byte* const theirs,
               peers_[peer]->read_bulletin(expected_[peer].bytes, 1));
  return theirs != nullptr ? theirs : await_longer(peer, kMostLooks - 1);
}

Result<const std::byte*> BulletinRunner::await_longer(std::size_t peer, int looks) {
  note_wait();
  return peers_[peer]->read_bulletin(expected_[peer].bytes, looks);
}

Result<const std::byte*> BulletinRunner::await_on_shared_core(std::size_t peer) {
  constexpr int kLooksPerClock = 4;
  transport::Endpoint& endpoint = *peers_[peer];
  const std::size_t bytes = expected_[peer].bytes;
  RONDO_ASSIGN(const std::byte* theirs, endpoint.read_bulletin(bytes, 1));
  if (theirs != nullptr || !other_cores_.is_worth_waiting_for(peer)) return theirs;
  note_wait();
  const Ticks start = ticks_now();
  do {
    RONDO_ASSIGN(theirs, endpoint.read_bulletin(bytes, kLooksPerClock));
  } while (theirs == nullptr && ticks_now() - start < other_cores_.patience());
  other_cores_.waited_for(peer, theirs != nullptr);
  return theirs;
}

int BulletinRunner::waits_for() const {
  if (!is_published_) {
    const auto unsettled = std::ranges::find_if(peers_, &transport::Endpoint::has_skipped);
    if (unsettled != peers_.end()) return (*unsettled)->peer();
  }
  return finished() ? kNoCulprit : expected_[other_cores_.at(received_)].rank;
}

}  // namespace rondo::execute
