#include "core/device/cuda/nccl/nccl.h"

#include "core/device/cuda/nccl/adapter.h"
#include "core/device/cuda/nccl/library.h"
#include "core/environment.h"
#include "core/log.h"

namespace rondo::device {

Result<std::unique_ptr<CollectiveLibrary>> open_nccl(CudaDriver& driver) {
  const auto named = environment_text("RONDO_NCCL");
  if (named == "off") return std::unique_ptr<CollectiveLibrary>();
  const auto table = load_nccl_table(nccl_library_paths());
  if (!table.ok()) {
    if (named) return table.status();
    log(LogLevel::kInfo, [&] { return "without NCCL: " + table.status().to_string(); });
    return std::unique_ptr<CollectiveLibrary>();
  }
  return adapt_nccl(driver, *table);
}

}  // namespace rondo::device
