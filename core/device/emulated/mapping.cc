#include "core/device/emulated/mapping.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>

namespace rondo::device {

Mapping::~Mapping() {
  if (!range_.empty()) ::munmap(range_.data(), range_.size());
}

Result<Mapping> Mapping::create(int descriptor, std::size_t offset_bytes, std::size_t bytes,
                                Access access) {
  const int protection = access == Access::kNone ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* address = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, descriptor,
                         static_cast<off_t>(offset_bytes));
  if (address == MAP_FAILED) {
    return system_error(fmt::format("mapping {} bytes of device memory", bytes), errno);
  }
  Mapping mapping;
  mapping.range_ = {static_cast<std::byte*>(address), bytes};
  return mapping;
}

}  // namespace rondo::device
