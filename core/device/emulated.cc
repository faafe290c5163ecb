#include "core/device/emulated.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/device/alias_table.h"
#include "core/device/emulated_arena.h"
#include "core/device/mapping.h"
#include "core/device/soft_event.h"
#include "core/environment.h"

namespace rondo::device {
namespace {

/// One for the process: addresses are unique in it, whichever driver handed them out. Kept for
/// good, as the streams of static objects may run until the process is gone.
AliasTable& process_table() {
  static AliasTable& table = *new AliasTable();
  return table;
}

/// Memory of another process: the same pair of mappings, of a part of its file.
struct ImportedMemory {
  Mapping faulting;
  Mapping alias;
};

class EmulatedDriver final : public DeviceDriver {
 public:
  explicit EmulatedDriver(const EmulatedOptions& options)
      : options_(options), arenas_(static_cast<std::size_t>(options.devices)) {}
  ~EmulatedDriver() override;

  Result<int> device_count() override { return options_.devices; }
  Result<void*> allocate(int index, std::size_t bytes) override;
  void free(void* pointer) override;
  Result<ExportedMemory> export_memory(const void* pointer) override;
  Result<void*> import_memory(int index, const ExportedMemory& memory) override;
  void release_imported(void* pointer) override;
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int index) override;
  Result<std::shared_ptr<detail::EventImpl>> create_event(int index) override;

 private:
  Result<EmulatedArena*> arena(int index);
  Status check_index(int index) const;

  const EmulatedOptions options_;
  std::atomic<std::uint64_t> streams_made_{0};
  std::mutex mutex_;
  std::vector<std::unique_ptr<EmulatedArena>> arenas_;  ///< made when first used
  std::map<const void*, ImportedMemory> imported_;
};

EmulatedDriver::~EmulatedDriver() {
  while (!imported_.empty()) release_imported(const_cast<void*>(imported_.begin()->first));
}

Result<void*> EmulatedDriver::allocate(int index, std::size_t bytes) {
  RONDO_ASSIGN(EmulatedArena * memory, arena(index));
  if (bytes == 0) return nullptr;
  return memory->allocate(bytes);
}

void EmulatedDriver::free(void* pointer) {
  const std::lock_guard lock(mutex_);
  for (const auto& arena : arenas_) {
    if (arena != nullptr && arena->free(pointer)) return;
  }
}

Result<ExportedMemory> EmulatedDriver::export_memory(const void* pointer) {
  const std::lock_guard lock(mutex_);
  for (const auto& arena : arenas_) {
    if (arena != nullptr && arena->contains(pointer)) return arena->export_memory(pointer);
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{} is not memory of an emulated device of this process", pointer));
}

Result<void*> EmulatedDriver::import_memory(int index, const ExportedMemory& memory) {
  RONDO_TRY(check_index(index));
  struct stat file = {};
  if (::fstat(memory.descriptor.get(), &file) != 0) {
    return system_error("looking at an exported descriptor", errno);
  }
  const auto file_bytes = static_cast<std::size_t>(file.st_size);
  if (memory.bytes == 0 || memory.offset_bytes > file_bytes ||
      memory.bytes > file_bytes - memory.offset_bytes) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a peer exported {} bytes at {} of a descriptor that holds {}",
                              memory.bytes, memory.offset_bytes, file_bytes));
  }
  const std::size_t inside_page_bytes = memory.offset_bytes % PageAllocator::kPageBytes;
  const std::size_t start = memory.offset_bytes - inside_page_bytes;
  const std::size_t bytes = memory.bytes + inside_page_bytes;
  const int descriptor = memory.descriptor.get();
  RONDO_ASSIGN(Mapping faulting, Mapping::create(descriptor, start, bytes, Access::kNone));
  RONDO_ASSIGN(Mapping alias, Mapping::create(descriptor, start, bytes, Access::kReadWrite));

  std::byte* pointer = faulting.data() + inside_page_bytes;
  process_table().add_range(faulting.data(), bytes);
  process_table().add_allocation(pointer, memory.bytes, alias.data() + inside_page_bytes);
  const std::lock_guard lock(mutex_);
  imported_[pointer] = {std::move(faulting), std::move(alias)};
  return static_cast<void*>(pointer);
}

void EmulatedDriver::release_imported(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto memory = imported_.find(pointer);
  if (memory == imported_.end()) return;
  process_table().remove_allocation(static_cast<const std::byte*>(pointer));
  process_table().remove_range(memory->second.faulting.data());
  imported_.erase(memory);
}

Result<std::shared_ptr<detail::StreamImpl>> EmulatedDriver::create_stream(int index) {
  RONDO_TRY(check_index(index));
  Lateness lateness = options_.lateness;
  lateness.seed += 1'000 * ++streams_made_;  // streams of one driver don't pause in step
  return std::shared_ptr<detail::StreamImpl>(
      std::make_shared<EmulatedStream>(Device::emulated(index), process_table(), lateness));
}

Result<std::shared_ptr<detail::EventImpl>> EmulatedDriver::create_event(int index) {
  RONDO_TRY(check_index(index));
  return std::shared_ptr<detail::EventImpl>(std::make_shared<SoftEvent>());
}

Result<EmulatedArena*> EmulatedDriver::arena(int index) {
  RONDO_TRY(check_index(index));
  const std::lock_guard lock(mutex_);
  auto& memory = arenas_[static_cast<std::size_t>(index)];
  if (memory == nullptr) {
    RONDO_ASSIGN(memory, EmulatedArena::create(Device::emulated(index), options_.memory_bytes,
                                               process_table()));
  }
  return memory.get();
}

Status EmulatedDriver::check_index(int index) const {
  if (index >= 0 && index < options_.devices) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("there is no emulated device {}: {} are set up "
                            "(RONDO_EMULATED_DEVICES)",
                            index, options_.devices));
}

}  // namespace

Result<EmulatedOptions> read_emulated_options() {
  EmulatedOptions options;
  RONDO_ASSIGN(const auto devices,
               environment_integer("RONDO_EMULATED_DEVICES", options.devices, {0, 64}));
  RONDO_ASSIGN(const auto seed, environment_integer("RONDO_EMULATED_SEED", 0, {0, 1'000'000'000}));
  RONDO_ASSIGN(
      const auto longest_us,
      environment_integer("RONDO_EMULATED_DELAY_US", options.lateness.longest_us, {0, 1'000'000}));
  RONDO_ASSIGN(const auto memory_mib,
               environment_integer("RONDO_EMULATED_MEMORY_MIB", 4'096, {1, 1 << 20}));
  options.devices = static_cast<int>(devices);
  options.memory_bytes = static_cast<std::size_t>(memory_mib) << 20;
  options.lateness = {static_cast<std::uint64_t>(seed), static_cast<int>(longest_us)};
  return options;
}

std::unique_ptr<DeviceDriver> make_emulated_driver(const EmulatedOptions& options) {
  return std::make_unique<EmulatedDriver>(options);
}

Result<DeviceDriver*> emulated_driver() {
  static const auto& driver =
      *new Result<std::unique_ptr<DeviceDriver>>([]() -> Result<std::unique_ptr<DeviceDriver>> {
        RONDO_ASSIGN(const EmulatedOptions options, read_emulated_options());
        return make_emulated_driver(options);
      }());
  if (!driver.ok()) return driver.status();
  return driver.value().get();
}

void* emulated_alias(const void* pointer) { return process_table().alias_of(pointer); }

}  // namespace rondo::device
