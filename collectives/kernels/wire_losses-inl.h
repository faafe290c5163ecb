// Encoding with error feedback in one pass: pieces that are added up, encoded, decoded and compared
// while they are in the nearest cache. No guard by #pragma once: foreach_target.h includes this
// file once per target.

#if defined(RONDO_WIRE_LOSSES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RONDO_WIRE_LOSSES_INL_H
#undef RONDO_WIRE_LOSSES_INL_H
#else
#define RONDO_WIRE_LOSSES_INL_H
#endif

#include <cstddef>
#include <cstring>
#include <limits>

#include "collectives/kernels/wire_format.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// No piece is a part of such a vector.
using LossTag = hn::CappedTag<float, 16>;

/// `Piece`: kCount elements, a multiple of 16, `encode`d to kBytes of its own, and `decode`d.
template <class Piece>
HWY_INLINE void encode_losing_piece(const float* source, std::byte* target, WireLosses losses) {
  const LossTag d;
  HWY_ALIGN float before[Piece::kCount];
  HWY_ALIGN float after[Piece::kCount];
  for (std::size_t i = 0; i < Piece::kCount; i += hn::Lanes(d)) {
    auto values = hn::LoadU(d, source + i);
    if (losses.residual != nullptr) values = hn::Add(values, hn::LoadU(d, losses.residual + i));
    hn::Store(values, d, before + i);
  }
  Piece::encode(before, target);
  Piece::decode(target, after);
  for (std::size_t i = 0; i < Piece::kCount; i += hn::Lanes(d)) {
    const auto rounded = hn::Load(d, after + i);
    if (losses.rounded != nullptr) hn::StoreU(rounded, d, losses.rounded + i);
    if (losses.residual == nullptr) continue;
    const auto loss = hn::Sub(hn::Load(d, before + i), rounded);
    const auto is_finite = hn::Le(hn::Abs(loss), hn::Set(d, std::numeric_limits<float>::max()));
    hn::StoreU(hn::IfThenElseZero(is_finite, loss), d, losses.residual + i);
  }
}

/// The last piece, with zeros behind its `count` elements.
template <class Piece>
void encode_losing_rest(const float* source, std::size_t count, std::byte* target,
                        WireLosses losses) {
  float padded[Piece::kCount] = {};
  float residual[Piece::kCount] = {};
  float rounded[Piece::kCount];
  std::byte code[Piece::kBytes];
  std::memcpy(padded, source, count * sizeof(float));
  if (losses.residual != nullptr) std::memcpy(residual, losses.residual, count * sizeof(float));
  // Adding zeros would take the sign of -0.
  float* const kept = losses.residual == nullptr ? nullptr : residual;
  encode_losing_piece<Piece>(padded, code, {.residual = kept, .rounded = rounded});
  std::memcpy(target, code, wire_bytes(Piece::kFormat, count));
  if (losses.residual != nullptr) std::memcpy(losses.residual, residual, count * sizeof(float));
  if (losses.rounded != nullptr) std::memcpy(losses.rounded, rounded, count * sizeof(float));
}

template <class Piece>
void encode_losing(const float* source, std::size_t count, std::byte* target, WireLosses losses) {
  while (count > 0) {
    const bool is_whole = count >= Piece::kCount;
    const std::size_t done = is_whole ? Piece::kCount : count;
    if (is_whole) {
      encode_losing_piece<Piece>(source, target, losses);
    } else {
      encode_losing_rest<Piece>(source, count, target, losses);
    }
    count -= done;
    source += done;
    target += Piece::kBytes;
    if (losses.residual != nullptr) losses.residual += done;
    if (losses.rounded != nullptr) losses.rounded += done;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#endif  // RONDO_WIRE_LOSSES_INL_H
