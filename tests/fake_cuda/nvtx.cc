// A profiler that NVTX finds (NVTX_INJECTION64_PATH): it counts ranges, and keeps the last name.

#pragma GCC visibility push(default)
#include <nvtx3/nvToolsExt.h>
#pragma GCC visibility pop

#include <atomic>
#include <cstring>
#include <mutex>

namespace {

std::atomic<int> begun = 0;
std::atomic<int> ended = 0;
std::mutex mutex;
char last_name[256] = {};

nvtxRangeId_t begin_range(const char* name) {
  const std::lock_guard lock(mutex);
  std::strncpy(last_name, name, sizeof(last_name) - 1);
  return static_cast<nvtxRangeId_t>(++begun);
}

void end_range(nvtxRangeId_t /*range*/) { ++ended; }

}  // namespace

extern "C" {

/// For tests.
__attribute__((visibility("default"))) void fake_nvtx_ranges(int* begun_so_far, int* ended_so_far,
                                                             const char** name) {
  *begun_so_far = begun;
  *ended_so_far = ended;
  *name = last_name;
}

// NOLINTNEXTLINE(readability-identifier-naming): NVTX looks for this name
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned int count = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &count) == 0)
    return 0;
  *functions[NVTX_CBID_CORE_RangeStartA] = reinterpret_cast<NvtxFunctionPointer>(&begin_range);
  *functions[NVTX_CBID_CORE_RangeEnd] = reinterpret_cast<NvtxFunctionPointer>(&end_range);
  return 1;
}

}  // extern "C"
