#pragma once

#include <cstdint>

namespace rondo {
inline namespace v1 {

/// Of a call's buffers. Where ranks share memory, what peers can map (RegisteredMemory) is combined
/// where it lies; other memory is copied first. Elsewhere the two are alike.
enum class MemoryKind : std::uint8_t { kOrdinary, kRegistered };

}  // namespace v1
}  // namespace rondo
