#pragma once

// 64 bits that stand for a sequence of numbers.

#include <bit>
#include <cstdint>

namespace rondo::simulate {

class TraceHash {
 public:
  void add(std::uint64_t value) {
    bits_ = (bits_ ^ value) * 0x9E3779B97F4A7C15U;
    bits_ ^= bits_ >> 29U;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0x243F6A8885A308D3U;
};

}  // namespace rondo::simulate
