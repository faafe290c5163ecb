#pragma once

// A range of addresses that shows a part of a file, unmapped with its owner.
// Threads: any, one at a time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/status.h"

namespace rondo::device {

enum class Access : std::uint8_t {
  kNone,  ///< the addresses exist, a touch faults
  kReadWrite,
};

class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept : range_(std::exchange(other.range_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(range_, other.range_);
    return *this;
  }
  ~Mapping();

  /// `offset_bytes` is a multiple of the page size. Errors: System.
  static Result<Mapping> create(int descriptor, std::size_t offset_bytes, std::size_t bytes,
                                Access access);

  std::byte* data() const { return range_.data(); }
  std::size_t bytes() const { return range_.size(); }

 private:
  std::span<std::byte> range_;
};

}  // namespace rondo::device
