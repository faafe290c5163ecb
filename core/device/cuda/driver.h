#pragma once

// NVIDIA devices, through their driver's own interface. Memory and events that other processes open
// travel as the driver's handles (cuIpcGetMemHandle), which works for memory that other libraries
// have allocated too, as long as it isn't from a pool.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/device/cuda/context.h"
#include "core/device/cuda/exports.h"
#include "core/device/cuda/imports.h"
#include "core/device/cuda/ranges.h"
#include "core/device/cuda/table.h"
#include "core/device/driver.h"

namespace rondo::device {

class CudaDriver final : public DeviceDriver {
 public:
  /// Errors: Device (the driver doesn't start).
  static Result<std::unique_ptr<CudaDriver>> make(const CudaTable& table);

  Result<int> device_count() override { return static_cast<int>(devices_.size()); }
  Result<std::string> identity(int index) override;
  Result<CollectiveLibrary*> collective_library() override;
  std::uint64_t begin_range(const char* name) override { return begin_cuda_range(name); }
  void end_range(std::uint64_t range) override { end_cuda_range(range); }
  Result<void*> allocate(int index, std::size_t bytes) override;
  void free(void* pointer) override;
  void give_back(int index, std::function<void()> action) override;
  Status check_memory(int index, const void* pointer, std::size_t bytes) override;
  Status reach(int index, const void* memory) override;
  Result<std::vector<std::string>> unreachable(int index) override;
  Result<SharedHandle> export_memory(const void* pointer) override;
  Result<void*> import_memory(int index, const SharedHandle& memory) override;
  bool import_waits(int index, const SharedHandle& memory) override;
  void release_imported(void* pointer) override { imports_.close(pointer); }
  /// cuIpcOpenMemHandle and cuIpcOpenEventHandle want another process.
  bool imports_own() const override { return false; }
  void keep(const SharedHandle& memory) override { exports_.keep(memory); }
  void let_go(const SharedHandle& memory) override { exports_.let_go(memory); }
  bool closes_later() override { return imports_.closes_later(); }
  std::uint64_t frees() const override { return frees_->load(std::memory_order_acquire); }
  /// Also tells of memory that others have freed (cudaFree).
  bool lives(const SharedHandle& memory) override;
  bool sees_host_memory() const override { return true; }
  Result<std::shared_ptr<void>> allocate_words(int index, std::size_t bytes) override;
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int index) override;
  Result<std::shared_ptr<detail::StreamImpl>> borrow_stream(int index, void* native) override;
  Result<std::shared_ptr<detail::EventImpl>> create_event(int index) override;
  Result<std::shared_ptr<detail::EventImpl>> create_shared_event(int index) override;
  Result<SharedHandle> export_event(detail::EventImpl& event) override;
  Result<std::shared_ptr<detail::EventImpl>> import_event(int index,
                                                          const SharedHandle& event) override;

  /// The device's context, made at the first call. Errors: InvalidArgument (no such index), Device.
  Result<std::shared_ptr<CudaContext>> context(int index);

 private:
  struct PerDevice {
    std::mutex mutex;
    std::shared_ptr<CudaContext> context;  ///< made when first used
  };

  explicit CudaDriver(const CudaTable& table) : table_(table) {}
  Result<PerDevice*> device(int index);
  Result<std::string> uuid_of(CUdevice number, int index) const;
  Status check_granted(const CudaContext& own, const void* memory);
  bool make_room();

  const CudaTable table_;
  CudaFrees given_back_;  ///< of all devices; outlives their contexts
  std::vector<std::unique_ptr<PerDevice>> devices_;
  std::mutex reached_mutex_;
  std::set<std::pair<int, int>> reached_;  ///< devices, and others that they can reach
  CudaExports exports_;
  CudaImports imports_;
  /// Shared with frees that are put off.
  std::shared_ptr<std::atomic<std::uint64_t>> frees_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::mutex library_mutex_;
  std::optional<Result<std::unique_ptr<CollectiveLibrary>>> library_;  ///< opened when asked for
};

}  // namespace rondo::device
