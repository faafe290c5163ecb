// The driver as it is in the process anyway, without anything of Rondo's: whoever gives a pointer
// of cudaMalloc to a place on the host has never asked Rondo for a CUDA device.

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>

#include "core/device/cuda.h"
#include "core/device/cuda/library.h"

namespace rondo::device {
namespace {

using Ask = decltype(CudaTable::cuPointerGetAttributes);

std::atomic<Ask> known_ask = nullptr;
std::atomic<unsigned long long> known_loads = 0;

/// How often a library was loaded into this process.
unsigned long long loads_so_far() {
  unsigned long long loads = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* seen) {
        *static_cast<unsigned long long*>(seen) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

/// Keeps the library, where it is: the function is called for as long as the process lives.
Ask find() {
  void* const library = ::dlopen(cuda_library_path().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<Ask>(::dlsym(library, "cuPointerGetAttributes"));
}

}  // namespace

bool cuda_is_loaded() {
  if (known_ask.load(std::memory_order_acquire) != nullptr) return true;
  const unsigned long long loads = loads_so_far();
  if (loads == known_loads.load(std::memory_order_acquire)) return false;
  const Ask found = find();
  if (found != nullptr) known_ask.store(found, std::memory_order_release);
  known_loads.store(loads, std::memory_order_release);
  return found != nullptr;
}

bool cuda_hides(const void* pointer) {
  if (!cuda_is_loaded()) return false;
  unsigned int type = 0;
  unsigned int managed = 0;
  std::array attributes = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  std::array<void*, attributes.size()> values = {&type, &managed};
  const CUresult asked = known_ask.load(std::memory_order_acquire)(
      static_cast<unsigned int>(attributes.size()), attributes.data(), values.data(),
      reinterpret_cast<CUdeviceptr>(pointer));
  // A driver that hasn't been started says that, and has no memory. Managed memory is the host's,
  // too.
  return asked == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE && managed == 0;
}

}  // namespace rondo::device
