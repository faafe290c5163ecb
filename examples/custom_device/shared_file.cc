#include "examples/custom_device/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace custom_cpu {
namespace {

std::string path_of(const FileName& name) {
  return "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
}

}  // namespace

bool exists(const FileName& name) {
  struct stat found = {};
  return ::stat(path_of(name).c_str(), &found) == 0 && found.st_ino == name.inode &&
         found.st_dev == name.volume;
}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(pages_, other.pages_);
  std::swap(before_, other.before_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (pages_ != nullptr) ::munmap(pages_, before_ + bytes_);
}

Mapping Mapping::of(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  struct stat found = {};
  if (::fstat(descriptor, &found) != 0) return {};
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (bytes == 0 || offset > size || bytes > size - offset) return {};
  Mapping mapping;
  mapping.before_ = offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  mapping.bytes_ = bytes;
  void* const pages =
      ::mmap(nullptr, mapping.before_ + bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
             descriptor, static_cast<off_t>(offset - mapping.before_));
  if (pages != MAP_FAILED) mapping.pages_ = static_cast<std::byte*>(pages);
  return mapping;
}

Mapping Mapping::open(const FileName& name, std::uint64_t offset, std::uint64_t bytes) {
  // Through a link: whatever stands there now would be opened.
  if (!exists(name)) return {};
  const int descriptor = ::open(path_of(name).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return {};
  Mapping mapping = of(descriptor, offset, bytes);
  ::close(descriptor);
  return mapping;
}

std::unique_ptr<SharedFile> SharedFile::create(std::uint64_t bytes) {
  const int descriptor = ::memfd_create("custom_cpu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<SharedFile> made(new SharedFile(descriptor, bytes));
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const bool sized = ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
                     ::fcntl(descriptor, F_ADD_SEALS, kSeals) == 0;
  if (sized) made->mapping_ = Mapping::of(descriptor, 0, bytes);
  if (made->data() == nullptr) return nullptr;
  return made;
}

SharedFile::~SharedFile() { ::close(descriptor_); }

FileName SharedFile::name() const {
  struct stat found = {};
  ::fstat(descriptor_, &found);
  return {.inode = found.st_ino,
          .volume = found.st_dev,
          .process = ::getpid(),
          .descriptor = descriptor_};
}

void SharedFile::empty(std::uint64_t offset, std::uint64_t bytes) {
  // Where it can't be done the pages stay until they are written to again.
  ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
}

}  // namespace custom_cpu
