#pragma once

// The conversions inside the kernels of 16-bit floats, apart from any kernel and compiled for every
// instruction set, so that a test can go through all floats.

#include <cstdint>

#include "rondo/types.h"

namespace rondo::kernels {

/// Whether every float whose bits are in [first, last] is narrowed to `want`, by the vector form of
/// the instruction set in use (true where it has none) and by the scalar form.
bool all_narrow_to(DataType type, std::uint32_t first, std::uint32_t last, std::uint16_t want);
bool all_narrow_to_by_scalars(DataType type, std::uint32_t first, std::uint32_t last,
                              std::uint16_t want);

/// Whether `element` is widened to the float with these bits, in every lane.
bool widens_to(DataType type, std::uint16_t element, std::uint32_t want);

}  // namespace rondo::kernels
