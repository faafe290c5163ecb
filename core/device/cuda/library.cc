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

/// A function's name in the library, and where it belongs in the table.
struct Entry {
  const char* name;
  void** place;
};

Status missing(const std::string& path, const char* name) {
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
#define RONDO_CUDA_ENTRY(name) {RONDO_CUDA_TEXT(name), reinterpret_cast<void**>(&table.name)},
  const Entry entries[] = {RONDO_CUDA_FUNCTIONS(RONDO_CUDA_ENTRY)};
#undef RONDO_CUDA_ENTRY
#undef RONDO_CUDA_TEXT
  for (const Entry& entry : entries) {
    *entry.place = ::dlsym(library, entry.name);
    if (*entry.place == nullptr) return missing(path, entry.name);
  }
  RONDO_TRY(check_cuda_version(table));
  return table;
}

}  // namespace rondo::device
