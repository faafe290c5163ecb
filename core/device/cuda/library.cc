#include "core/device/cuda/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/device/cuda/status.h"
#include "core/environment.h"

namespace rondo::device {
namespace {

/// "13.0" of 13000.
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Status no_library(const std::string& path) {
  const char* const reason = ::dlerror();
  return Status(
      ErrorCode::kUnsupported,
      fmt::format("the CUDA driver's library {} can't be opened: {}; install NVIDIA's driver (in a "
                  "container: start it with the GPU made visible), or name the library in "
                  "RONDO_CUDA_DRIVER",
                  path, reason == nullptr ? "no reason given" : reason));
}

template <typename Function>
Status find(void* library, const std::string& path, const char* name, Function& found) {
  found = reinterpret_cast<Function>(::dlsym(library, name));
  if (found != nullptr) return {};
  return Status(ErrorCode::kUnsupported,
                fmt::format("{} has no function {}: the NVIDIA driver is older than CUDA {}, which "
                            "this build of rondo needs; update the driver",
                            path, name, version_text(CUDA_VERSION / 1000 * 1000)));
}

}  // namespace

std::string cuda_library_path() {
  return environment_text("RONDO_CUDA_DRIVER").value_or("libcuda.so.1");
}

Status check_cuda_version(const CudaTable& table) {
  int version = 0;
  RONDO_TRY(cuda_status(table, "cuDriverGetVersion", table.cuDriverGetVersion(&version)));
  // Inside a major version any driver runs what any toolkit compiled.
  constexpr int kOldest = CUDA_VERSION / 1000 * 1000;
  if (version >= kOldest) return {};
  return Status(ErrorCode::kUnsupported,
                fmt::format("the NVIDIA driver here knows CUDA up to {}, and this build of rondo "
                            "needs {}: update the driver, or build with an older CUDA toolkit",
                            version_text(version), version_text(kOldest)));
}

Result<CudaTable> load_cuda_table(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return no_library(path);
  CudaTable table;
// The name goes through a second macro, so that cuda.h's choice of version takes place first.
#define RONDO_CUDA_TEXT(name) #name
#define RONDO_CUDA_FIND(name) RONDO_TRY(find(library, path, RONDO_CUDA_TEXT(name), table.name));
  RONDO_CUDA_FUNCTIONS(RONDO_CUDA_FIND)
#undef RONDO_CUDA_FIND
#undef RONDO_CUDA_TEXT
  RONDO_TRY(check_cuda_version(table));
  return table;
}

}  // namespace rondo::device
