#include "transport/shm/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/process_limits.h"

namespace rondo::transport {
namespace {

// Older kernels undo all that one call has allocated when a signal comes: of a piece there is
// always one that comes through.
constexpr std::size_t kPieceBytes = kAskBytes;

/// The file stays as long as it is: what lies behind its end no peer can bring back.
Status allocate_piece(int fd, std::uint64_t offset, std::size_t bytes) {
  while (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                     static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return system_error("allocating shared memory", errno);
  return {};
}

Status make_longer(int fd, std::uint64_t bytes) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("looking at shared memory", errno);
  if (static_cast<std::uint64_t>(info.st_size) >= bytes) return {};
  if (::ftruncate(fd, static_cast<off_t>(bytes)) == 0) return {};
  return system_error("sizing shared memory", errno);
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Mapping::shrink(std::size_t bytes) {
  if (bytes >= bytes_) return;
  ::munmap(data_ + bytes, bytes_ - bytes);
  bytes_ = bytes;
}

Result<Mapping> Mapping::map(int fd, std::uint64_t offset, std::size_t bytes, Access access) {
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  void* data = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return mapping_error("mapping shared memory", bytes, errno);
  return Mapping(static_cast<std::byte*>(data), bytes);
}

Result<UniqueFd> create_memfd(const char* name, std::size_t bytes) {
  RONDO_TRY(check_file_size(bytes));
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return descriptor_error("creating shared memory", errno);
  if (bytes > 0 && ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return system_error("sizing shared memory", errno);
  return fd;
}

Status allocate_pages(int fd, std::uint64_t offset, std::size_t bytes,
                      const std::function<Status()>& may_go_on) {
  RONDO_TRY(check_file_size(offset + bytes));
  Status status;
  std::size_t done_bytes = 0;
  while (status.ok() && done_bytes < bytes) {
    if (may_go_on && done_bytes > 0) status = may_go_on();
    const std::size_t piece_bytes = std::min(kPieceBytes, bytes - done_bytes);
    if (status.ok()) status = allocate_piece(fd, offset + done_bytes, piece_bytes);
    if (status.ok()) done_bytes += piece_bytes;
  }
  if (status.ok()) return make_longer(fd, offset + bytes);
  // Half of it is of use to nobody. A refusal leaves it to the next attempt.
  if (done_bytes > 0)
    ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(done_bytes));
  return status;
}

Status seal(int fd, int seals) {
  if (::fcntl(fd, F_ADD_SEALS, seals) != 0) return system_error("sealing shared memory", errno);
  return {};
}

Result<FileId> file_id(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("looking at shared memory", errno);
  return FileId{.device = info.st_dev, .inode = info.st_ino};
}

Result<std::uint64_t> sealed_bytes(int fd) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    return Status(ErrorCode::kDataLoss, "a peer's shared memory isn't sealed against shrinking");
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error("looking at shared memory", errno);
  return static_cast<std::uint64_t>(info.st_size);
}

}  // namespace rondo::transport
