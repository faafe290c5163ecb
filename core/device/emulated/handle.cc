#include "core/device/emulated/handle.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace rondo::device {
namespace {

static_assert(sizeof(EmulatedOpaque) <= sizeof(SharedHandle::opaque));

Status gone(const SharedHandle& handle) {
  return Status(ErrorCode::kDevice,
                fmt::format("{} can't be used any more: that process has ended, or given it back",
                            describe(handle)));
}

}  // namespace

Status name_file(SharedHandle& handle, int descriptor, std::uint32_t slot) {
  struct stat file = {};
  if (::fstat(descriptor, &file) != 0) {
    return system_error("looking at the file of an emulated device", errno);
  }
  const EmulatedOpaque opaque{
      .inode = file.st_ino, .volume = file.st_dev, .descriptor = descriptor, .slot = slot};
  std::memcpy(handle.opaque.data(), &opaque, sizeof(opaque));
  return {};
}

EmulatedOpaque opaque_of(const SharedHandle& handle) {
  EmulatedOpaque opaque;
  std::memcpy(&opaque, handle.opaque.data(), sizeof(opaque));
  return opaque;
}

Result<UniqueFd> open_file(const SharedHandle& handle) {
  const EmulatedOpaque opaque = opaque_of(handle);
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, opaque.descriptor);
  // Through a link: whatever stands there now is opened, so not for writing to anything strange.
  struct stat file = {};
  if (::stat(path.c_str(), &file) != 0) {
    if (errno == ENOENT) return gone(handle);
    return system_error("opening " + describe(handle) + " (both processes need the same user)",
                        errno);
  }
  if (file.st_ino != opaque.inode || file.st_dev != opaque.volume) return gone(handle);
  UniqueFd descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!descriptor.valid()) return system_error("opening " + describe(handle), errno);
  return descriptor;
}

}  // namespace rondo::device
