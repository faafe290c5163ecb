#pragma once

// The emulated devices of one process, or of one test.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/device/emulated/arena.h"
#include "core/device/emulated/emulated.h"
#include "core/device/emulated/event_board.h"
#include "core/device/emulated/faults.h"
#include "core/device/emulated/imports.h"
#include "core/device/emulated/ranges.h"

namespace rondo::device {

class EmulatedDriver final : public DeviceDriver {
 public:
  /// `table` outlives the driver.
  EmulatedDriver(const EmulatedOptions& options, AliasTable& table);

  std::uint64_t begin_range(const char* name) override { return ranges_.begin(name); }
  void end_range(std::uint64_t range) override { ranges_.end(range); }
  Result<int> device_count() override { return options_.devices; }
  Result<void*> allocate(int index, std::size_t bytes) override;
  void free(void* pointer) override;
  Status check_memory(int index, const void* pointer, std::size_t bytes) override;
  bool hides(const void* pointer) override { return table_.is_known(pointer); }
  Result<SharedHandle> export_memory(const void* pointer) override;
  Result<void*> import_memory(int index, const SharedHandle& memory) override;
  void release_imported(void* pointer) override { imports_.release(pointer); }
  std::uint64_t frees() const override { return frees_.load(std::memory_order_acquire); }
  bool lives(const SharedHandle& memory) override;
  bool sees_host_memory() const override { return true; }
  Result<std::shared_ptr<void>> allocate_words(int index, std::size_t bytes) override;
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int index) override;
  Result<std::shared_ptr<detail::EventImpl>> create_event(int index) override;
  Result<SharedHandle> export_event(detail::EventImpl& event) override;
  Result<std::shared_ptr<detail::EventImpl>> import_event(int index,
                                                          const SharedHandle& event) override;

  Faults& faults() { return *faults_; }
  std::vector<EmulatedRange> ranges() const { return ranges_.latest(); }
  std::size_t memories() const { return table_.allocations(); }

 private:
  Result<EmulatedArena*> arena(int index);
  /// Whose memory that is, allocated or not; nothing where it is none of these devices'.
  std::optional<int> device_of(const void* pointer);
  Result<std::shared_ptr<EventBoard>> board();
  /// There is such a device, and the operation isn't one that fails on purpose.
  Status may(Operation operation, int index);
  /// The same of allocations, with what was asked for.
  Status may_allocate(int index, std::size_t bytes);

  const EmulatedOptions options_;
  AliasTable& table_;
  std::shared_ptr<Faults> faults_;
  EmulatedImports imports_;
  EmulatedRanges ranges_;
  std::atomic<std::uint64_t> streams_made_{0};
  std::atomic<std::uint64_t> frees_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<EmulatedArena>> arenas_;  ///< made when first used
  std::shared_ptr<EventBoard> board_;                   ///< likewise
};

}  // namespace rondo::device
