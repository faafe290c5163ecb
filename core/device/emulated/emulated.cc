#include "core/device/emulated/emulated.h"

#include "core/device/emulated/alias_table.h"
#include "core/device/emulated/driver.h"
#include "core/environment.h"

namespace rondo::device {
namespace {

/// One for the process: addresses are unique in it, whichever driver handed them out. Kept for
/// good, as the streams of static objects may run until the process is gone.
AliasTable& process_table() {
  static AliasTable& table = *new AliasTable();
  return table;
}

Result<Pace> read_pace() {
  RONDO_ASSIGN(const auto copy_mbps,
               environment_integer("RONDO_EMULATED_COPY_MBPS", 0, {0, 10'000'000}));
  RONDO_ASSIGN(const auto kernel_us,
               environment_integer("RONDO_EMULATED_KERNEL_US", 0, {0, 1'000'000}));
  // A megabyte a second is a byte a microsecond.
  return Pace{static_cast<double>(copy_mbps), static_cast<double>(kernel_us)};
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
  RONDO_ASSIGN(options.pace, read_pace());
  RONDO_ASSIGN(options.faults,
               parse_faults(environment_text("RONDO_EMULATED_FAULTS").value_or("")));
  options.devices = static_cast<int>(devices);
  options.memory_bytes = static_cast<std::size_t>(memory_mib) << 20;
  options.lateness = {static_cast<std::uint64_t>(seed), static_cast<int>(longest_us)};
  return options;
}

std::unique_ptr<DeviceDriver> make_emulated_driver(const EmulatedOptions& options) {
  return std::make_unique<EmulatedDriver>(options, process_table());
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

Faults& faults_of(DeviceDriver& emulated) {
  return static_cast<EmulatedDriver&>(emulated).faults();
}

std::size_t memories_of(DeviceDriver& emulated) {
  return static_cast<EmulatedDriver&>(emulated).memories();
}

std::vector<EmulatedRange> ranges_of(DeviceDriver& emulated) {
  return static_cast<EmulatedDriver&>(emulated).ranges();
}

void* emulated_alias(const void* pointer) { return process_table().alias_of(pointer); }

Result<std::byte*> emulated_memory(const void* pointer, std::size_t bytes) {
  return process_table().resolve(pointer, bytes);
}

}  // namespace rondo::device
