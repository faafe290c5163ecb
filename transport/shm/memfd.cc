#include "transport/shm/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace rondo::transport {

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

Result<Mapping> Mapping::map(int fd, std::uint64_t offset, std::size_t bytes, Access access) {
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  void* data = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (data == MAP_FAILED) return system_error("mapping shared memory", errno);
  return Mapping(static_cast<std::byte*>(data), bytes);
}

Result<UniqueFd> create_memfd(const char* name, std::size_t bytes) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return system_error("creating shared memory", errno);
  if (bytes > 0 && ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return system_error("sizing shared memory", errno);
  return fd;
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
