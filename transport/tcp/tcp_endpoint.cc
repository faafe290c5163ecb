#include "transport/tcp/tcp_endpoint.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/tcp/lost_host.h"

namespace rondo::transport {
namespace {

std::vector<int> numbers_of(const std::vector<UniqueFd>& data, int control) {
  std::vector<int> numbers{control};
  for (const UniqueFd& socket : data) numbers.push_back(socket.get());
  return numbers;
}

}  // namespace

TcpEndpoint::TcpEndpoint(const Identity& own, JoinedPeer peer, const TcpOptions& options,
                         CallHistory& own_calls)
    : own_(own),
      peer_(peer.rank),
      address_(std::move(peer.address)),
      window_(peer.window),
      max_message_bytes_(peer.max_message_bytes),
      last_words_(options.last_words_ms),
      host_lost_after_(options.host_lost_ms),
      data_(std::move(peer.data)),
      control_(std::move(peer.control), peer.rank, own.epoch),
      fork_guard_(numbers_of(data_, control_.socket())),
      own_calls_(own_calls),
      groups_(4 * peer.window),
      outbox_(peer.window, data_.size(), groups_, options.zero_copy_bytes),
      inbox_(own.rank, peer.rank, {peer.window, peer.max_message_bytes, data_.size()}, groups_,
             outbox_, peer_calls_, own_calls) {}

void TcpEndpoint::begin(const Call& call, const std::array<std::span<std::byte>, 2>&) {
  call_ = call;
  own_calls_.note(call.sequence, call.fingerprint);
  inbox_.begin(call);
  if (const auto theirs = peer_calls_.find(call.sequence))
    static_cast<void>(fail(check_call(own_.rank, call, peer_, call.sequence, *theirs)));
  // What is wanted already may be this call's. An error here is kept, and returned by the next call
  // that can return one.
  if (failure_.ok() && inbox_.posted() > 0) static_cast<void>(fail(inbox_.pump_buffered()));
}

Result<Token> TcpEndpoint::post(std::span<const Transfer> group) {
  if (!failure_.ok()) return failure_;
  for (const Transfer& transfer : group) RONDO_TRY(check_transfer(transfer));
  const std::uint32_t index = groups_.acquire(group.size());
  const Token token = groups_.token_of(index);
  for (const Transfer& transfer : group) RONDO_TRY(fail(start(transfer, index)));
  RONDO_TRY(fail(inbox_.pump_buffered()));
  RONDO_TRY(fail(write_out()));
  if (groups_[index].remaining > 0) RONDO_TRY(fail(left_but_needed()));
  return token;
}

/// True once it is written: whoever moves the call on asks again. A copy goes out, since a call
/// that fails gives its memory back before that. The caller may have posted no receive yet, and the
/// peer be as stuck as this rank, both behind messages that nobody has asked for: they are taken
/// in.
Result<bool> TcpEndpoint::send_eager(std::span<const std::byte> message) {
  if (!failure_.ok()) return failure_;
  if (eager_sent_ == kNoGroup) {
    FrameHeader header{.kind = FrameKind::kData, .payload_bytes = message.size(), .call = call_};
    const std::size_t begun_bytes = send_at_once(header, message);
    if (begun_bytes == kFrameHeaderBytes + message.size()) return true;
    if (!message.empty()) std::memcpy(eager_copy_.data(), message.data(), message.size());
    eager_sent_ = groups_.acquire(1);
    send(header, eager_copy_.data(), eager_sent_, begun_bytes);
  }
  RONDO_TRY(fail(write_out()));
  if (groups_[eager_sent_].remaining == 0) {
    groups_.release(std::exchange(eager_sent_, kNoGroup));
    inbox_.take_early(false);
    return true;
  }
  inbox_.take_early(true);
  RONDO_TRY(fail(left_but_needed()));
  return false;
}

/// Takes what is there already; what isn't, `progress` reads.
Result<const std::byte*> TcpEndpoint::recv_eager(std::size_t bytes) {
  if (eager_received_ == kNoGroup) {
    if (!failure_.ok()) return failure_;
    RONDO_ASSIGN(const bool taken, take_at_once(bytes));
    if (taken) return eager_taken_.data();
    taken_in_row_ = 0;
    eager_received_ = groups_.acquire(1);
    RONDO_TRY(fail(inbox_.expect(0, {.view = true, .bytes = bytes, .group = eager_received_})));
    RONDO_TRY(fail(inbox_.pump_buffered()));
    RONDO_TRY(fail(write_out()));  // what has got credit by that
  }
  const TcpGroup& group = groups_[eager_received_];
  if (group.remaining == 0) {
    has_looked_ = false;
    grant_credit();
    return inbox_.staging().data(group.view.slot);
  }
  if (!failure_.ok()) return failure_;
  RONDO_TRY(fail(left_but_needed()));
  return nullptr;
}

/// A rank that finds all messages there would never look at its other peers, nor at what comes
/// beside messages: now and then it is `progress` that has to bring one.
Result<bool> TcpEndpoint::take_at_once(std::size_t bytes) {
  if (bytes > eager_taken_.size() || taken_in_row_ == kMostTakenInRow) return false;
  auto taken = inbox_.take_at_once(data_[0], std::span(eager_taken_).first(bytes));
  if (!taken.ok()) return fail(std::move(taken).status());
  has_looked_ = *taken == Inbox::AtOnce::kNothingThere && data_.size() == 1;
  if (*taken != Inbox::AtOnce::kTaken) return false;
  ++taken_in_row_;
  grant_credit();
  RONDO_TRY(fail(write_out()));  // what has got credit by that
  return true;
}

void TcpEndpoint::release_eager() {
  if (eager_received_ == kNoGroup || groups_[eager_received_].remaining != 0) return;
  inbox_.staging().release(groups_[eager_received_].view.slot);
  groups_.release(std::exchange(eager_received_, kNoGroup));
}

Status TcpEndpoint::check_transfer(const Transfer& transfer) const {
  if (transfer.kind == TransferKind::kStored)
    return Status(ErrorCode::kInvalidArgument, "a tcp endpoint can't store into its peer's memory");
  if (transfer.lane >= kMaxTcpLanes)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("lane {}: tcp has {} lanes", transfer.lane, kMaxTcpLanes));
  if (transfer.bytes > max_message_bytes_)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("message of {} bytes to or from rank {}: at most {} were agreed",
                              transfer.bytes, peer_, max_message_bytes_));
  return {};
}

Status TcpEndpoint::start(const Transfer& transfer, std::uint32_t group) {
  if (transfer.kind == TransferKind::kSend) {
    const FrameHeader header{.kind = FrameKind::kData,
                             .lane = transfer.lane,
                             .payload_bytes = transfer.bytes,
                             .message = 0,
                             .consumed = 0,
                             .call = is_free_lane(transfer.lane) ? kNoCall : call_};
    send(header, transfer.data, group);
    return {};
  }
  return inbox_.expect(transfer.lane, {.view = transfer.kind == TransferKind::kRecvView,
                                       .data = transfer.data,
                                       .bytes = transfer.bytes,
                                       .group = group});
}

Result<bool> TcpEndpoint::poll(Token token) {
  const TcpGroup* group = groups_.find(token);
  if (group == nullptr) return true;
  if (group->remaining == 0) {
    if (group->view.slot == Staging::kNone) groups_.release(TcpGroups::index_of(token));
    return true;
  }
  if (!failure_.ok()) return failure_;
  RONDO_TRY(fail(left_but_needed()));
  // Whoever waits for a message that belongs to no call is told; calls get on without it.
  const bool waits_for_sent = outbox_.lends();
  if (!waits_for_sent && inbox_.posted() > 0 && inbox_.exhausted()) RONDO_TRY(left());
  return false;
}

const std::byte* TcpEndpoint::view(Token token) {
  const TcpGroup* group = groups_.find(token);
  const bool is_view = group != nullptr && group->view.slot != Staging::kNone;
  return is_view ? inbox_.staging().data(group->view.slot) : nullptr;
}

void TcpEndpoint::release(Token token) {
  const TcpGroup* group = groups_.find(token);
  if (group == nullptr || group->view.slot == Staging::kNone) return;
  inbox_.staging().release(group->view.slot);
  groups_.release(TcpGroups::index_of(token));
}

Status TcpEndpoint::announce_call() {
  if (!failure_.ok()) return failure_;
  // Once: a peer that reads nothing for long is to have room for an abort.
  if (announced_ != call_.sequence &&
      control_.send(CallAnnouncement{call_.sequence, call_.fingerprint}))
    announced_ = call_.sequence;
  return {};
}

std::optional<Fingerprint> TcpEndpoint::peer_call(std::uint64_t sequence) {
  return peer_calls_.find(sequence);
}

void TcpEndpoint::abort(const Status& cause) {
  static_cast<void>(control_.send(abort_notice(cause)));
  static_cast<void>(fail(cause));
}

Traffic TcpEndpoint::traffic() const {
  return {.sent_bytes = outbox_.sent_bytes(),
          .received_bytes = inbox_.received_bytes(),
          .parted_bytes = inbox_.parted_bytes(),
          .parted_ticks = inbox_.parted_ticks()};
}

Status TcpEndpoint::progress(bool look_everywhere) {
  if (!failure_.ok()) return failure_;
  if (!look_everywhere && is_quiet()) return {};
  RONDO_TRY(fail(move_data(look_everywhere)));
  const bool needs_credit = !outbox_.empty() && !outbox_.pending();
  if (look_everywhere || needs_credit || suspect_since_) RONDO_TRY(fail(read_control()));
  return fail(check_ends());
}

/// Nothing is awaited from the peer, nor has it anything to take: most peers of a short call.
bool TcpEndpoint::is_quiet() const {
  return inbox_.posted() == 0 && !inbox_.takes_early() && outbox_.empty() && !outbox_.lends() &&
         !suspect_since_;
}

Status TcpEndpoint::move_data(bool look_everywhere) {
  outbox_.collect(data_);
  RONDO_TRY(write_out());
  const bool has_looked = std::exchange(has_looked_, false);
  const bool is_wanted = inbox_.posted() > 0 || inbox_.takes_early();
  if (look_everywhere || (is_wanted && !has_looked)) RONDO_TRY(inbox_.pump(data_));
  grant_credit();
  return write_out();  // what has got credit
}

Status TcpEndpoint::write_out() {
  if (!outbox_.pending() || write_broken_) return {};
  // Why a connection can't be written to is learnt by reading: an abort or a goodbye may be there.
  write_broken_ = !outbox_.flush(data_);
  return {};
}

TcpEndpoint::Credited& TcpEndpoint::credited(std::size_t lane) {
  if (lane >= credited_.size()) credited_.resize(lane + 1);
  return credited_[lane];
}

/// Says what was consumed of the lane, too. The peer may not read it before it has credit itself,
/// so it is told once it has consumed the message; and one that waits for credit here tells
/// nothing.
std::size_t TcpEndpoint::send_at_once(FrameHeader header, std::span<const std::byte> message) {
  if (write_broken_) return 0;
  const std::uint64_t own = carry_consumed(header);
  const std::size_t bytes = outbox_.send_at_once(header, message, data_[0]);
  if (bytes == kFrameHeaderBytes + message.size()) note_carried(header.lane, own);
  return bytes;
}

void TcpEndpoint::send(FrameHeader header, const std::byte* payload, std::uint32_t group,
                       std::size_t begun_bytes) {
  const std::uint64_t own = carry_consumed(header);
  if (outbox_.send(header, payload, group, begun_bytes)) note_carried(header.lane, own);
}

/// What the message tells the peer, whole.
std::uint64_t TcpEndpoint::carry_consumed(FrameHeader& header) const {
  const auto consumed = inbox_.consumed();
  const std::uint64_t own = header.lane < consumed.size() ? consumed[header.lane] : 0;
  header.consumed = static_cast<std::uint32_t>(own);
  return own;
}

void TcpEndpoint::note_carried(std::size_t lane, std::uint64_t own) {
  Credited& known = credited(lane);
  if (known.arrives != 0) return;
  known.carried = own;
  known.arrives = outbox_.sent(static_cast<std::uint16_t>(lane));
}

// Where no message has told it, tells the peer of half a window at a time, so that credits cost
// little and never run out first.
void TcpEndpoint::grant_credit() {
  const auto consumed = inbox_.consumed();
  for (std::size_t lane = 0; lane < consumed.size(); ++lane) {
    Credited& known = credited(lane);
    const auto number = static_cast<std::uint16_t>(lane);
    if (known.arrives != 0 && outbox_.consumed(number) >= known.arrives) {
      known.consumed = std::max(known.consumed, known.carried);
      known.arrives = 0;
    }
    if (consumed[lane] - known.consumed < std::max<std::size_t>(1, window_ / 2)) continue;
    if (control_.send(Credit{number, consumed[lane]})) known.consumed = consumed[lane];
  }
}

Status TcpEndpoint::read_control() {
  static_cast<void>(control_.flush());
  while (true) {
    RONDO_ASSIGN(const std::optional<ControlMessage> message, control_.next());
    if (!message) return {};
    RONDO_TRY(handle(*message));
  }
}

Status TcpEndpoint::handle(const ControlMessage& message) {
  if (const auto* notice = std::get_if<AbortNotice>(&message)) return abort_status(*notice, peer_);
  if (const auto* credit = std::get_if<Credit>(&message)) {
    outbox_.credit(credit->lane, credit->consumed);
    return write_out();
  }
  if (const auto* goodbye = std::get_if<Goodbye>(&message)) {
    left_after_ = goodbye->sequence;
    return {};
  }
  const auto& theirs = std::get<CallAnnouncement>(message);
  peer_calls_.note(theirs.sequence, theirs.fingerprint);
  const auto ours = own_calls_.find(theirs.sequence);
  if (!ours) return {};
  return check_call(own_.rank, {theirs.sequence, call_.epoch, *ours}, peer_, theirs.sequence,
                    theirs.fingerprint);
}

// Judges connections that ended: after a goodbye they should.
Status TcpEndpoint::check_ends() {
  if (inbox_.left_after()) left_after_ = inbox_.left_after();
  if (left_after_) suspect_since_.reset();
  const bool broken = inbox_.ended() || write_broken_;
  if (left_after_ || (!broken && !control_.ended())) return {};
  if (!suspect_since_) {
    // The reason comes over the other connection, and may come later.
    suspect_since_ = std::chrono::steady_clock::now();
    RONDO_TRY(inbox_.drain(data_));
    RONDO_TRY(read_control());
    return check_ends();
  }
  if (control_.ended() || std::chrono::steady_clock::now() - *suspect_since_ > last_words_)
    return lost();
  return {};
}

Status TcpEndpoint::lost() const {
  return Status(ErrorCode::kPeerLost,
                fmt::format("rank {} ({}) closed its connection{}: its process has probably died; "
                            "see its own output",
                            peer_, address_, inbox_.describe_end()),
                peer_);
}

// It takes a system call for each connection.
Status TcpEndpoint::check_host() {
  const std::uint64_t moved_bytes = outbox_.sent_bytes() + inbox_.received_bytes();
  const bool stands = moved_bytes == std::exchange(moved_bytes_, moved_bytes);
  checks_in_wait_ = stands && !is_quiet() ? checks_in_wait_ + 1 : 0;
  if (checks_in_wait_ < kLongWaitChecks) return {};
  const auto is_lost = [&](int socket) { return is_host_lost(socket, host_lost_after_); };
  const bool lost =
      is_lost(control_.socket()) ||
      std::ranges::any_of(data_, [&](const UniqueFd& socket) { return is_lost(socket.get()); });
  return lost ? fail(host_lost()) : Status();
}

Status TcpEndpoint::host_lost() const {
  return Status(
      ErrorCode::kPeerLost,
      fmt::format("rank {} ({}): its host has acknowledged nothing for {:g} s: it is "
                  "down, or the network between is; see whether it can be reached, and "
                  "start the job again",
                  peer_, address_, std::chrono::duration<double>(host_lost_after_).count()),
      peer_);
}

// A peer that left is missed only by who still has something to send to it, or by a call that
// expects more than the connection still holds.
Status TcpEndpoint::left_but_needed() const {
  const bool nothing_comes = inbox_.exhausted();
  const bool needed = (inbox_.posted_in_call() > 0 && nothing_comes) || !outbox_.empty();
  return needed ? left() : Status();
}

Status TcpEndpoint::left() const {
  if (!left_after_) return {};
  return Status(ErrorCode::kPeerLost,
                fmt::format("rank {} ({}) left: it destroyed its communicator at call #{}, this "
                            "rank is in call #{}",
                            peer_, address_, *left_after_, call_.sequence),
                peer_);
}

Status TcpEndpoint::fail_with(Status status) {
  if (!failure_.ok() || status.ok()) return failure_;
  failure_ = std::move(status);
  // The call ends here, and with it the loan: what the kernel still has to send would be whatever
  // the caller writes there next.
  for (std::size_t i = 0; i < data_.size(); ++i)
    if (outbox_.lends(i)) reset_connection(data_[i].get());
  return failure_;
}

std::uint32_t TcpEndpoint::data_interest(std::size_t socket) const {
  return (inbox_.reads(socket) ? std::uint32_t{EPOLLIN} : 0U) |
         (outbox_.pending(socket) && !write_broken_ ? std::uint32_t{EPOLLOUT} : 0U) |
         (outbox_.lends(socket) ? std::uint32_t{EPOLLERR} : 0U);
}

std::uint32_t TcpEndpoint::control_interest() const {
  if (control_.ended()) return 0;
  return std::uint32_t{EPOLLIN} | (control_.wants_write() ? std::uint32_t{EPOLLOUT} : 0U);
}

bool TcpEndpoint::leave() {
  if (!failure_.ok() || write_broken_ || left_after_) return true;
  for (const UniqueFd& socket : data_) discard_input(socket.get());
  outbox_.collect(data_);
  if (!fail(read_control()).ok() || !fail(write_out()).ok()) return true;
  if (control_.ended() || left_after_) return true;
  if (outbox_.empty() && !goodbye_sent_) {
    goodbye_sent_ = true;
    outbox_.send_goodbye(call_);
    static_cast<void>(control_.send(Goodbye{call_.sequence}));
    static_cast<void>(fail(write_out()));
  }
  // What is lent is its owner's again when the destructor returns.
  return outbox_.empty() && !outbox_.lends();
}

void TcpEndpoint::close() {
  static_cast<void>(control_.flush());
  const auto end = [](int socket) {
    ::shutdown(socket, SHUT_WR);
    discard_input(socket);
  };
  for (const UniqueFd& socket : data_) end(socket.get());
  end(control_.socket());
}

}  // namespace rondo::transport
