#pragma once

// The shared memory of one ordered pair of places. A place writes only to its own head, bulletins
// and channels, so peers may map heads and channels read-only: a channel holds the lines that its
// owner sends, and the counts of what its owner has consumed of the other direction. Slots hold
// nothing but data, and both sides write to them: the peer may replace what it has read
// (WriteBack). Zero-filled memory is a valid empty channel.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/endpoint/endpoint.h"
#include "transport/ring/asymmetric_fence.h"
#include "transport/ring/call_board.h"
#include "transport/ring/copy_offer.h"
#include "transport/ring/line.h"

namespace rondo::transport {

inline constexpr std::size_t kMaxLanes = kFirstFreeLane + kFreeLanes;
inline constexpr std::size_t kMaxSlots = 64;
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

/// Somewhere in memory that a peer may store into, as one word: StoreRegion in the top byte, offset
/// below. Where it comes from another rank, both are to be checked.
struct StorePlace {
  std::uint64_t region = 0;
  std::uint64_t offset = 0;

  static constexpr unsigned kRegionShift = 56;
  static constexpr StorePlace of(std::uint64_t word) {
    return {word >> kRegionShift, word & ((std::uint64_t{1} << kRegionShift) - 1)};
  }
  constexpr std::uint64_t word() const { return region << kRegionShift | offset; }
};

/// Memory of a rank that its peers may store into, by StoreRegion; empty: none.
using StoreSpans = std::array<std::span<std::byte>, 2>;

/// The owner's memory that the peer may store into during call `sequence` (see StoreRegion).
struct alignas(kCacheLineBytes) StoreRegions {
  std::atomic<std::uint64_t> sequence;  ///< 0 while the rest is being written
  std::array<std::atomic<std::uint64_t>, 2> location;
  std::array<std::atomic<std::uint64_t>, 2> bytes;
};

/// The owner is writing into memory of the peer's. Set before the peer's `gave_up` is looked at,
/// and looked at by a peer that has set that: one of the two sees the other.
struct alignas(kCacheLineBytes) Storing {
  std::atomic<std::uint32_t> now;
};

/// Lines of the other direction that the owner has no further use for.
struct alignas(kCacheLineBytes) ConsumedCount {
  std::atomic<std::uint64_t> count;
};

/// A slot of the other direction whose bytes the owner has replaced, for the peer to put them where
/// it may store (see StoreRegions). Written before the line that names the slot is consumed.
struct WriteBack {
  std::atomic<std::uint64_t> stamp;  ///< of that line; another: its bytes are as they were
  std::atomic<std::uint64_t> place;  ///< a StorePlace
};
static_assert(kCacheLineBytes % sizeof(WriteBack) == 0);
using WriteBacks = std::array<WriteBack, kMaxSlots>;

/// Messages of kBufferedLane that were lent, and that their sender copied to slots afterwards, for
/// the receiver hadn't looked: the sender stores to `moved` and then looks at the receiver's
/// `reading`, the receiver stores to `reading` and then looks at the sender's `moved`. One of the
/// two sees the other, so nobody reads memory that its owner has taken back.
struct Relocations {
  /// The owner has begun to read the lent lines of the other direction before this number.
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> reading;
  /// By line of the owner's; the number of the line, counted from one, stands above its first slot.
  alignas(kCacheLineBytes) std::array<std::atomic<std::uint64_t>, kLineCount> moved;

  static constexpr unsigned kSlotBits = 8;
};
static_assert(kMaxSlots <= 1u << Relocations::kSlotBits);

struct Channel {
  StoreRegions stores;
  Storing storing;
  std::array<CopyOffers, kMaxLanes> copy_offers;
  std::array<CopyAnswers, kMaxLanes> copy_answers;
  std::array<ConsumedCount, kMaxLanes> consumed;
  alignas(kCacheLineBytes) std::array<WriteBacks, kMaxLanes> write_backs;  ///< by lane and slot
  std::array<std::array<Line, kLineCount>, kMaxLanes> lines;
  Relocations relocations;
};

/// One message of a place for all its peers: line k % kBulletins has bulletin k, stamped k. A place
/// publishes only after it has read (or at least seen) all bulletins before, so whoever publishes k
/// + 2 knows that every peer has published k + 1, and so has read k. Two would do for that; of four
/// the next but one's lines can be taken from their readers while k is out (expect_publish stores
/// to them), a whole call before it is written: neither k - 1 nor k lies there.
inline constexpr std::size_t kBulletins = 4;
using Bulletins = std::array<Line, kBulletins>;
/// Where one of more than kInlineBytes has its bytes.
inline constexpr std::size_t kBulletinBytes = 1024;
/// Each on a page of its own, with nothing of the others behind it there: whoever reads a kilobyte
/// in order is brought by its prefetcher what follows on the page, too, and so would take it from a
/// rank that is about to write it.
struct BulletinRoom {
  std::array<std::byte, kBulletinBytes> bytes;
  std::array<std::byte, 4096> apart;
};

/// In memory that peers map writable, though they only read there: on AMD's Zen 4 a line that was
/// read through a mapping which can't be written to stays shared when its owner asks for it ahead
/// of a store, and each store then waits for its line (a kilobyte between near cores 0.35 us
/// instead of 0.28, between far ones 0.90 instead of 0.47). A rank that did write there could do
/// what it could by writing to slots: bring wrong data, or end calls; readers use no number that
/// stands there.
struct BulletinBoard {
  Bulletins lines;
  alignas(4096) std::array<BulletinRoom, kBulletins> rooms;
};

/// What a place shows to all its peers.
struct PlaceHead {
  SleepWord sleep;
  CallBoard board;
  /// Set, for good, before a rank that gives up frees the memory it has lent: whoever read from it
  /// looks here afterwards, and doesn't trust what it read; whoever stores into it, before.
  alignas(kCacheLineBytes) std::atomic<std::uint32_t> gave_up{0};
};

/// The slots of one channel: `count` for each lane, one behind the other.
struct Slots {
  std::byte* memory = nullptr;
  std::size_t count = 0;  ///< 0: this channel has none (every message can be lent)
  std::size_t bytes = 0;  ///< of one slot

  std::byte* lane(std::size_t index) const { return memory + index * count * bytes; }
  /// That of kBufferedLane, in more and smaller slots: each message there takes one at least.
  Slots of_buffered_lane() const;
};

inline Slots Slots::of_buffered_lane() const {
  constexpr std::size_t kMostParts = 8;
  const std::size_t parts = std::min({kMostParts, kMaxSlots / count, bytes / kCacheLineBytes});
  return {.memory = lane(kBufferedLane),
          .count = count * parts,
          .bytes = bytes / parts / kCacheLineBytes * kCacheLineBytes};
}

}  // namespace rondo::transport
