#include "transport/rendezvous/pmix_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace rondo::rendezvous {
namespace {

constexpr const char* kLibraryName = "libpmix.so.2";

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<PmixLibrary> PmixLibrary::load() {
  void* library = dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("started by a PMIx launcher, but {} can't be opened ({}): install "
                              "libpmix2, or start the processes with `rondo run`",
                              kLibraryName, dlerror()));
  }
  PmixLibrary pmix;
  const bool complete =
      find(library, "PMIx_Init", pmix.init) && find(library, "PMIx_Finalize", pmix.finalize) &&
      find(library, "PMIx_Put", pmix.put) && find(library, "PMIx_Commit", pmix.commit) &&
      find(library, "PMIx_Fence_nb", pmix.fence_nb) && find(library, "PMIx_Get_nb", pmix.get_nb) &&
      find(library, "PMIx_Error_string", pmix.error_string);
  if (complete) return pmix;
  return Status(ErrorCode::kUnsupported,
                fmt::format("{} lacks functions of PMIx 3 that Rondo calls", kLibraryName));
}

Status PmixLibrary::error(const std::string& what, pmix_status_t status) const {
  return Status(ErrorCode::kSystem, fmt::format("{}: PMIx says {}", what, error_string(status)));
}

}  // namespace rondo::rendezvous
