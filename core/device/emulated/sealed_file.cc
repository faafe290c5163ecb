#include "core/device/emulated/sealed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace rondo::device {

Result<UniqueFd> create_sealed_file(const char* name, std::size_t bytes) {
  UniqueFd file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid()) return system_error("memfd_create", errno);
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    return system_error(fmt::format("ftruncate of a memfd to {} bytes", bytes), errno);
  }
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return system_error("sealing a memfd", errno);
  }
  return file;
}

}  // namespace rondo::device
