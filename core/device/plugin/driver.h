#pragma once

// The devices of one kind that a plug-in brings.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/device/driver.h"
#include "core/device/plugin/left_behind.h"
#include "rondo/device_plugin.h"

namespace rondo::device {

class PluginDriver final : public DeviceDriver {
 public:
  /// The table has been checked; what it points to stays.
  PluginDriver(DeviceKind kind, const rondo_device_table& table);

  const std::string& name() const { return name_; }
  const rondo_device_table& table() const { return table_; }
  void add_reduce_kernel(std::string_view type, std::string_view op, rondo_reduce_kernel kernel);
  /// Null where there is none.
  rondo_reduce_kernel reduce_kernel(std::string_view type, std::string_view op) const;

  /// The table has been checked.
  void add_collectives(const rondo_collective_table& table);
  /// What a function of the plug-in's returned. Errors: Device, as plugin_status.
  Status called(int device, const char* function, int code) const;

  /// What streams that were given up may still use goes back once they are at rest.
  void give_back(LeftBehind::Action action) const { left_behind_.give_back(std::move(action)); }
  void leave_behind(std::function<bool()> is_at_rest, LeftBehind::Action destroy) const {
    left_behind_.add(std::move(is_at_rest), std::move(destroy));
  }

  Result<CollectiveLibrary*> collective_library() override { return library_.get(); }
  std::uint64_t begin_range(const char* name) override;
  void end_range(std::uint64_t range) override;
  std::string versions() const override;
  Result<int> device_count() override;
  Result<void*> allocate(int index, std::size_t bytes) override;
  void free(void* pointer) override;
  void give_back(int /*index*/, std::function<void()> action) override {
    give_back(std::move(action));
  }
  void give_back_due() override { left_behind_.give_back_due(); }
  Status check_memory(int index, const void* pointer, std::size_t bytes) override;
  bool hides(const void* pointer) override { return owner_of(pointer).has_value(); }
  bool sees_host_memory() const override;
  Result<std::shared_ptr<void>> allocate_words(int index, std::size_t bytes) override;
  bool shares_between_processes() const override;
  Result<SharedHandle> export_memory(const void* pointer) override;
  Result<void*> import_memory(int index, const SharedHandle& memory) override;
  void release_imported(void* pointer) override;
  std::uint64_t frees() const override { return frees_.load(std::memory_order_acquire); }
  bool lives(const SharedHandle& memory) override;
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int index) override;
  Result<std::shared_ptr<detail::EventImpl>> create_event(int index) override;
  Result<SharedHandle> export_event(detail::EventImpl& event) override;
  Result<std::shared_ptr<detail::EventImpl>> import_event(int index,
                                                          const SharedHandle& event) override;

 private:
  Status not_shared() const;
  struct Block {
    std::size_t bytes = 0;
    int device = 0;
    std::uint64_t number = 0;
  };
  using Blocks = std::map<const std::byte*, Block>;
  /// The one that an address lies in, or the end. With the mutex.
  Blocks::const_iterator block_of(const void* pointer) const;
  /// A handle without the plug-in's own part; nothing where Rondo hasn't allocated it.
  std::optional<SharedHandle> described(const void* pointer) const;
  /// The same of memory that somebody else has from the plug-in: nobody will say when that is
  /// freed, so it has a number of its own each time, and is opened anew. Errors: InvalidArgument,
  /// Unsupported.
  Result<SharedHandle> described_foreign(const void* pointer);
  /// The device of an address that Rondo has allocated.
  std::optional<int> device_of(const void* pointer) const;
  /// Whoever has allocated it.
  std::optional<int> owner_of(const void* pointer);

  DeviceKind kind_;
  std::string name_;
  rondo_device_table table_;
  std::map<std::pair<std::string, std::string>, rondo_reduce_kernel> kernels_;
  std::unique_ptr<CollectiveLibrary> library_;
  std::atomic<std::uint64_t> frees_{0};
  mutable LeftBehind left_behind_;
  mutable std::mutex mutex_;
  Blocks allocated_;
  std::multimap<const void*, int> imported_;  ///< address -> device, once for each time
};

}  // namespace rondo::device
