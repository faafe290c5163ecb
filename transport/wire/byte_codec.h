#pragma once

// Little-endian fields written to and read from a block of fixed size. A reader never looks past
// its block: it then yields zeros and `ok()` turns false. Pure; no allocation.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/endpoint/call.h"

namespace rondo::transport {

class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> block) : block_(block) {}

  template <std::unsigned_integral T>
  void put(T value) {
    if (std::endian::native == std::endian::little && block_.size() - used_ >= sizeof(T)) {
      // One store: a loop of bytes isn't made into one.
      std::memcpy(block_.data() + used_, &value, sizeof(T));
      used_ += sizeof(T);
      return;
    }
    for (std::size_t i = 0; i < sizeof(T) && used_ < block_.size(); ++i)
      block_[used_++] = static_cast<std::byte>(value >> (8 * i));
  }
  void put(std::int32_t value) { put(static_cast<std::uint32_t>(value)); }
  void put(const Fingerprint& f) {
    put(f.collective), put(f.dtype), put(f.redop), put(f.form), put(f.root), put(f.count);
  }

 private:
  std::span<std::byte> block_;
  std::size_t used_ = 0;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> block) : block_(block) {}

  template <std::unsigned_integral T>
  T get() {
    if (block_.size() - used_ < sizeof(T)) {
      ok_ = false;
      return 0;
    }
    T value = 0;
    if (std::endian::native == std::endian::little) {
      std::memcpy(&value, block_.data() + used_, sizeof(T));
    } else {
      for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | (static_cast<T>(block_[used_ + i]) << (8 * i)));
    }
    used_ += sizeof(T);
    return value;
  }
  std::int32_t get_int() { return static_cast<std::int32_t>(get<std::uint32_t>()); }
  Fingerprint get_fingerprint() {
    Fingerprint f;
    f.collective = get<std::uint8_t>();
    f.dtype = get<std::uint8_t>();
    f.redop = get<std::uint8_t>();
    f.form = get<std::uint8_t>();
    f.root = get_int();
    f.count = get<std::uint64_t>();
    return f;
  }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> block_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

}  // namespace rondo::transport
