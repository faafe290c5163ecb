#pragma once

// The seam between what is moved and how: one place's side of its connection to one peer.
//
// Messages of one (direction, lane) are a FIFO and complete in order. The executor posts groups of
// transfers, polls their tokens, and keeps at most `window()` of them outstanding per lane and
// direction, so posting never blocks and nothing is allocated after creation.
//
// Three ways a message's bytes can travel, chosen by the sender's endpoint and invisible to the
// schedule: copied (slots, sockets), lent (the receiver reads the sender's registered memory and
// releases it), or stored (the sender's kernel wrote them into the receiver's memory, or into a
// slot of the receiver's that it was reading; see peer_store, write_back).
//
// Threads: one thread at a time per place.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/status.h"
#include "core/ticks.h"
#include "transport/endpoint/call.h"

namespace rondo::transport {

enum class TransportKind : std::uint8_t { kInproc, kShm, kTcp };
const char* to_string(TransportKind kind);

enum class TransferKind : std::uint8_t {
  kSend,      ///< `data` -> peer; done once the receiver has consumed it or it has been copied
  kStored,    ///< the bytes are already in the peer's memory: tells it so; `data` unused
  kRecv,      ///< peer -> `data`; where the message was stored, they are there already
  kRecvView,  ///< peer's bytes are lent: once done, `view` tells where they lie until `release`
};

struct Transfer {
  TransferKind kind = TransferKind::kSend;
  std::uint16_t lane = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  /// Of a kSend of memory that the endpoint lends, and of a kStored: not 0 where several receives
  /// take the message, of so many bytes each and the last of what is left.
  std::size_t unit = 0;
  /// Of a kRecv: how many bytes from `data` on, its own and more, the next receives of the lane are
  /// for, in order. The sender may help with those that it lent (`help`).
  std::size_t room = 0;
  /// Of a kSend on kBufferedLane, where the endpoint has headings; it stays until the send is done.
  const Heading* heading = nullptr;
};

/// Lanes for messages that belong to no call: they may be posted at any time, and come through
/// whatever call the two ranks are in.
inline constexpr std::uint16_t kFirstFreeLane = 6;
inline constexpr std::uint16_t kFreeLanes = 3;
/// The first of them: where the peer doesn't look, sends on it are copied, so that they are done
/// all the same, as far as the endpoint has room.
inline constexpr std::uint16_t kBufferedLane = kFirstFreeLane;
constexpr bool is_free_lane(std::size_t lane) {
  return lane >= kFirstFreeLane && lane < kFirstFreeLane + kFreeLanes;
}
/// What stands in the place of a call in their messages.
inline constexpr Call kNoCall{.sequence = 0, .epoch = 0, .fingerprint = {.collective = 255}};

/// Names a posted group; opaque to everybody but its endpoint.
using Token = std::uint64_t;

/// Memory of a rank that peers may store into.
enum class StoreRegion : std::uint8_t { kOutput, kScratch };
/// What is stored at once (Endpoint::begin_store): whoever gives up may have to wait for so much.
inline constexpr std::size_t kMostStoredBytes = std::size_t{1} << 20;

struct Traffic {
  std::uint64_t sent_bytes = 0;  ///< payload, however it travelled
  std::uint64_t received_bytes = 0;
  /// By this side's own copies, of messages that no line holds: into and out of slots, out of lent
  /// memory. What a socket copies doesn't count.
  std::uint64_t copied_bytes = 0;
  /// Of messages that came in parts, as over a link that is slower than this rank: their bytes, and
  /// the time from a message's first part to its last, in ticks (core/ticks.h).
  std::uint64_t parted_bytes = 0;
  std::uint64_t parted_ticks = 0;
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual TransportKind kind() const = 0;
  virtual int peer() const = 0;

  /// Most transfers outstanding per lane and direction. On kBufferedLane more than so many may be
  /// done that the peer hasn't consumed.
  virtual std::size_t window() const = 0;

  /// Whether several sends of one group cost less than each by itself, and so do looks: each takes
  /// a call of the system.
  virtual bool gathers() const { return false; }

  /// Starts a call: its sequence number and fingerprint ride in every message posted from now on,
  /// and `stores` (output, scratch; empty: none) is memory that the peer may store into.
  virtual void begin(const Call& call, const std::array<std::span<std::byte>, 2>& stores) = 0;

  /// Ends the call, well or not: this rank touches no memory of the peer until the next begin.
  virtual void end() {}
  /// Nobody moves the call on for a while: this rank touches no memory of the peer until resume.
  virtual void pause() {}
  /// Errors: as poll, where the peer has given up meanwhile; what it has lent is gone then.
  virtual Status resume() { return {}; }

  /// Eager messages, of at most so many bytes, need no group: they are copied at once. On the wire
  /// each is a message of lane 0 like any other, so the peer may receive it by either way. Only
  /// while lane 0 has no transfers outstanding. Nothing: there are no such messages.
  virtual std::optional<std::size_t> eager_bytes() const { return std::nullopt; }
  /// False where there is no room now: to be asked again for the same message, which may be on its
  /// way. Errors as post.
  virtual Result<bool> send_eager(std::span<const std::byte> message);
  /// The same for memory that is lent (`lends`), of any size: the peer reads it where it lies.
  virtual Result<bool> lend_eager(std::span<const std::byte> message);
  /// The same for bytes that are in the peer's memory already (peer_store).
  virtual Result<bool> stored_eager(std::size_t bytes);
  /// True once the peer has given back all that lend_eager lent. Errors as poll.
  virtual Result<bool> returned_eager();
  /// Where the next message, of exactly so many bytes, lies until release_eager; `stored` where the
  /// peer has put it to where it belongs; null where nothing has come yet. One at a time. Where
  /// looks cost (`gathers`) it looks once, and then finds what the transport's progress has
  /// brought. Errors as poll.
  virtual Result<const std::byte*> recv_eager(std::size_t bytes);
  static const std::byte* stored();
  /// As write_back, of that message.
  virtual std::byte* write_back_eager(StoreRegion region, std::size_t offset);
  /// Gives it back; nothing where there is none.
  virtual void release_eager() {}

  /// Bulletins: one message of at most so many bytes to all peers at once, which they read where it
  /// lies. For calls in which every rank publishes one and reads, or skips, each other's; all ranks
  /// make these in the same order. Nothing: there are none.
  virtual std::optional<std::size_t> bulletin_bytes() const { return std::nullopt; }
  /// This rank's next bulletin, for this peer; written once for all endpoints of a transport. The
  /// call has begun, or begins next. Errors as post.
  virtual Status publish(const Call& call, std::span<const std::byte> message);
  /// The peer's bulletin of the same number, of exactly so many bytes, or null where it hasn't come
  /// at the last of so many looks (at least one); valid until the next publish. Errors as poll.
  virtual Result<const std::byte*> read_bulletin(std::size_t bytes, int looks);
  /// The peer's bulletin of the same number, of so many bytes, is of no use to this rank and isn't
  /// waited for; it has to have come before the next publish. Errors: what has ended the endpoint,
  /// as far as is known without a look.
  virtual Status skip_bulletin(std::size_t bytes);
  /// Whether there is one that was skipped, and has yet to be settled. Not virtual: the shortest
  /// calls ask it of each peer before their bulletin goes out.
  bool has_skipped() const { return has_skipped_; }
  /// True once the one that was skipped has come; true where there is none. Errors as poll.
  virtual Result<bool> settle_bulletin() { return true; }
  /// A bulletin has been published, and more will follow.
  virtual void expect_publish() {}

  /// Whether messages on kBufferedLane may have headings, which come with them and are read before
  /// anybody says where their bytes are to go. Where not, a heading is a message of its own.
  virtual bool has_headings() const { return false; }
  /// Most bytes that a message with a heading has that needs no group: it is copied at once.
  virtual std::size_t headed_bytes() const { return 0; }
  /// Such a message; false where sends on the lane are under way, or the peer leaves no room now.
  /// Errors as post.
  virtual Result<bool> send_headed(const Heading& heading, std::span<const std::byte> message);
  /// That of the next message on the lane, of which no receive is posted, or null where none has
  /// come; valid until the next look. Errors as poll.
  virtual Result<const Heading*> next_heading();
  /// Takes the bytes of that message, of exactly so many. False where they aren't all here yet:
  /// then, as for any message, a receive is posted for them. Errors as poll.
  virtual Result<bool> take_headed(std::span<std::byte> target);
  /// Whether a message that belongs to no call has come, and no receive of such is posted, nor has
  /// any been by `next_heading`. Once asked, the next that comes keeps its place awake.
  virtual bool has_unexpected() { return false; }

  /// Whether a kSend of these bytes is read where they lie: then one may be for several receives.
  virtual bool lends(const std::byte* data, std::size_t bytes) const;

  /// Takes a group of transfers; the token is done when all of them are.
  /// Errors: PeerLost, Mismatch, or what the peer aborted with.
  virtual Result<Token> post(std::span<const Transfer> group) = 0;

  /// True once the group is done. Errors as post.
  virtual Result<bool> poll(Token token) = 0;

  /// Where a done kRecvView (the group's only transfer) has its bytes. Valid until release.
  virtual const std::byte* view(Token token) = 0;
  /// Gives a view back; its sender may write to its source again.
  virtual void release(Token token) = 0;

  /// Where this process sees [offset, offset + bytes) of the peer's region of the current call, or
  /// null where that memory can't be mapped. Known once a message of the call came from the peer.
  virtual std::byte* peer_store(StoreRegion region, std::size_t offset, std::size_t bytes) = 0;

  /// Around whatever is written where peer_store says, in pieces of kMostStoredBytes each: a peer
  /// that gives up waits for the end of it. Errors: the peer has given up, and its memory may be
  /// another's by now. `end_store` may come without a `begin_store`.
  virtual Status begin_store() { return {}; }
  virtual void end_store() {}

  /// The same by way of a done view that lies in shared slots: where its bytes may be replaced by
  /// those that the peer is to put to `offset` of its region. They count as stored from its release
  /// on. Once for each view; null where that can't be.
  virtual std::byte* write_back(Token token, StoreRegion region, std::size_t offset);

  /// For who has nothing else to do: copies a piece of what the peer is copying out of memory that
  /// this side lent. When that began, in ticks; 0: there was none. Errors as post.
  virtual Result<Ticks> help() { return Ticks{0}; }

  /// Tells the peer which call this rank waits in (on the control lane; free where a board does).
  virtual Status announce_call() = 0;
  /// What the peer is known to have called as number `sequence`; nothing if not known (yet).
  virtual std::optional<Fingerprint> peer_call(std::uint64_t sequence) = 0;

  /// OK, or that the peer has left in order: an error only for who still needs it, which calls find
  /// out by themselves. As of the transport's last progress.
  virtual Status left() const { return {}; }

  /// Asked once at the end of a call: an error where the peer gave up while its memory was read, so
  /// that what was read can't be trusted.
  virtual Status verdict() { return {}; }

  /// Tells the peer, best effort and without waiting, that this rank gives up and why.
  virtual void abort(const Status& cause) = 0;
  /// Takes back what was lent to the peer, once all peers have been told: afterwards its owner may
  /// free it. Waits where the peer is a place of this process, until its call has ended or pauses.
  virtual void withdraw() {}
  /// Behind the `withdraw` of all endpoints: waits for a store that a process of this host is at,
  /// until `until` at most. Of one that stands still for longer nobody can say when it goes on:
  /// what it may write to then is handed out to nobody any more.
  virtual void await_store(std::chrono::steady_clock::time_point /*until*/) {}

  virtual Traffic traffic() const = 0;
  /// When this side last began to copy what had come on the lane, a message or what the peer had
  /// written back, in ticks; 0: never, or not told. Asked for each wait of a call that is traced.
  virtual Ticks copying_since(std::uint16_t lane) const;

 protected:
  void set_skipped(bool skipped) { has_skipped_ = skipped; }

 private:
  bool has_skipped_ = false;
};

}  // namespace rondo::transport
