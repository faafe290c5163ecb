#include "transport/ring/copy_offer.h"

#include "core/store_before_loads.h"

namespace rondo::transport {

void CopyOffer::make(const CopyPiece& piece) {
  offers_->line.store(piece.line, std::memory_order_relaxed);
  offers_->begin.store(piece.begin, std::memory_order_relaxed);
  offers_->bytes.store(piece.bytes, std::memory_order_relaxed);
  offers_->place.store(piece.place, std::memory_order_relaxed);
  offers_->core.store(piece.core, std::memory_order_relaxed);
  offers_->made.store(++number_, std::memory_order_release);
  is_out_ = true;
}

CopyOffer::Copied CopyOffer::take_back() {
  store_before_loads(offers_->taken_back, number_);
  if (answers_->taken.load(std::memory_order_seq_cst) != number_) {
    is_out_ = false;
    return Copied::kByNobody;
  }
  const std::uint64_t answered = answers_->answered.load(std::memory_order_acquire);
  if (answered >> 1 != number_) return Copied::kNotYet;
  is_out_ = false;
  return (answered & 1) != 0 ? Copied::kBySender : Copied::kByNobody;
}

std::optional<CopyPiece> CopyHelp::look() {
  number_ = offers_->made.load(std::memory_order_acquire);
  if (number_ == done_) return {};
  // Where they are being written anew, this offer has been taken back, which take() sees.
  return CopyPiece{.line = offers_->line.load(std::memory_order_relaxed),
                   .begin = offers_->begin.load(std::memory_order_relaxed),
                   .bytes = offers_->bytes.load(std::memory_order_relaxed),
                   .place = offers_->place.load(std::memory_order_relaxed),
                   .core = offers_->core.load(std::memory_order_relaxed)};
}

bool CopyHelp::take() {
  store_before_loads(answers_->taken, number_);
  if (offers_->taken_back.load(std::memory_order_seq_cst) < number_) return true;
  answer(false);
  return false;
}

void CopyHelp::answer(bool copied) {
  done_ = number_;
  answers_->answered.store(number_ * 2 + (copied ? 1 : 0), std::memory_order_release);
}

}  // namespace rondo::transport
