#include "transport/ring/ring_endpoint.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/prefetch.h"
#include "transport/wire/call_history.h"

namespace rondo::transport {
namespace {

constexpr std::size_t kMostGroups = 2 * kMaxLanes * RingEndpoint::kWindow;

bool is_send(TransferKind kind) {
  return kind == TransferKind::kSend || kind == TransferKind::kStored;
}

/// How many transfers have the lane and direction of the last one.
std::size_t alike(std::span<const Transfer> group) {
  const Transfer& last = group.back();
  return static_cast<std::size_t>(
      std::count_if(group.begin(), group.end(), [&last](const Transfer& transfer) {
        return transfer.lane == last.lane && is_send(transfer.kind) == is_send(last.kind);
      }));
}

template <typename SomeChannel>
auto relocations_of(SomeChannel& channel, std::size_t lane) {
  return lane == kBufferedLane ? &channel.relocations : nullptr;
}

Slots slots_of_lane(Slots slots, const Slots& buffer, std::size_t lane) {
  if (lane == kBufferedLane) return buffer;
  slots.memory = slots.lane(lane);
  return slots;
}

}  // namespace

RingEndpoint::RingEndpoint(const RingLink& link) : link_(link), groups_(kMostGroups) {
  for (std::size_t lane = 0; lane < kMaxLanes; ++lane) {
    send_lanes_.emplace_back(SendPort{.peer = link.peer,
                                      .lines = &link.own_channel->lines[lane],
                                      .consumed = &link.peer_channel->consumed[lane],
                                      .write_backs = &link.peer_channel->write_backs[lane],
                                      .stores = stores_.get(),
                                      .slots = slots_of_lane(link.own_slots, link.own_buffer, lane),
                                      .relocations = relocations_of(*link.own_channel, lane),
                                      .peer_relocations = relocations_of(*link.peer_channel, lane),
                                      .memory = link.memory,
                                      .window = kWindow});
    recv_lanes_.emplace_back(
        RecvPort{.own_calls = &link.own_head->board,
                 .rank = link.rank,
                 .peer = link.peer,
                 .lane = static_cast<std::uint16_t>(lane),
                 .lines = &link.peer_channel->lines[lane],
                 .consumed = &link.own_channel->consumed[lane],
                 .write_backs = &link.own_channel->write_backs[lane],
                 .relocations = relocations_of(*link.own_channel, lane),
                 .peer_relocations = relocations_of(*link.peer_channel, lane),
                 .copy_offers = &link.own_channel->copy_offers[lane],
                 .copy_answers = &link.peer_channel->copy_answers[lane],
                 .stores = stores_.get(),
                 .slots = slots_of_lane(link.peer_slots, link.peer_buffer, lane),
                 .memory = link.memory,
                 .staging = &staging_,
                 .window = kWindow});
    copy_helps_.emplace_back(link.peer_channel->copy_offers[lane],
                             link.own_channel->copy_answers[lane]);
  }
}

void RingEndpoint::begin(const Call& call, const std::array<std::span<std::byte>, 2>& stores) {
  call_ = call;
  *stores_ = stores;
  awaits_eager_ = awaits_room_ = awaits_bulletin_ = false;
  enter_call();
  link_.own_head->board.write(call);
  if (!stores[0].empty() || !stores[1].empty()) write_stores(stores);
}

void RingEndpoint::write_stores(const std::array<std::span<std::byte>, 2>& stores) {
  StoreRegions& regions = link_.own_channel->stores;
  regions.sequence.store(0, std::memory_order_relaxed);
  for (std::size_t i = 0; i < stores.size(); ++i) {
    const auto location = stores[i].empty()
                              ? std::nullopt
                              : link_.memory->location_of(stores[i].data(), stores[i].size());
    regions.location[i].store(location.value_or(kNowhere), std::memory_order_release);
    regions.bytes[i].store(stores[i].size(), std::memory_order_release);
  }
  regions.sequence.store(call_.sequence, std::memory_order_release);
}

/// What the peer has said of its region in the current call; nothing where it hasn't.
RingEndpoint::PeerRegion RingEndpoint::peer_region(StoreRegion region) const {
  const StoreRegions& regions = link_.peer_channel->stores;
  const auto index = static_cast<std::size_t>(region);
  if (regions.sequence.load(std::memory_order_acquire) != call_.sequence) return {};
  const PeerRegion known{.location = regions.location[index].load(std::memory_order_acquire),
                         .bytes = regions.bytes[index].load(std::memory_order_acquire)};
  if (regions.sequence.load(std::memory_order_relaxed) != call_.sequence) return {};
  return known;
}

std::byte* RingEndpoint::peer_store(StoreRegion region, std::size_t offset, std::size_t bytes) {
  const PeerRegion known = peer_region(region);
  if (known.location == kNowhere || offset > known.bytes || bytes > known.bytes - offset)
    return nullptr;
  auto start = link_.memory->address_of(known.location, known.bytes);
  return start.ok() ? *start + offset : nullptr;
}

Status RingEndpoint::begin_store() {
  link_.own_channel->storing.now.store(1, std::memory_order_relaxed);
  light_fence(link_.asymmetric_fence);
  look_for_give_up();
  if (!failure_.ok()) end_store();
  return failure_;
}

Result<Ticks> RingEndpoint::help() {
  if (!failure_.ok()) return failure_;
  for (std::uint32_t lanes = busy_lanes_; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    if (is_free_lane(lane)) continue;
    RONDO_ASSIGN(const Ticks begun, help_with(lane));
    if (begun != 0) return begun;
  }
  return Ticks{0};
}

Result<Ticks> RingEndpoint::help_with(std::size_t lane) {
  const SendLane::LentRun run = send_lanes_[lane].lent_run();
  if (run.bytes == 0) return Ticks{0};
  CopyHelp& help = copy_helps_[lane];
  const auto piece = help.look();
  if (!piece || piece->line != run.line || piece->core == sched_getcpu()) return Ticks{0};
  // What isn't mapped yet is before the receiver may have to wait.
  std::byte* const target = target_of(run, *piece);
  if (!help.take()) {
    wake_peer();  // it may have seen this side reach for it
    return Ticks{0};
  }
  const Ticks begun = ticks_now();
  Status status;
  if (target != nullptr) status = copy_for_peer(run, *piece, target);
  const bool is_copied = target != nullptr && status.ok();
  help.answer(is_copied);
  wake_peer();
  RONDO_TRY(status);
  if (!is_copied) return Ticks{0};
  send_lanes_[lane].count_copied(piece->bytes);
  return begun;
}

/// Where the peer wants the piece; null where that isn't its memory, or not of the message.
std::byte* RingEndpoint::target_of(const SendLane::LentRun& run, const CopyPiece& piece) {
  if (piece.begin > run.bytes || piece.bytes > run.bytes - piece.begin) return nullptr;
  const auto [region, offset] = StorePlace::of(piece.place);
  if (region >= stores_->size()) return nullptr;
  return peer_store(static_cast<StoreRegion>(region), offset, piece.bytes);
}

Status RingEndpoint::copy_for_peer(const SendLane::LentRun& run, const CopyPiece& piece,
                                   std::byte* target) {
  Status begun = begin_store();
  if (begun.ok()) copy_bytes(target, run.data + piece.begin, piece.bytes);
  end_store();
  return begun;
}

void RingEndpoint::withdraw() {
  if (link_.own_head->gave_up.exchange(1, std::memory_order_seq_cst) == 0) heavy_fence();
}

std::byte* RingEndpoint::write_back(Token token, StoreRegion region, std::size_t offset) {
  RingGroup* const group = groups_.find(token);
  if (group == nullptr || !group->is_view || group->remaining > 0) return nullptr;
  return write_back(group->view, region, offset);
}

std::byte* RingEndpoint::write_back(LentView& view, StoreRegion region, std::size_t offset) const {
  const PeerRegion known = peer_region(region);
  if (offset > known.bytes || view.bytes > known.bytes - offset) return nullptr;
  return recv_lanes_[view.lane].write_back(
      view, StorePlace{static_cast<std::uint64_t>(region), offset}.word());
}

std::optional<Fingerprint> RingEndpoint::peer_call(std::uint64_t sequence) {
  return link_.peer_head->board.find(sequence);
}

Status RingEndpoint::check_room(std::span<const Transfer> group) const {
  if (groups_.open() == kMostGroups)
    return Status(ErrorCode::kInternal, "more groups posted than the endpoint's windows hold");
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Transfer& transfer = group[i];
    if (transfer.lane >= kMaxLanes)
      return Status(ErrorCode::kInternal, fmt::format("lane {} of {}", transfer.lane, kMaxLanes));
    const bool sends = is_send(transfer.kind);
    const std::size_t used =
        sends ? send_lanes_[transfer.lane].outstanding() : recv_lanes_[transfer.lane].outstanding();
    if (used + alike(group.first(i + 1)) > kWindow)
      return Status(ErrorCode::kInternal,
                    fmt::format("more than {} transfers posted in one direction of lane {}",
                                kWindow, transfer.lane));
    if (transfer.kind == TransferKind::kRecvView && group.size() != 1)
      return Status(ErrorCode::kInternal, "a view must be the only transfer of its group");
  }
  return {};
}

Result<bool> RingEndpoint::send_eager(std::span<const std::byte> message) {
  if (!failure_.ok()) return failure_;
  return sent_eager(send_lanes_[0].send_eager(call_, message));
}

Result<bool> RingEndpoint::lend_eager(std::span<const std::byte> message) {
  if (!failure_.ok()) return failure_;
  return sent_eager(send_lanes_[0].lend_eager(call_, message));
}

Result<bool> RingEndpoint::stored_eager(std::size_t bytes) {
  if (!failure_.ok()) return failure_;
  return sent_eager(send_lanes_[0].stored_eager(call_, bytes));
}

Result<bool> RingEndpoint::sent_eager(Result<bool> sent) {
  RONDO_TRY(sent.status());
  awaits_room_ = !*sent;
  if (*sent) wake_peer();
  return sent;
}

Result<bool> RingEndpoint::returned_eager() {
  if (!failure_.ok()) return failure_;
  RONDO_ASSIGN(const bool returned, send_lanes_[0].returned_eager());
  awaits_room_ = !returned;
  if (returned || left_.ok()) return returned;
  fail(left_);
  return failure_;
}

Result<const std::byte*> RingEndpoint::recv_eager(std::size_t bytes) {
  if (!failure_.ok()) return failure_;
  auto received = recv_lanes_[0].recv_eager(call_, bytes, eager_);
  if (!received.ok()) return fail_of(std::move(received).status());
  awaits_eager_ = !*received;
  if (recv_lanes_[0].took_stored()) RONDO_TRY(send_lanes_[0].take_write_backs());
  if (*received) {
    // A stored message's line has been given back already.
    if (eager_.data == stored()) wake_peer();
    return eager_.data;
  }
  if (left_.ok()) return nullptr;
  fail(left_);
  return failure_;
}

void RingEndpoint::release_eager() {
  const bool consumed = recv_lanes_[0].release(eager_);
  eager_ = {};
  if (consumed) wake_peer();
}

/// What the peer says of its end explains the error better.
Status RingEndpoint::fail_of(Status error) {
  look_for_notice();
  fail(std::move(error));
  return failure_;
}

bool RingEndpoint::lends(const std::byte* data, std::size_t bytes) const {
  return link_.memory->location_of(data, bytes).has_value();
}

Result<Token> RingEndpoint::post(std::span<const Transfer> group) {
  if (!failure_.ok()) return failure_;
  RONDO_TRY(check_room(group));
  const std::uint32_t index = groups_.acquire(group.size());
  groups_[index].is_view = !group.empty() && group.front().kind == TransferKind::kRecvView;
  for (const Transfer& transfer : group) {
    if (is_send(transfer.kind))
      send_lanes_[transfer.lane].push(transfer, index);
    else
      recv_lanes_[transfer.lane].push(transfer, index);
    busy_lanes_ |= 1u << transfer.lane;
    if (!is_free_lane(transfer.lane)) used_lanes_ |= 1u << transfer.lane;
  }
  const Token token = groups_.token_of(index);
  RONDO_TRY(progress());
  return token;
}

Result<bool> RingEndpoint::poll(Token token) {
  RingGroup* group = groups_.find(token);
  if (group == nullptr) return true;
  if (group->remaining > 0) {
    RONDO_TRY(progress());
    if (group->remaining > 0 && !left_.ok()) return left_;
    if (group->remaining > 0) return false;
  }
  if (!group->is_view) groups_.release(RingGroups::index_of(token));
  return true;
}

const std::byte* RingEndpoint::view(Token token) {
  const RingGroup* group = groups_.find(token);
  return group == nullptr || group->remaining > 0 ? nullptr : group->view.data;
}

void RingEndpoint::release(Token token) {
  RingGroup* group = groups_.find(token);
  if (group == nullptr || group->remaining > 0) return;
  const bool consumed = recv_lanes_[group->view.lane].release(group->view);
  groups_.release(RingGroups::index_of(token));
  if (consumed) wake_peer();
}

Traffic RingEndpoint::traffic() const {
  Traffic total{.sent_bytes = bulletin_bytes_sent_, .received_bytes = bulletin_bytes_received_};
  for (const SendLane& lane : send_lanes_) {
    total.sent_bytes += lane.sent_bytes();
    total.copied_bytes += lane.copied_bytes();
  }
  for (const RecvLane& lane : recv_lanes_) {
    total.received_bytes += lane.received_bytes();
    total.copied_bytes += lane.copied_bytes();
  }
  return total;
}

Status RingEndpoint::progress() {
  if (!failure_.ok()) return failure_;
  // Whoever awaits it looks before this place sleeps; where nobody does it keeps no one awake.
  if (awaits_heading_) awaits_heading_ = left_.ok() && !recv_lanes_[kBufferedLane].has_message();
  if (busy_lanes_ == 0) return {};
  if (Status status = move_lanes(); !status.ok()) return fail_of(std::move(status));
  // A peer that left wrote its last lines before it said so: what is still open stays open.
  if (!left_.ok() && needs_peer()) {
    fail(left_);
    return failure_;
  }
  return {};
}

/// Receives that belong to no call are open always, for what may come.
bool RingEndpoint::needs_peer() const {
  for (std::uint32_t lanes = busy_lanes_; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    if (!is_free_lane(lane) || !send_lanes_[lane].idle()) return true;
  }
  return false;
}

Status RingEndpoint::move_lanes() {
  bool changed = false;
  for (std::uint32_t lanes = busy_lanes_; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    const Call& call = is_free_lane(lane) ? kNoCall : call_;
    RONDO_TRY(send_lanes_[lane].progress(call, groups_, changed));
    RONDO_TRY(recv_lanes_[lane].progress(call, groups_, changed));
    // What was stored may lie in a slot still.
    if (recv_lanes_[lane].took_stored()) RONDO_TRY(send_lanes_[lane].take_write_backs());
    if (send_lanes_[lane].idle() && recv_lanes_[lane].idle()) busy_lanes_ &= ~(1u << lane);
  }
  if (changed) wake_peer();
  return {};
}

Status RingEndpoint::verdict() {
  // Everything read from the peer's memory was read before this.
  load_fence();
  look_for_give_up();
  return failure_;
}

void RingEndpoint::look_for_give_up() {
  if (!failure_.ok() || link_.peer_head->gave_up.load(std::memory_order_seq_cst) == 0) return;
  look_for_notice();
  fail(Status(ErrorCode::kPeerLost, fmt::format("rank {} gave up", peer()), peer()));
}

bool RingEndpoint::can_progress() const {
  const bool waits =
      busy_lanes_ != 0 || awaits_eager_ || awaits_room_ || awaits_bulletin_ || awaits_heading_;
  if (waits && (!failure_.ok() || !left_.ok())) return true;
  if (awaits_bulletin_ && awaited_bulletin().stamp.load(std::memory_order_acquire) == bulletin_)
    return true;
  if (awaits_eager_ && recv_lanes_[0].has_message()) return true;
  if (awaits_heading_ && recv_lanes_[kBufferedLane].has_message()) return true;
  if (awaits_room_ && send_lanes_[0].has_news()) return true;
  for (std::uint32_t lanes = busy_lanes_; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    if (send_lanes_[lane].can_progress() || recv_lanes_[lane].can_progress()) return true;
  }
  return false;
}

bool RingEndpoint::copy_lent() { return failure_.ok() && send_lanes_[kBufferedLane].copy_lent(); }

void RingEndpoint::fail(Status error) {
  if (failure_.ok()) failure_ = std::move(error);
}

void RingEndpoint::peer_left(Status error) {
  if (left_.ok()) left_ = std::move(error);
}

void RingEndpoint::ring_once(std::uint64_t turn) {
  if (turn == rung_turn_) return;
  rung_turn_ = turn;
  ring_doorbell();
}

}  // namespace rondo::transport
