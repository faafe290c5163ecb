#pragma once

// An endpoint over shared lines: what inproc and shm have in common. What differs (how memory is
// named, how a sleeping peer is woken, how an abort travels) comes from RemoteMemory and from the
// class that derives.
// Threads: one at a time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/endpoint/endpoint.h"
#include "transport/ring/channel.h"
#include "transport/ring/lent_view.h"
#include "transport/ring/recv_lane.h"
#include "transport/ring/remote_memory.h"
#include "transport/ring/send_lane.h"

namespace rondo::transport {

/// The memory that joins two places; borrowed for the life of the endpoint.
struct RingLink {
  int rank = 0;
  int peer = 0;
  PlaceHead* own_head = nullptr;
  const PlaceHead* peer_head = nullptr;
  BulletinBoard* own_bulletins = nullptr;
  const BulletinBoard* peer_bulletins = nullptr;
  Channel* own_channel = nullptr;         ///< lines to the peer
  const Channel* peer_channel = nullptr;  ///< lines from the peer
  Slots own_slots;                        ///< of all lanes; none where every message can be lent
  Slots peer_slots;                       ///< likewise
  /// Of kBufferedLane.
  Slots own_buffer;
  Slots peer_buffer;
  RemoteMemory* memory = nullptr;
  bool asymmetric_fence = false;  ///< both sides have it
};

class RingEndpoint : public Endpoint {
 public:
  static constexpr std::size_t kWindow = 32;

  explicit RingEndpoint(const RingLink& link);

  int peer() const final { return link_.peer; }
  std::size_t window() const final { return kWindow; }
  void begin(const Call& call, const std::array<std::span<std::byte>, 2>& stores) final;
  std::optional<std::size_t> eager_bytes() const final { return send_lanes_[0].eager_bytes(); }
  Result<bool> send_eager(std::span<const std::byte> message) final;
  Result<bool> lend_eager(std::span<const std::byte> message) override;
  Result<bool> stored_eager(std::size_t bytes) override;
  Result<bool> returned_eager() override;
  Result<const std::byte*> recv_eager(std::size_t bytes) final;
  std::byte* write_back_eager(StoreRegion region, std::size_t offset) final {
    return write_back(eager_, region, offset);
  }
  void release_eager() final;
  std::optional<std::size_t> bulletin_bytes() const final { return kBulletinBytes; }
  Status publish(const Call& call, std::span<const std::byte> message) final;
  Result<const std::byte*> read_bulletin(std::size_t bytes, int looks) final;
  Status skip_bulletin(std::size_t bytes) final;
  Result<bool> settle_bulletin() final;
  void expect_publish() final;
  bool has_headings() const final { return true; }
  std::size_t headed_bytes() const final { return send_lanes_[kBufferedLane].headed_bytes(); }
  Result<bool> send_headed(const Heading& heading, std::span<const std::byte> message) final;
  Result<const Heading*> next_heading() final;
  Result<bool> take_headed(std::span<std::byte> target) final;
  bool has_unexpected() final;
  bool lends(const std::byte* data, std::size_t bytes) const override;
  Result<Token> post(std::span<const Transfer> group) final;
  Result<bool> poll(Token token) final;
  const std::byte* view(Token token) final;
  void release(Token token) final;
  std::byte* peer_store(StoreRegion region, std::size_t offset, std::size_t bytes) final;
  Status begin_store() final;
  void end_store() final { link_.own_channel->storing.now.store(0, std::memory_order_release); }
  std::byte* write_back(Token token, StoreRegion region, std::size_t offset) final;
  Result<Ticks> help() final;
  Status announce_call() final { return {}; }
  std::optional<Fingerprint> peer_call(std::uint64_t sequence) final;
  Traffic traffic() const final;
  Ticks copying_since(std::uint16_t lane) const final {
    return std::max(recv_lanes_[lane].copying_since(), send_lanes_[lane].copying_since());
  }
  Status left() const final { return left_; }
  Status verdict() final;
  /// Peers that read this rank's memory from now on won't trust it, and begin no store.
  void withdraw() override;

  /// Moves what can be moved on all lanes in use, and notices a message with a heading that has
  /// come; the error that ended the endpoint, if one did.
  Status progress();
  /// Whether progress() would find something to do.
  bool can_progress() const;
  /// About to sleep: what was lent on kBufferedLane, and the peer hasn't looked at, is copied. True
  /// if sends are done by that.
  bool copy_lent();
  /// The first error stays.
  void fail(Status error);
  /// Fails where the peer has given up.
  void look_for_give_up();
  /// The peer has left in order: what it sent still counts, what it would have to do is lost.
  void peer_left(Status error);
  const Call& call() const { return call_; }
  /// What ended the endpoint; OK where nothing did.
  const Status& failure() const { return failure_; }

 protected:
  /// Before anything of the peer is touched in a call.
  virtual void enter_call() {}
  /// Takes in what the peer has said of its end, if anything: it calls fail() then.
  virtual void look_for_notice() {}
  /// Wakes the peer's place, without waiting.
  virtual void ring_doorbell() = 0;
  /// After `withdraw`: the peer is still at a store that it had begun before.
  bool peer_stores() const {
    return link_.peer_channel->storing.now.load(std::memory_order_acquire) != 0;
  }
  /// What it may be storing into: the regions of the call begun last that had any.
  const StoreSpans& stores() const { return *stores_; }

 private:
  Result<bool> sent_eager(Result<bool> sent);
  Status fail_of(Status error);
  const Line& awaited_bulletin() const {
    return link_.peer_bulletins->lines[bulletin_ % kBulletins];
  }
  bool bulletin_is_here() const {
    return awaited_bulletin().stamp.load(std::memory_order_acquire) == bulletin_;
  }
  Line& own_bulletin() const { return link_.own_bulletins->lines[bulletin_ % kBulletins]; }
  inline void write_bulletin(const Call& call, std::size_t bytes,
                             const std::array<std::uint64_t, kInlineWords>& words);
  void write_long_bulletin(const Call& call, std::span<const std::byte> message);
  Result<const std::byte*> miss_bulletin();
  inline Result<const std::byte*> take_bulletin(const Call& call, std::size_t bytes);
  Status check_bulletin(const Call& call, const LineContent& content, std::size_t bytes) const;
  Status examine(const Call& call, const LineContent& content, std::size_t bytes);
  bool has_left_overs() const;
  Status check_left_overs() const;
  Status check_room(std::span<const Transfer> group) const;
  Status move_lanes();
  bool needs_peer() const;
  /// If it sleeps; behind what it is to see.
  void wake_peer() {
    light_fence(link_.asymmetric_fence);
    const std::uint64_t turn = link_.peer_head->sleep.turn.load(std::memory_order_relaxed);
    if (turn % 2 != 0) ring_once(turn);
  }
  void ring_once(std::uint64_t turn);
  void write_stores(const std::array<std::span<std::byte>, 2>& stores);

  struct PeerRegion {
    std::uint64_t location = kNowhere;
    std::uint64_t bytes = 0;
  };
  PeerRegion peer_region(StoreRegion region) const;
  Result<Ticks> help_with(std::size_t lane);
  std::byte* target_of(const SendLane::LentRun& run, const CopyPiece& piece);
  Status copy_for_peer(const SendLane::LentRun& run, const CopyPiece& piece, std::byte* target);
  std::byte* write_back(LentView& view, StoreRegion region, std::size_t offset) const;

  RingLink link_;
  Call call_;
  std::unique_ptr<StoreSpans> stores_ = std::make_unique<StoreSpans>();  ///< lanes point to it
  RingGroups groups_;
  Staging staging_;
  std::vector<SendLane> send_lanes_;
  std::vector<RecvLane> recv_lanes_;
  std::vector<CopyHelp> copy_helps_;  ///< by lane
  bool awaits_eager_ = false;         ///< recv_eager was called in vain
  bool awaits_room_ = false;          ///< send_eager was
  bool awaits_bulletin_ = false;      ///< read_bulletin was
  bool awaits_heading_ = false;       ///< next_heading was, and none has come since
  Heading heading_{};
  std::uint64_t bulletin_ = 0;  ///< number of the last that this rank published
  std::array<std::size_t, kBulletins> bulletin_sizes_{};  ///< of this rank's last ones
  struct Skipped {
    Call call;
    std::size_t bytes = 0;
  };
  Skipped skipped_;  ///< where has_skipped(): the peer's bulletin that nobody has looked at yet
  std::uint64_t bulletin_bytes_sent_ = 0;
  std::uint64_t bulletin_bytes_received_ = 0;
  LentView eager_;                ///< of the message that recv_eager gave
  std::uint32_t busy_lanes_ = 0;  ///< bit k: lane k may have transfers that aren't done
  std::uint32_t used_lanes_ = 1;  ///< bit k: lane k has ever had any, in calls
  std::uint64_t rung_turn_ = 0;
  Status failure_;
  Status left_;
};

}  // namespace rondo::transport
