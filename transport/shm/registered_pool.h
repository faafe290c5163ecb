#pragma once

// This process's registered memory: one growing memfd that peers of the same host map once and
// then read and write in place. It can't shrink (sealed) and its pages are there from allocation on
// (fallocate), so running out is an error here and never a fault later.
//
// The pool outlives communicators and serves all of them. A forked child starts with a pool of its
// own: it must not hand out what its parent hands out too.
// Threads: any; offset_of takes no lock.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/status.h"
#include "transport/shm/free_list.h"
#include "transport/shm/segment_window.h"

namespace rondo::transport {

class RegisteredPool {
 public:
  /// The least that the pool grows by.
  static constexpr std::size_t kExtentBytes = std::size_t{32} << 20;

  /// The process's pool; made at first use, never destroyed. Errors: System.
  static Result<RegisteredPool*> instance();

  /// Memory aligned to a cache line, from 4 KiB on to a page. Its content is undefined.
  /// Errors: System (the request, and what is available).
  Result<std::byte*> allocate(std::size_t bytes);
  /// `data` comes from allocate(); what doesn't (a parent's memory after fork) is left alone.
  void free(std::byte* data);
  /// What was allocated with `data` in it isn't handed out again, freed or not: another process may
  /// write to it at any time. How many bytes that are; 0 for other memory.
  std::size_t abandon(const std::byte* data);

  /// Where [data, data + bytes) lies in the segment; nothing for other memory.
  std::optional<std::uint64_t> offset_of(const std::byte* data, std::size_t bytes) const {
    return window_.offset_of(data, bytes);
  }

  int fd() const { return fd_.get(); }
  std::size_t segment_bytes() const { return window_.mapped_bytes(); }
  std::size_t used_bytes() const;

 private:
  RegisteredPool(UniqueFd fd, SegmentWindow window)
      : fd_(std::move(fd)), window_(std::move(window)) {}
  static Result<RegisteredPool*> create();
  Status grow(std::size_t bytes);
  Status no_room(std::size_t bytes, std::uint64_t available_bytes) const;

  UniqueFd fd_;
  SegmentWindow window_;
  mutable std::mutex mutex_;
  FreeList list_;
};

}  // namespace rondo::transport
