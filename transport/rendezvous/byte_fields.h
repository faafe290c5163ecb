#pragma once

// Numbers and texts as bytes: little endian, texts with a 32-bit length in front. What a reader
// takes is checked against what is there; one flaw makes it fail for good, so that a caller checks
// once, at the end. Threads: one at a time per object.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::rendezvous {

class FieldWriter {
 public:
  template <std::unsigned_integral T>
  FieldWriter& number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
    }
    return *this;
  }
  FieldWriter& text(std::string_view value);

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class FieldReader {
 public:
  /// Borrows `bytes`.
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  T number() {
    const std::string_view bytes = take(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = static_cast<T>(value |
                             static_cast<T>(T{static_cast<unsigned char>(bytes[i])} << (8 * i)));
    }
    return value;
  }
  /// A text of at most `max_bytes`.
  std::string text(std::size_t max_bytes);

  /// All was there so far.
  bool ok() const { return ok_; }
  /// All was there, and nothing is left.
  bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t bytes);

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace rondo::rendezvous
