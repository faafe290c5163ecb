#pragma once

// The unit of the message protocol in shared memory: one cache line per message. The sender fills
// it and writes `stamp` last; the receiver polls that same line, so a small message costs one
// transfer of one cache line. Line k of a lane lies at k % kLineCount and carries the stamp k + 1;
// it is written again only after the receiver has counted it as consumed.
// A line belongs to a call, or says in that one's place what its sender heads the message with.
// Plain data, laid out alike in every process of a host. A receiver takes a copy and checks it.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/cache_line.h"
#include "transport/endpoint/call.h"

namespace rondo::transport {

inline constexpr std::size_t kLineCount = 64;
inline constexpr std::size_t kInlineWords = 3;
inline constexpr std::size_t kInlineBytes = kInlineWords * sizeof(std::uint64_t);

/// How the bytes of a message travel.
enum class LineKind : std::uint8_t {
  kInline = 1,  ///< in the line itself
  kSlot,        ///< copied through shared slots, one line for each slot's worth
  kLent,        ///< in memory that the receiver maps: read there until the line is consumed
  kPrivate,     ///< at an address of the sender's process, for process_vm_readv
  kStored,      ///< in the receiver's memory already
  kLentRun,     ///< as kLent, for several receives of `unit` bytes, the last of what is left
  kStoredRun,   ///< as kStored, likewise
};

struct Whereabouts {
  std::uint64_t location;  ///< kLent, kPrivate, kLentRun
  std::uint64_t slot;      ///< kSlot
  std::uint64_t unit;      ///< kLentRun, kStoredRun
};

struct LineContent {
  std::uint64_t sequence;
  Fingerprint fingerprint;
  /// Kind in the top byte, whose own top bit says that there is a heading; bytes of the whole
  /// message.
  std::uint64_t kind_and_bytes;
  union {
    std::array<std::byte, kInlineBytes> inline_bytes;
    Whereabouts where;
  };

  LineKind kind() const { return static_cast<LineKind>((kind_and_bytes & ~kHeaded) >> 56); }
  bool is_headed() const { return (kind_and_bytes & kHeaded) != 0; }
  std::uint64_t bytes() const { return kind_and_bytes & ((std::uint64_t{1} << 56) - 1); }
  static std::uint64_t pack(LineKind kind, std::uint64_t bytes) {
    return (std::uint64_t{static_cast<std::uint8_t>(kind)} << 56) | bytes;
  }

  /// Last: it marks the kind.
  void set_heading(const Heading& heading) {
    std::memcpy(&sequence, heading.data(), sizeof(sequence));
    std::memcpy(&fingerprint, heading.data() + sizeof(sequence), sizeof(fingerprint));
    kind_and_bytes |= kHeaded;
  }
  Heading heading() const {
    Heading heading;
    std::memcpy(heading.data(), &sequence, sizeof(sequence));
    std::memcpy(heading.data() + sizeof(sequence), &fingerprint, sizeof(fingerprint));
    return heading;
  }

 private:
  static constexpr std::uint64_t kHeaded = std::uint64_t{1} << 63;
};
static_assert(sizeof(LineContent::sequence) + sizeof(LineContent::fingerprint) == kHeadingBytes);

struct alignas(kCacheLineBytes) Line {
  std::atomic<std::uint64_t> stamp;
  LineContent content;
};
static_assert(sizeof(Line) == kCacheLineBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace rondo::transport
