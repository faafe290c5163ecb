#include "collectives/kernels/error_feedback.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rondo::kernels {
namespace {

/// Stays in the first cache. Whole blocks, so that pieces have the bits of the whole.
constexpr std::size_t kPiece = 1024;
static_assert(kPiece % kWireBlock == 0);

using FloatPiece = std::array<float, kPiece>;
using WirePiece = std::array<std::byte, 2 * kPiece>;

void add(const float* source, const float* residual, std::size_t count, float* sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] = source[i] + residual[i];
}

void keep_loss(const float* before, const float* after, std::size_t count, float* residual) {
  for (std::size_t i = 0; i < count; ++i) {
    const float loss = before[i] - after[i];
    residual[i] = std::abs(loss) <= 3.4028235e38F ? loss : 0.0F;
  }
}

}  // namespace

void round_to_wire(const WireCodec& codec, std::size_t count, float* values, float* residual) {
  FloatPiece before;
  WirePiece wire;
  for (std::size_t done = 0; done < count; done += kPiece) {
    const std::size_t piece = std::min(kPiece, count - done);
    float* const own = values + done;
    if (residual == nullptr) {
      codec.encode(own, piece, wire.data());
      codec.decode(wire.data(), piece, own);
      continue;
    }
    add(own, residual + done, piece, before.data());
    codec.encode(before.data(), piece, wire.data());
    codec.decode(wire.data(), piece, own);
    keep_loss(before.data(), own, piece, residual + done);
  }
}

void encode_to_wire(const WireCodec& codec, const float* source, std::size_t count, float* residual,
                    std::byte* target) {
  if (residual == nullptr) return codec.encode(source, count, target);
  FloatPiece before;
  FloatPiece after;
  for (std::size_t done = 0; done < count; done += kPiece) {
    const std::size_t piece = std::min(kPiece, count - done);
    std::byte* const wire = target + wire_bytes(codec.format, done);
    add(source + done, residual + done, piece, before.data());
    codec.encode(before.data(), piece, wire);
    codec.decode(wire, piece, after.data());
    keep_loss(before.data(), after.data(), piece, residual + done);
  }
}

void encode_and_round(const WireCodec& codec, float* values, std::size_t count, float* residual,
                      std::byte* target) {
  FloatPiece before;
  for (std::size_t done = 0; done < count; done += kPiece) {
    const std::size_t piece = std::min(kPiece, count - done);
    float* const own = values + done;
    std::byte* const wire = target + wire_bytes(codec.format, done);
    if (residual == nullptr) {
      codec.encode(own, piece, wire);
      codec.decode(wire, piece, own);
      continue;
    }
    add(own, residual + done, piece, before.data());
    codec.encode(before.data(), piece, wire);
    codec.decode(wire, piece, own);
    keep_loss(before.data(), own, piece, residual + done);
  }
}

}  // namespace rondo::kernels
