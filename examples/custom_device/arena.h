#pragma once

// The memory of one device: a file that other processes can map, taken block by block.
// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "examples/custom_device/shared_file.h"

namespace custom_cpu {

class Arena {
 public:
  /// Null where the system has no room for it.
  static std::unique_ptr<Arena> create(std::uint64_t bytes);

  /// Null where there is none.
  std::byte* allocate(std::uint64_t bytes);
  /// False where no block begins there.
  bool free(const std::byte* memory);
  /// From it to the end of its block; 0: it lies in none.
  std::uint64_t bytes_from(const std::byte* memory) const;

  FileName file() const { return name_; }
  std::uint64_t offset_of(const std::byte* memory) const {
    return static_cast<std::uint64_t>(memory - file_->data());
  }
  std::byte* at(std::uint64_t offset) const { return file_->data() + offset; }

 private:
  explicit Arena(std::unique_ptr<SharedFile> file) : file_(std::move(file)), name_(file_->name()) {}
  bool holds(const std::byte* memory) const;

  std::unique_ptr<SharedFile> file_;
  FileName name_;
  std::map<std::uint64_t, std::uint64_t> blocks_;  ///< offset -> bytes
};

}  // namespace custom_cpu
