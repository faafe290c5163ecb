#pragma once

// Long messages in lent memory that both sides copy: while the receiver copies a piece, it offers
// the next one to the sender, which has nothing to do but wait. So a broadcast between two ranks,
// or a gather's root, has two cores.
//
// Each side writes to its own memory alone. The receiver numbers its offers and takes one back
// before it copies the piece itself; the sender says that it takes one, and then looks whether it
// has been taken back: one of the two sees the other (core/store_before_loads.h). Who sees that is
// second leaves the piece to the other.
// Threads: one on each side.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/cache_line.h"

namespace rondo::transport {

/// Of the message in line `line` the bytes from `begin` on, and where the receiver wants them.
struct CopyPiece {
  std::uint64_t line = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t place = 0;  ///< a StorePlace (channel.h)
  int core = -1;            ///< where the receiver runs: the same one copies nothing sooner
};

/// In the receiver's memory.
struct alignas(kCacheLineBytes) CopyOffers {
  std::atomic<std::uint64_t> made;        ///< number of the last one, from 1: of the piece below
  std::atomic<std::uint64_t> taken_back;  ///< number of the last that was
  std::atomic<std::uint64_t> line;
  std::atomic<std::uint64_t> begin;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> place;
  std::atomic<int> core;
};

/// In the sender's memory.
struct alignas(kCacheLineBytes) CopyAnswers {
  std::atomic<std::uint64_t> taken;     ///< number of the last offer that it has reached for
  std::atomic<std::uint64_t> answered;  ///< number of the last that it has done with, times two; 1
                                        ///< more: it has copied the piece
};

/// The receiver's side: one offer at a time.
class CopyOffer {
 public:
  enum class Copied : std::uint8_t {
    kByNobody,  ///< the offer is over: the piece is the receiver's
    kNotYet,    ///< the sender is at it
    kBySender,
  };

  CopyOffer(CopyOffers& offers, const CopyAnswers& answers)
      : offers_(&offers), answers_(&answers) {}

  bool is_out() const { return is_out_; }
  /// None is out.
  void make(const CopyPiece& piece);
  /// To be asked before the piece is copied, as often as it isn't yet.
  Copied take_back();
  /// Whether the sender has answered.
  bool is_answered() const {
    return answers_->answered.load(std::memory_order_acquire) >> 1 == number_;
  }

 private:
  CopyOffers* offers_;
  const CopyAnswers* answers_;
  std::uint64_t number_ = 0;
  bool is_out_ = false;
};

/// The sender's side.
class CopyHelp {
 public:
  CopyHelp(const CopyOffers& offers, CopyAnswers& answers) : offers_(&offers), answers_(&answers) {}

  /// The piece on offer; nothing where there is none, or that has been answered.
  std::optional<CopyPiece> look();
  /// Whether the piece that was looked at is this side's to copy; else it is over.
  bool take();
  /// It has been copied, or can't be.
  void answer(bool copied);

 private:
  const CopyOffers* offers_;
  CopyAnswers* answers_;
  std::uint64_t number_ = 0;  ///< of the last that was looked at
  std::uint64_t done_ = 0;    ///< of the last that is over
};

}  // namespace rondo::transport
