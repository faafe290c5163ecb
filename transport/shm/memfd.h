#pragma once

// Anonymous shared memory with a descriptor and no name, so that nothing is left behind however
// the process ends; and the mappings of it. Both are resources: one owner, freed with it.
// Threads: any, one at a time per object.

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo::transport {

/// A mapped range of a descriptor.
class Mapping {
 public:
  enum class Access : std::uint8_t { kRead, kReadWrite };

  Mapping() = default;
  Mapping(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  /// Errors: System.
  static Result<Mapping> map(int fd, std::uint64_t offset, std::size_t bytes, Access access);

  /// Unmaps what lies behind the first `bytes` > 0, which end a page.
  void shrink(std::size_t bytes);

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A new memfd of `bytes` (zeros), not sealed yet. Errors: System, also for more than RLIMIT_FSIZE.
Result<UniqueFd> create_memfd(const char* name, std::size_t bytes);

/// Makes every page of [offset, offset + bytes) present, and the file as long as that takes.
/// Signals don't disturb. Errors: System, also for more than RLIMIT_FSIZE; the file is as long as
/// it was then, and the pages are given back. `may_go_on`, if any, is asked every kAskBytes: other
/// processes may take memory meanwhile, and its error ends this.
Status allocate_pages(int fd, std::uint64_t offset, std::size_t bytes,
                      const std::function<Status()>& may_go_on = nullptr);
inline constexpr std::size_t kAskBytes = std::size_t{2} << 20;

/// Adds seals (F_SEAL_*). Errors: System.
Status seal(int fd, int seals);

/// What an open file is known by, however many descriptors of it there are.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

/// Errors: System.
Result<FileId> file_id(int fd);

/// Its size, if it is a memfd that nobody can shrink any more: reading a mapping of it can't fault.
/// Errors: DataLoss, System.
Result<std::uint64_t> sealed_bytes(int fd);

}  // namespace rondo::transport
