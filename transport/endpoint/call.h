#pragma once

// What identifies one collective call on the wire: its number in the communicator, and the
// arguments that must be equal on every rank. The fingerprint is the arguments themselves, not a
// hash, so that a mismatch can print both sides.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace rondo::transport {

/// 16 bytes on the wire, little endian, in this order. The transport compares and carries it; only
/// the communicator gives the numbers a meaning (`name_of_call` prints them).
struct Fingerprint {
  std::uint8_t collective = 0;
  std::uint8_t dtype = 0;
  std::uint8_t redop = 0;
  std::uint8_t form = 0;  ///< kUneven, kOnDevices, kOfSplit
  std::int32_t root = 0;  ///< or, where ranks' parts have sizes that all know, a hash of these
  std::uint64_t count = 0;
  /// As two words: it is compared in every call.
  friend bool operator==(const Fingerprint& a, const Fingerprint& b) {
    return a.word(0) == b.word(0) && a.word(1) == b.word(1);
  }
  std::uint64_t word(std::size_t index) const {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(this) + index * sizeof(word),
                sizeof(word));
    return word;
  }

  static constexpr std::uint8_t kUneven = 1;     ///< ranks' parts have sizes of their own
  static constexpr std::uint8_t kOnDevices = 2;  ///< the buffers lie on devices, and stay there
  static constexpr std::uint8_t kOfSplit = 4;    ///< a split's own: no call of the program's
};
static_assert(sizeof(Fingerprint) == 16);

struct Call {
  std::uint64_t sequence = 0;  ///< 1 for the first call of an epoch
  std::uint32_t epoch = 0;
  Fingerprint fingerprint{};
};

/// What stands in the place of a call in a message that belongs to none: what its sender says of
/// it.
inline constexpr std::size_t kHeadingBytes = 24;
using Heading = std::array<std::byte, kHeadingBytes>;

/// "all_reduce(count=1009, f32, sum)": set once by the communicator so that transports can print
/// what they carry without knowing what it is; numbers until then.
using FingerprintPrinter = std::string (*)(const Fingerprint&);
void set_fingerprint_printer(FingerprintPrinter printer);
std::string to_string(const Fingerprint& fingerprint);

}  // namespace rondo::transport
