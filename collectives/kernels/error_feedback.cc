#include "collectives/kernels/error_feedback.h"

#include <algorithm>
#include <array>

namespace rondo::kernels {

void round_to_wire(const WireCodec& codec, std::size_t count, float* values, float* residual) {
  // Codes that nobody wants, as whole blocks, so that pieces have the bits of the whole.
  constexpr std::size_t kPiece = 256;
  static_assert(kPiece % kWireBlock == 0);
  std::array<std::byte, 2 * kPiece> codes;
  for (std::size_t done = 0; done < count; done += kPiece) {
    float* const own = values + done;
    float* const owed = residual == nullptr ? nullptr : residual + done;
    codec.encode_losing(own, std::min(kPiece, count - done), codes.data(),
                        {.residual = owed, .rounded = own});
  }
}

void encode_to_wire(const WireCodec& codec, const float* source, std::size_t count, float* residual,
                    std::byte* target) {
  if (residual == nullptr) return codec.encode(source, count, target);
  codec.encode_losing(source, count, target, {.residual = residual});
}

void encode_and_round(const WireCodec& codec, float* values, std::size_t count, float* residual,
                      std::byte* target) {
  codec.encode_losing(values, count, target, {.residual = residual, .rounded = values});
}

}  // namespace rondo::kernels
