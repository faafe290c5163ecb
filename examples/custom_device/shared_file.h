#pragma once

// Files without a name that other processes of this user and machine can map: by them memory,
// events and meetings of these devices reach another process. They never shrink, so that nobody's
// touch faults. Threads: any, one at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace custom_cpu {

/// Plain bytes, as they travel in a handle.
struct FileName {
  std::uint64_t inode = 0;   ///< so that a file of a later process of the same number isn't taken
  std::uint64_t volume = 0;  ///< for it
  std::int32_t process = 0;
  std::int32_t descriptor = -1;
};

/// Whether its process lives and has it. What comes from another process is asked this first.
bool exists(const FileName& name);

/// Addresses that show a part of a file, unmapped with their owner.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)),
        before_(other.before_),
        bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  /// Without data where the file has no such part, or there is no room.
  static Mapping of(int descriptor, std::uint64_t offset, std::uint64_t bytes);
  /// Likewise, or where the file is gone.
  static Mapping open(const FileName& name, std::uint64_t offset, std::uint64_t bytes);

  std::byte* data() const { return pages_ == nullptr ? nullptr : pages_ + before_; }

 private:
  std::byte* pages_ = nullptr;
  std::uint64_t before_ = 0;  ///< of the first page
  std::uint64_t bytes_ = 0;
};

class SharedFile {
 public:
  /// All 0, and as good as empty until it is written to. Null where the system has no more.
  static std::unique_ptr<SharedFile> create(std::uint64_t bytes);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile();

  std::byte* data() const { return mapping_.data(); }
  std::uint64_t bytes() const { return bytes_; }
  FileName name() const;
  /// Gives the memory behind that part back; it is 0 then.
  void empty(std::uint64_t offset, std::uint64_t bytes);

 private:
  SharedFile(int descriptor, std::uint64_t bytes) : descriptor_(descriptor), bytes_(bytes) {}

  int descriptor_;
  std::uint64_t bytes_;
  Mapping mapping_;
};

}  // namespace custom_cpu
