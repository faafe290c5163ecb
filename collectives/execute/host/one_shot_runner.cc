#include "collectives/execute/host/one_shot_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/copy_bytes.h"
#include "core/prefetch.h"
#include "core/relax.h"
#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

std::size_t peers_among(const std::vector<transport::Endpoint*>& endpoints) {
  return endpoints.size() - static_cast<std::size_t>(std::ranges::count(
                                endpoints, static_cast<transport::Endpoint*>(nullptr)));
}

bool takes_of(const std::vector<OneShotRunner::Part>& parts, int rank) {
  return std::ranges::any_of(parts, [rank](const auto& part) { return part.rank == rank; });
}

}  // namespace

bool OneShotRunner::suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes) {
  return std::all_of(endpoints.begin(), endpoints.end(), [bytes](const auto* endpoint) {
    return endpoint == nullptr || bytes <= endpoint->eager_bytes();
  });
}

bool OneShotRunner::suits_bulletins(const std::vector<transport::Endpoint*>& endpoints,
                                    std::size_t bytes) {
  return std::all_of(endpoints.begin(), endpoints.end(), [bytes](const auto* endpoint) {
    return endpoint == nullptr || bytes <= endpoint->bulletin_bytes();
  });
}

OneShotRunner::OneShotRunner(Inputs inputs)
    : inputs_(std::move(inputs)),
      sources_(inputs_.endpoints.size()),
      first_look_(ns_per_tick()),
      other_cores_(peers_among(inputs_.endpoints), ns_per_tick()) {
  for (transport::Endpoint* endpoint : inputs_.endpoints)
    if (endpoint != nullptr) peers_.push_back(endpoint);
  expect();
}

void OneShotRunner::set_sizes(Sizes sizes, bool bulletins) {
  inputs_.sizes = std::move(sizes);
  inputs_.bulletins = bulletins;
  expect();
}

/// By the sizes.
void OneShotRunner::expect() {
  bytes_ = sizes().count * inputs_.element_bytes;
  expected_.clear();
  for (const transport::Endpoint* peer : peers_) {
    const int rank = peer->peer();
    expected_.push_back({.bytes = bytes_of(rank),
                         .rank = rank,
                         .is_awaited = !sizes().gathered || takes_of(*sizes().gathered, rank)});
  }
}

void OneShotRunner::begin(const transport::Call& call, const Operands& operands) {
  enter(call, operands);
  for (transport::Endpoint* peer : peers_) peer->begin(call, {});
}

void OneShotRunner::enter(const transport::Call& call, const Operands& operands) {
  sent_ = received_ = 0;
  other_cores_.call_begins();
  has_looked_ = found_at_once_ = false;
  call_ = &call;
  operands_ = &operands;
  put(inputs_.rank, operands.input);
}

/// Peers that aren't there yet will find the bulletin before the call is on the board.
Status OneShotRunner::send_first(const transport::Call& call, const Operands& operands) {
  if (!inputs_.bulletins) {
    begin(call, operands);
    return send_all();
  }
  enter(call, operands);
  Status published = publish();
  if (inputs_.spare_core) first_look_.sent();
  for (transport::Endpoint* peer : peers_) peer->begin(call, {});
  peers_.back()->expect_publish();
  return published;
}

Status OneShotRunner::end(Status status, int rank) {
  if (status.ok()) status = combine();
  // Of several peers' messages the first is the only one that was looked for just then.
  if (found_at_once_ && peers_.size() == 1) first_look_.has_read();
  for (transport::Endpoint* peer : peers_) peer->end();
  if (status.ok() || transport::is_hearsay(status)) return status;
  return std::move(status).at("rank " + std::to_string(rank));
}

Status OneShotRunner::combine() {
  Status combined;
  if (sizes().gathered) {
    if (timer() != nullptr && gathers_much()) timer()->moved();
    gather();
  } else if (bytes_ != 0) {  // a barrier has nothing
    combined = reduce();
  }
  // Bulletins aren't given back, and lend nothing.
  if (inputs_.bulletins) return combined;
  for (transport::Endpoint* peer : peers_) peer->release_eager();
  RONDO_TRY(std::move(combined));
  // A peer that runs the schedule instead may have lent its memory.
  for (transport::Endpoint* peer : peers_) RONDO_TRY(peer->verdict());
  return {};
}

/// More than is copied while a clock is read.
bool OneShotRunner::gathers_much() const { return peers_.size() * bytes_ >= kLongCopyBytes; }

void OneShotRunner::gather() {
  std::byte* target = operands_->output;
  for (const Part& part : *sizes().gathered) {
    if (part.bytes == 0) continue;
    const void* const contribution = sources_[static_cast<std::size_t>(part.rank)];
    const std::byte* const source = static_cast<const std::byte*>(contribution) + part.offset;
    if (source != target) std::memcpy(target, source, part.bytes);  // else in place
    target += part.bytes;
  }
}

Status OneShotRunner::reduce() {
  // Bulletins' wait ends with the call: a kernel so short takes less than to read the clock. A
  // program's function may take long.
  const bool counts = !inputs_.bulletins || operands_->custom;
  if (timer() != nullptr && counts) {
    timer()->moved();
    timer()->reduces_to_the_end();
  }
  void* target = operands_->output;
  const kernels::ReduceArguments arguments{.sources = sources_,
                                           .targets = std::span(&target, 1),
                                           .count = sizes().count,
                                           .divisor = inputs_.divisor};
  if (operands_->custom) {
    return kernels::reduce_by(operands_->custom, arguments).with_culprit(inputs_.rank);
  }
  inputs_.kernel(arguments);
  return {};
}

std::uint32_t OneShotRunner::looks_per_step() const {
  return static_cast<std::uint32_t>(most_looks(inputs_.spare_core, peers_));
}

Result<bool> OneShotRunner::step() {
  const std::size_t before = sent_;
  if (before != peers_.size()) RONDO_TRY(send_all());
  const bool sent = sent_ != before;
  if (inputs_.bulletins && sent_ != peers_.size()) return sent;  // first what was skipped
  RONDO_ASSIGN(const bool received, inputs_.bulletins ? read_bulletins() : receive_all());
  return sent || received;
}

/// Clocks are read where a wait begins, while others' contributions are on their way; that it is
/// over the call's end says.
Result<bool> OneShotRunner::read_bulletins() {
  const std::size_t before = received_;
  for (; received_ != peers_.size(); ++received_) {
    const std::size_t peer = other_cores_.at(received_);
    const Contribution& expected = expected_[peer];
    if (!expected.is_awaited) {
      RONDO_TRY(peers_[peer]->skip_bulletin(expected.bytes));
      continue;
    }
    RONDO_ASSIGN(const std::byte* const theirs, await_bulletin(peer));
    if (theirs == nullptr) break;
    put(expected.rank, theirs);
    if (timer() != nullptr && received_ + 1 != peers_.size()) timer()->moved();
  }
  return received_ != before;
}

Result<const std::byte*> OneShotRunner::await_bulletin(std::size_t peer) {
  if (!inputs_.spare_core) return await_on_shared_core(peer);
  transport::Endpoint& endpoint = *peers_[peer];
  const std::size_t bytes = expected_[peer].bytes;
  const bool is_first = !std::exchange(has_looked_, true);
  if (is_first) first_look_.wait();
  RONDO_ASSIGN(const std::byte* const theirs, endpoint.read_bulletin(bytes, 1));
  if (is_first) {
    found_at_once_ = theirs != nullptr;
    first_look_.saw(found_at_once_);
  }
  if (theirs != nullptr) return theirs;
  note_wait();
  return endpoint.read_bulletin(bytes, kMostLooks - 1);
}

Result<const std::byte*> OneShotRunner::await_on_shared_core(std::size_t peer) {
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

Result<bool> OneShotRunner::receive_all() {
  const std::size_t before = received_;
  const int looks = most_looks(inputs_.spare_core, peers_);
  for (; received_ != peers_.size(); ++received_) {
    RONDO_ASSIGN(const std::byte* theirs, receive_next(1));
    if (theirs == nullptr && looks > 1) {
      note_wait();
      RONDO_ASSIGN(theirs, receive_next(looks - 1));
    }
    if (theirs == nullptr) break;
    put(expected_[received_].rank, theirs);
    if (timer() == nullptr) continue;
    prefetch_to_read(theirs, bytes_);
    timer()->moved();
  }
  return received_ != before;
}

bool OneShotRunner::has_skipped() const {
  return std::ranges::any_of(peers_, [](const auto* peer) { return peer->has_skipped(); });
}

/// What was skipped in the call before.
Status OneShotRunner::settle() {
  for (transport::Endpoint* peer : peers_) {
    if (peer->has_skipped()) RONDO_TRY(peer->settle_bulletin().status());
  }
  return {};
}

Status OneShotRunner::publish() {
  if (has_skipped()) {
    RONDO_TRY(settle());
    if (has_skipped()) return {};
  }
  const std::span<const std::byte> message = own();
  for (; sent_ < peers_.size(); ++sent_) RONDO_TRY(peers_[sent_]->publish(*call_, message));
  return {};
}

Status OneShotRunner::send_all() {
  if (inputs_.bulletins) return publish();
  for (; sent_ < peers_.size(); ++sent_) {
    RONDO_ASSIGN(const bool sent, peers_[sent_]->send_eager(own()));
    if (!sent) break;
  }
  return {};
}

std::span<const std::byte> OneShotRunner::own() const {
  return {operands_->input, bytes_of(inputs_.rank)};
}

Result<const std::byte*> OneShotRunner::receive_next(int looks) {
  transport::Endpoint* peer = peers_[received_];
  while (true) {
    RONDO_ASSIGN(const std::byte* const theirs, peer->recv_eager(expected_[received_].bytes));
    if (theirs != nullptr || --looks == 0) return theirs;
    relax();
  }
}

int OneShotRunner::waits_for() const {
  if (inputs_.bulletins && sent_ != peers_.size()) {
    const auto unsettled = std::ranges::find_if(peers_, &transport::Endpoint::has_skipped);
    if (unsettled != peers_.end()) return (*unsettled)->peer();
  }
  if (!has_received_all()) return expected_[other_cores_.at(received_)].rank;
  return finished() ? kNoCulprit : peers_[sent_]->peer();
}

}  // namespace rondo::execute
